import type { Core, CoreOptions, Ports } from '@rollcall/core';
import type { CorrectedClock, Keyring } from '@rollcall/node';
import type { Database } from '@rollcall/sql';
import type { Container } from 'inversify';
import { coreContainer, type Foundation } from './assembly/core-container.js';
import { ID } from './assembly/identifiers.js';
import type { Config } from './config.js';
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
  return commandContextOf(coreContainer(foundation));
}

export function commandContextOf(container: Container): CommandContext {
  return {
    config: container.get(ID.config),
    coreOptions: container.get(ID.coreOptions),
    database: container.get(ID.database),
    ports: container.get(ID.ports),
    core: container.get(ID.core),
    clock: container.get(ID.clock),
    keyring: container.get(ID.keyring),
    secretKeyStore: container.get(ID.secretKeyStore),
  };
}
