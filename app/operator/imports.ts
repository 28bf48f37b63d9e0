import type { Database } from '@rollcall/sql';
import {
  type FirstDeliveries,
  type KeptAnswer,
  keptAnswer,
  type LoggedImport,
  lastImport,
} from '@rollcall/sql/maintenance';
import type { ImportThreadData } from '../dataset/import-messages.js';
import { createImportThreads, type ImportThreads } from '../dataset/import-threads.js';

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
  thread,
  hints,
}: {
  readonly database: Database;
  readonly thread: ImportThreadData;
  readonly hints: { add(organizationId: number, deliveryId: number): void };
}): Imports {
  return {
    ...createImportThreads(thread),
    kept: (request) => keptAnswer(database, request),
    last: () => lastImport(database),
    noteDeliveries(first) {
      for (const [organizationId, deliveryId] of first) hints.add(organizationId, deliveryId);
    },
  };
}
