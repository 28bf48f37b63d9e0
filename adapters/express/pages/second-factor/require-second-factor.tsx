import { askingForIdentity } from '../account/own-identity.js';
import { paths } from '../paths.js';

/** What the form is for, so that it does what its reader has seen. */
const TO = 'to';

/** Requires a second factor of owners and admins, or no longer. */
export const requireSecondFactor = askingForIdentity<boolean>({
  path: paths.requireSecondFactor(':id'),
  about: ({ core, organization }) => core.isSecondFactorRequired({ organization }),
  asked: (isRequired) =>
    isRequired
      ? {
          question: 'Stop requiring a second factor?',
          label: 'Stop requiring it',
          fields: { [TO]: 'off' },
          consequences: 'A password alone opens the organization for owners and admins again.',
        }
      : {
          question: 'Require a second factor?',
          label: 'Require it',
          fields: { [TO]: 'on' },
          consequences:
            'Owners and admins who sign in with a password must have a passkey or an authenticator app from then on. Those who have none add one before they can open the organization. Sign-on and login links stay as they are.',
        },
  async change({ core, organization, by, session, field }) {
    const isRequired = field(TO) === 'on';
    await core.requireSecondFactor({ organization, isRequired, userId: session.user.id, by });
  },
  leadsTo: paths.settings,
  notice: 'second-factor-requirement-changed',
});
