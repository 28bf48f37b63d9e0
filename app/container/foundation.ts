import type { Logger } from '@rollcall/node';
import type { Database } from '@rollcall/sql';
import type { Config } from '../config.js';
import { type Bindings, provideValue } from './bindings.js';

/** The values that must exist before anything else is created. */
export interface Foundation {
  readonly config: Config;
  readonly log: Logger;
  /** Left out if an override replaces the storage. */
  readonly database?: Database;
}

export function foundationModule({ config, log, database }: Foundation): Bindings {
  return {
    config: provideValue(config),
    log: provideValue(log),
    ...(database !== undefined && { database: provideValue(database) }),
  };
}
