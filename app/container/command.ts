import { type Bindings, provide } from './bindings.js';

export const commandModule = {
  commandContext: provide(
    ['config', 'coreOptions', 'database', 'ports', 'core', 'clock', 'keyring', 'secretKeyStore'],
    (context) => context,
  ),
} satisfies Bindings;
