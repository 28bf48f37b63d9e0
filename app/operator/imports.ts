import type { Database } from '@rollcall/sql';
import {
  type FirstDeliveries,
  type KeptAnswer,
  keptAnswer,
  type LoggedImport,
  lastImport,
} from '@rollcall/sql/maintenance';
import { locationLiterals } from '../config/locations.js';
import type { Config } from '../config.js';
import type { ImportThreadData } from '../dataset/import-messages.js';
import { createImportThreads, type ImportThreads } from '../dataset/import-threads.js';
import { schemaOf } from '../open-configured-database.js';

/** Imports into the storage of the service, and their log. */
export interface Imports extends ImportThreads {
  /** The answer that is kept for a key since this time. Null when there is none. */
  kept(request: { readonly key: string; readonly since: Date }): Promise<KeptAnswer | null>;
  /** The import that was logged last. Null when there was none. */
  last(): Promise<LoggedImport | null>;
  /** Tells the dispatcher of this process where an import has added deliveries. */
  noteDeliveries(first: FirstDeliveries): void;
}

export function sqlImports({
  database,
  config,
  hints,
}: {
  readonly database: Database;
  readonly config: Config;
  readonly hints: { add(organizationId: number, deliveryId: number): void };
}): Imports {
  return {
    ...createImportThreads(threadData(config)),
    kept: (request) => keptAnswer(database, request),
    last: () => lastImport(database),
    noteDeliveries(first) {
      for (const [organizationId, deliveryId] of first) hints.add(organizationId, deliveryId);
    },
  };
}

function threadData(config: Config): ImportThreadData {
  const { database, secretKey, previousSecretKeys } = config;
  return {
    databaseUrl: database.engine === 'sqlite' ? `sqlite:${database.file}` : database.connection.reveal(),
    databaseOptions: schemaOf(database),
    secretKey: secretKey.reveal(),
    previousSecretKeys: previousSecretKeys.map((key) => key.reveal()),
    locations: locationLiterals(config),
  };
}
