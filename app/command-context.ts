import type { Core, CoreOptions, Ports } from '@rollcall/core';
import type { CorrectedClock, Keyring } from '@rollcall/node';
import type { Database } from '@rollcall/sql';
import type { Config } from './config.js';
import { baseModules } from './container/base-modules.js';
import { type Foundation, foundationModule } from './container/foundation.js';
import { createContainer } from './container.js';
import type { SecretKeyStore } from './secret-key-store.js';

/** Everything that a command can use. */
export interface CommandContext {
  readonly config: Config;
  readonly coreOptions: CoreOptions;
  readonly database: Database;
  readonly ports: Ports;
  readonly core: Core;
  readonly clock: CorrectedClock;
  readonly keyring: Keyring;
  readonly secretKeyStore: SecretKeyStore;
}

/** Creates the core with its adapters. Loads no module that serves HTTP. */
export function createCommandContext(foundation: Required<Foundation>): CommandContext {
  return createContainer([foundationModule(foundation), ...baseModules]).get('commandContext');
}
