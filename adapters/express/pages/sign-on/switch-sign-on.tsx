import type { CurrentSignOn } from '@rollcall/core';
import { askingForIdentity, type IdentityQuestion } from '../account/own-identity.js';
import type { Page } from '../page.js';
import { paths } from '../paths.js';

/** Without settings, there is nothing to change. */
function asking(change: Omit<IdentityQuestion<CurrentSignOn>, 'about' | 'leadsTo' | 'alsoShown'>): Page {
  return askingForIdentity<CurrentSignOn | null>({
    ...change,
    asked: (signOn, visit) => signOn && change.asked(signOn, visit),
    about: ({ core, organization }) => core.readSignOn({ organization }),
    leadsTo: paths.signOn,
    alsoShown: ['sign-on-untested'],
  });
}

const MADE_HERE =
  'People who became members by sign-on or the directory can’t come in, even with a password.';

export const turnSignOnOn = asking({
  isForSetup: true,
  path: paths.switchSignOn(':id', 'on'),
  asked({ isRequired, tested }, { isSetup }) {
    if (!isRequired)
      return {
        question: 'Turn sign-on on?',
        label: 'Turn it on',
        consequences: `${tested === null ? 'No trial with these settings has passed yet: try them first. ' : ''}Members can sign in at your identity provider from then on. Passwords keep working as well.`,
      };
    if (isSetup) return null;
    return {
      question: 'Stop requiring sign-on?',
      label: 'Stop requiring it',
      consequences: 'Passwords open the organization again. Sign-on stays on.',
    };
  },
  change: ({ core, organization, by }) => core.switchSignOn({ organization, to: 'on', by }),
  notice: 'sign-on-on',
});

export const requireSignOn = asking({
  path: paths.switchSignOn(':id', 'required'),
  asked: () => ({
    question: 'Require sign-on?',
    label: 'Require it',
    consequences:
      'A password opens the organization for owners only from then on, so that a wrong setting locks nobody out. Login links still open the meetings of their person.',
  }),
  change: ({ core, organization, by }) => core.switchSignOn({ organization, to: 'required', by }),
  notice: 'sign-on-required',
});

export const turnSignOnOff = asking({
  path: paths.switchSignOn(':id', 'off'),
  asked: () => ({
    question: 'Turn sign-on off?',
    label: 'Turn it off',
    consequences: `Everyone who signed in with it is signed out at once. ${MADE_HERE} The settings stay.`,
  }),
  change: ({ core, organization, by }) => core.switchSignOn({ organization, to: 'off', by }),
  notice: 'sign-on-off',
});

export const removeSignOn = asking({
  path: paths.removeSignOn(':id'),
  asked: () => ({
    question: 'Remove sign-on?',
    label: 'Remove it',
    kind: 'destructive',
    consequences: `This deletes the settings with the client secret, and who your members are at the provider. Everyone who signed in with it is signed out at once. ${MADE_HERE}`,
  }),
  change: ({ core, organization, by }) => core.removeSignOn({ organization, by }),
  notice: 'sign-on-removed',
});
