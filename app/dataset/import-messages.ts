import type { Unavailable } from '@rollcall/core';
import type { DatabaseOptions } from '@rollcall/sql';
import type { DatasetError } from '@rollcall/sql/maintenance';
import type { CompletedImport, ImportResult } from './run-import.js';

/** What the thread needs to open the database and to check records. */
export interface ImportThreadData {
  /** As `openDatabase` takes it. */
  readonly databaseUrl: string;
  readonly databaseOptions: Pick<DatabaseOptions, 'schema'>;
  readonly secretKey: string;
  readonly previousSecretKeys: readonly string[];
  readonly locations: readonly [own: string, thirdParty: string];
}

/** An import to run. */
export interface ImportRequest {
  /** When the import begins, and when its registrations happen. */
  readonly at: Date;
  /** The address that the records come from. */
  readonly from: string | null;
  readonly isDryRun: boolean;
  /** The `Idempotency-Key`; null without one. */
  readonly idempotencyKey: string | null;
  /** Keys of imports that ended before can be used again. */
  readonly forgottenBefore: Date;
}

/** A message to the thread, which runs one import at a time. */
export type ToImportThread =
  /** `stop` becomes 1 when the import must not be stored any more. */
  | { readonly kind: 'begin'; readonly request: ImportRequest; readonly stop: Int32Array<SharedArrayBuffer> }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** All bytes have been sent. Another import with the same key and another fingerprint is another request. */
  | { readonly kind: 'end'; readonly fingerprint: string }
  /** The rest of the bytes will not come. */
  | { readonly kind: 'cut-off' }
  | { readonly kind: 'close' };

/** A wrong record, or the whole dataset without a line. */
export type ReportedError = Pick<DatasetError, 'line' | 'field' | 'message'>;

/** A message from the thread. */
export type FromImportThread =
  /** The bytes of one message have been read. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'completed'; readonly result: CompletedImport }
  | { readonly kind: 'refused'; readonly errors: readonly ReportedError[]; readonly further: number }
  | { readonly kind: 'key-taken' }
  | ({ readonly kind: 'unavailable'; readonly message: string } & Pick<
      Unavailable,
      'retryAfter' | 'isOutcomeUnknown'
    >)
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string };

/** The answer to an import, which is kept for its key. */
export function importAnswer({ records, counts, registered, warnings }: ImportResult, isDryRun: boolean) {
  return { dry_run: isDryRun, records, counts, registered, warnings: [...warnings] };
}
