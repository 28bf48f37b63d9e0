import { ask } from '../ask.js';
import { memberForm } from '../form-page.js';
import type { Page } from '../page.js';
import { paths } from '../paths.js';
import { confirmOwnPassword, OwnPassword } from '../sign-on/own-password.js';
import { directoryOf } from './issue-directory-token.js';

/** Ends the token before the current one. */
const endOld = endTokens({
  which: 'old',
  path: paths.oldDirectoryToken,
  question: 'End the old directory token?',
  consequences:
    'It stops working at once. Check that your identity provider has the new one: the last requests show it.',
  confirmLabel: 'End the old token',
  notice: 'directory-token-ended',
});

/** Ends every token. */
const turnOff = endTokens({
  which: 'all',
  path: paths.directoryOff,
  question: 'Turn the directory off?',
  consequences:
    'Every token stops working at once. People stay as they are, and nobody is added or deactivated until you create another token.',
  confirmLabel: 'Turn the directory off',
  notice: 'directory-off',
});

/** The pages that end tokens, after asking. */
export const endDirectoryTokens: readonly Page[] = [endOld, turnOff];

function endTokens(ending: {
  readonly which: 'old' | 'all';
  readonly path: (id: number | string) => string;
  readonly question: string;
  readonly consequences: string;
  readonly confirmLabel: string;
  readonly notice: 'directory-token-ended' | 'directory-off';
}): Page {
  const { which, path, question, consequences, confirmLabel, notice } = ending;
  return memberForm({
    path: path(':id'),
    section: 'settings',
    fields: [],
    labels: { currentPassword: 'Your password' },
    about: directoryOf,
    initial: () => ({}),
    async send(visit) {
      const { core, organization, by } = visit;
      await confirmOwnPassword(visit);
      await core.endDirectoryTokens({ organization, which, by });
      visit.leadTo(paths.directory(organization.id), notice);
    },
    show(visit, { about: { tokens }, problems, control }) {
      const cancelPath = paths.directory(visit.organization.id);
      const isThere = which === 'all' ? tokens.length > 0 : tokens.length > 1;
      if (!isThere) return visit.leadTo(cancelPath);
      ask(visit, {
        ...{ question, confirmLabel, cancelPath, problems },
        controls: <OwnPassword {...{ visit, control }} />,
        children: <p>{consequences}</p>,
      });
    },
  });
}
