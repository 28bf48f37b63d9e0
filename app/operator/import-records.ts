import { createHash } from 'node:crypto';
import { type Clock, type Dispatcher, Refusal } from '@rollcall/core';
import { answerLifetimeMs, idempotencyKeyProblem } from '@rollcall/core/rules';
import { type ImportRecords, type Operations, RecordsRefused } from '@rollcall/express';
import { DatasetError, type KeptAnswer, KeyTaken } from '@rollcall/sql/maintenance';
import { DatasetErrors } from '../dataset/dataset-errors.js';
import { importAnswer } from '../dataset/import-messages.js';
import type { RunInThread } from '../dataset/import-threads.js';
import type { Imports } from './imports.js';

interface ImportRecordsDeps {
  readonly imports: Imports;
  readonly clock: Pick<Clock, 'now'>;
  readonly dispatcher: Dispatcher;
}

type Answer = Awaited<ReturnType<Operations['importRecords']>>;

/**
 * Imports records, all or nothing. The answer is stored in the transaction of the import, so the same key and bytes get
 * the same answer, even after a crash. A dry run keeps no answer.
 */
export async function importRecords(
  { imports, clock, dispatcher }: ImportRecordsDeps,
  { source, isDryRun, idempotencyKey, from, signal }: ImportRecords,
): Promise<Answer> {
  const problem = idempotencyKey === null ? null : idempotencyKeyProblem(idempotencyKey);
  if (problem !== null) throw new Refusal('invalid-request', [problem]);
  const at = clock.now();
  const forgottenBefore = new Date(at.getTime() - answerLifetimeMs);
  const key = isDryRun ? null : idempotencyKey;
  const kept = key === null ? null : await imports.kept({ key, since: forgottenBefore });
  const bytes = fingerprinted(source);
  if (kept !== null) {
    for await (const _ of bytes.source);
    return repeated(kept, bytes.fingerprint());
  }

  const request = { at, from, isDryRun, idempotencyKey: key, forgottenBefore };
  try {
    const result = await imports.run({ request, ...bytes, signal });
    if (result.firstDeliveries.size > 0) {
      imports.noteDeliveries(result.firstDeliveries);
      dispatcher.wake();
    }
    return importAnswer(result, isDryRun);
  } catch (error) {
    if (error instanceof DatasetErrors) throw new RecordsRefused(error.reported, error.further);
    if (error instanceof DatasetError) throw new RecordsRefused([error], 0);
    // The same request has been sent twice at once, and the other one was stored first.
    const first =
      error instanceof KeyTaken && key !== null ? await imports.kept({ key, since: forgottenBefore }) : null;
    if (first === null) throw error;
    return repeated(first, bytes.fingerprint());
  }
}

/** Passes the bytes on. After the last one, `fingerprint` differs for other bytes. */
function fingerprinted(from: AsyncIterable<Uint8Array>): Pick<RunInThread, 'source' | 'fingerprint'> {
  const hash = createHash('sha256');
  let fingerprint: string | null = null;
  async function* source(): AsyncGenerator<Uint8Array> {
    for await (const piece of from) {
      hash.update(piece);
      yield piece;
    }
  }
  return {
    source: source(),
    fingerprint() {
      fingerprint ??= hash.digest('base64url');
      return fingerprint;
    },
  };
}

/** The kept answer, if it belongs to the same bytes. */
function repeated({ fingerprint, answer }: KeptAnswer, received: string): Answer {
  if (fingerprint !== received)
    throw new Refusal('idempotency-key-reused', 'This Idempotency-Key was used for another request');
  return JSON.parse(answer) as Answer;
}
