import type { operatorComponents } from '@rollcall/contracts';
import type { PersonKey } from '@rollcall/core';

type Schemas = operatorComponents['schemas'];

/** What the operator's API needs beside the core. */
export interface Operations {
  /**
   * Imports records, all or nothing. Rejects with `RecordsRefused`, with `Unavailable`, with the error of the source, and
   * with a `Refusal` for a wrong or reused key.
   */
  importRecords(request: ImportRecords): Promise<Schemas['ImportAnswer']>;
  /** Rejects with a `Refusal` if nothing is stored about the person. */
  personalData(person: PersonKey): Promise<Schemas['UserDataAnswer']>;
  status(): Promise<Schemas['StatusAnswer']>;
}

export interface ImportRecords {
  /** NDJSON, plain or gzip. It need not be read to its end. */
  readonly source: AsyncIterable<Uint8Array>;
  /** Checks and counts everything, and stores nothing. */
  readonly isDryRun: boolean;
  /** As received. Null: none. */
  readonly idempotencyKey: string | null;
  /** The address of the client. */
  readonly from: string | null;
  /** Aborted when the client has left: what is not being stored yet need not be stored. */
  readonly signal: AbortSignal;
}
