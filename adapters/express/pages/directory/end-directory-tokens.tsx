import { askingForIdentity } from '../account/own-identity.js';
import { paths } from '../paths.js';
import { directoryOf } from './issue-directory-token.js';

export const endOldDirectoryToken = askingForIdentity({
  isForSetup: true,
  path: paths.oldDirectoryToken(':id'),
  about: directoryOf,
  asked: ({ tokens }) =>
    tokens.length < 2
      ? null
      : {
          question: 'End the old directory token?',
          label: 'End the old token',
          kind: 'destructive',
          consequences: 'It stops working at once. The directory’s page shows when each token was last used.',
        },
  change: ({ core, organization, by }) => core.endDirectoryTokens({ organization, which: 'old', by }),
  leadsTo: paths.directory,
  notice: 'directory-token-ended',
});

export const turnDirectoryOff = askingForIdentity({
  path: paths.directoryOff(':id'),
  about: directoryOf,
  asked: ({ tokens }) =>
    tokens.length === 0
      ? null
      : {
          question: 'Turn the directory off?',
          label: 'Turn the directory off',
          kind: 'destructive',
          consequences:
            'Every token stops working at once. People stay as they are, and nobody is added or deactivated until you create another token.',
        },
  change: ({ core, organization, by }) => core.endDirectoryTokens({ organization, which: 'all', by }),
  leadsTo: paths.directory,
  notice: 'directory-off',
});
