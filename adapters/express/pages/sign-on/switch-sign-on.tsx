import type { ComponentChildren } from 'preact';
import { ask } from '../ask.js';
import type { NoticeName } from '../design/notice.js';
import { memberForm } from '../form-page.js';
import type { Page } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { confirmOwnPassword, OwnPassword } from './own-password.js';

interface Change {
  readonly path: string;
  readonly question: string;
  readonly label: string;
  readonly kind?: 'primary' | 'destructive';
  readonly consequences: ComponentChildren;
  readonly change: (visit: MemberVisit) => Promise<unknown>;
  readonly notice: NoticeName;
}

/** Asks for the password before sign-on is changed for everyone. Without settings, there is nothing to change. */
function asking({ path, question, label, kind = 'primary', consequences, change, notice }: Change): Page {
  return memberForm({
    path,
    section: 'settings',
    fields: [],
    labels: { currentPassword: 'Your password' },
    alsoShown: ['sign-on-untested'],
    about: ({ core, organization }) => core.readSignOn({ organization }),
    initial: () => ({}),
    async send(visit) {
      await confirmOwnPassword(visit);
      await change(visit);
      visit.leadTo(paths.signOn(visit.organization.id), notice);
    },
    show(visit, { about: signOn, problems, control }) {
      const cancelPath = paths.signOn(visit.organization.id);
      if (signOn === null) return visit.leadTo(cancelPath);
      ask(visit, {
        ...{ question, kind, problems, cancelPath },
        confirmLabel: label,
        controls: <OwnPassword {...{ visit, control }} />,
        children: consequences,
      });
    },
  });
}

export const turnSignOnOn = asking({
  path: paths.switchSignOn(':id', 'on'),
  question: 'Turn sign-on on?',
  label: 'Turn it on',
  consequences: (
    <p>Members can sign in at your identity provider from then on. Passwords keep working as well.</p>
  ),
  change: ({ core, organization, by }) => core.switchSignOn({ organization, to: 'on', by }),
  notice: 'sign-on-on',
});

export const requireSignOn = asking({
  path: paths.switchSignOn(':id', 'required'),
  question: 'Require sign-on?',
  label: 'Require it',
  consequences: (
    <p>
      A password opens the organization for owners only from then on, so that a wrong setting locks nobody
      out. Login links still open the meetings of their person.
    </p>
  ),
  change: ({ core, organization, by }) => core.switchSignOn({ organization, to: 'required', by }),
  notice: 'sign-on-required',
});

export const turnSignOnOff = asking({
  path: paths.switchSignOn(':id', 'off'),
  question: 'Turn sign-on off?',
  label: 'Turn it off',
  consequences: (
    <p>
      Everyone who signed in with it is signed out at once. Members without a password cannot come in until
      you turn it on again. The settings stay.
    </p>
  ),
  change: ({ core, organization, by }) => core.switchSignOn({ organization, to: 'off', by }),
  notice: 'sign-on-off',
});

export const removeSignOn = asking({
  path: paths.removeSignOn(':id'),
  question: 'Remove sign-on?',
  label: 'Remove it',
  kind: 'destructive',
  consequences: (
    <p>
      This deletes the settings with the client secret, and who your members are at the provider. Everyone who
      signed in with it is signed out at once.
    </p>
  ),
  change: ({ core, organization, by }) => core.removeSignOn({ organization, by }),
  notice: 'sign-on-removed',
});
