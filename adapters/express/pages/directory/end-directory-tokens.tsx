import { ask } from '../ask.js';
import { memberPage, type Page } from '../page.js';
import { paths } from '../paths.js';
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
  return memberPage({
    path: path(':id'),
    section: 'settings',
    async get(visit) {
      const { tokens } = await directoryOf(visit);
      const isThere = which === 'all' ? tokens.length > 0 : tokens.length > 1;
      if (!isThere) return visit.leadTo(paths.directory(visit.organization.id));
      ask(visit, {
        ...{ question, confirmLabel, cancelPath: paths.directory(visit.organization.id) },
        children: <p>{consequences}</p>,
      });
    },
    async post(visit) {
      const { core, organization, by } = visit;
      await core.endDirectoryTokens({ organization, which, by });
      visit.leadTo(paths.directory(organization.id), notice);
    },
  });
}
