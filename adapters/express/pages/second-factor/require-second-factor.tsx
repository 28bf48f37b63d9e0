import { askingForIdentity, identityOf } from '../account/own-identity.js';
import { paths } from '../paths.js';

/** What the form is for, so that it does what its reader has seen. */
const TO = 'to';

/** Who has none can't require it of others. */
const first = {
  consequences:
    'Only owners who have a second factor can change this. Add one to your account first. We will lead you back here.',
  before: { href: paths.secondFactor, text: 'Add your second factor' },
} as const;

const changes = {
  off: {
    question: 'Stop requiring a second factor?',
    label: 'Stop requiring it',
    consequences: 'A password alone opens the organization for owners and admins again.',
  },
  on: {
    question: 'Require a second factor?',
    label: 'Require it',
    consequences:
      'Owners and admins who sign in with a password must have a passkey or an authenticator app from then on. Those who have none add one before they can open the organization. Sign-on and login links stay as they are.',
  },
} as const;

/** Requires a second factor of owners and admins, or no longer. */
export const requireSecondFactor = askingForIdentity({
  path: paths.requireSecondFactor(':id'),
  about: async (visit) => ({
    isRequired: await visit.core.isSecondFactorRequired({ organization: visit.organization }),
    hasOne: (await identityOf(visit)) !== null,
  }),
  asked({ isRequired, hasOne }) {
    const to = isRequired ? 'off' : 'on';
    return { ...changes[to], fields: { [TO]: to }, ...(!hasOne && first) };
  },
  async change({ core, organization, by, session, field }) {
    const isRequired = field(TO) === 'on';
    await core.requireSecondFactor({ organization, isRequired, userId: session.user.id, by });
  },
  leadsTo: paths.settings,
  notice: ({ field }) => (field(TO) === 'on' ? 'second-factor-required' : 'second-factor-not-required'),
});
