import { Readable } from 'node:stream';
import { parentPort, workerData } from 'node:worker_threads';
import { Unavailable } from '@rollcall/core';
import { createKeyring, keyedSecrets, randomIds } from '@rollcall/node';
import { openDatabase, sqlPorts } from '@rollcall/sql';
import { DatasetError, KeyTaken } from '@rollcall/sql/maintenance';
import { DatasetErrors } from './dataset-errors.js';
import type { DatasetRules } from './dataset-rules.js';
import {
  type FromImportThread,
  type ImportRequest,
  type ImportThreadData,
  importAnswer,
  type ToImportThread,
} from './import-messages.js';
import { runImport } from './run-import.js';
import { lowerThreadPriority } from './thread-priority.js';

// Runs imports in a thread of their own: checking and storing many records would hold up every request of the service.

const port = parentPort;
if (port === null) throw new Error('this is run as a thread');
const { databaseUrl, databaseOptions, secretKey, previousSecretKeys, locations } =
  workerData as ImportThreadData;
const secrets = keyedSecrets(createKeyring({ secretKey, previousSecretKeys }));
let opening: ReturnType<typeof openDatabase> | null = null;
/** Requests go first. */
const lowered = lowerThreadPriority();

/** The import was given up by its caller. */
class GivenUp extends Error {}

/** The current import, as far as its caller sends it. */
interface Inlet {
  /** The bytes, in the pieces in which they come. */
  readonly pieces: Readable;
  readonly end: (fingerprint: string) => void;
  readonly cutOff: (error: GivenUp) => void;
}

let inlet: Inlet | null = null;

function answer(message: FromImportThread): void {
  port?.postMessage(message);
}

function database(): ReturnType<typeof openDatabase> {
  opening ??= openDatabase(databaseUrl, { ...databaseOptions, serves: false }).catch((error: unknown) => {
    opening = null;
    throw error;
  });
  return opening;
}

async function run(request: ImportRequest, stop: Int32Array<SharedArrayBuffer>): Promise<FromImportThread> {
  const pieces = new Readable({ objectMode: true, read() {} });
  // The reader may need less than all, such as of gzip data with padding. The caller goes on until the end.
  pieces.on('close', () => {
    for (let unread = pieces.readableLength; unread > 0; unread -= 1) answer({ kind: 'taken' });
  });
  const fingerprint = new Promise<string>((end, cutOff) => {
    inlet = { pieces, end, cutOff };
  });
  // Those who read get the error, even if it comes before the reading.
  pieces.on('error', () => undefined);
  fingerprint.catch(() => undefined);
  await lowered;
  const opened = await database();
  const rules: DatasetRules = {
    locations,
    accessKeyHashes: secrets.accessKeyHashes,
    organizationOf: sqlPorts(opened).organizations.byAccessKeyHash,
  };
  const { at, from, isDryRun, idempotencyKey: key, forgottenBefore } = request;
  const result = await runImport({
    ...{ database: opened, source: taken(pieces), rules, ids: randomIds, at, isDryRun },
    origin: { source: 'operator', from },
    onStep() {
      if (Atomics.load(stop, 0) === 1) throw new GivenUp('the client has left');
    },
    async keepAnswer(result) {
      if (key === null) return null;
      const kept = JSON.stringify(importAnswer(result, isDryRun));
      return { key, fingerprint: await fingerprint, answer: kept, forgottenBefore };
    },
  });
  return { kind: 'completed', result };
}

/** Tells the caller of each piece that is read. */
async function* taken(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    answer({ kind: 'taken' });
    yield piece;
  }
}

function failureOf(error: unknown): FromImportThread {
  if (error instanceof DatasetErrors)
    return { kind: 'refused', errors: error.reported.map(reported), further: error.further };
  if (error instanceof DatasetError) return { kind: 'refused', errors: [reported(error)], further: 0 };
  if (error instanceof KeyTaken) return { kind: 'key-taken' };
  if (error instanceof Unavailable)
    return {
      ...{ kind: 'unavailable', message: error.message },
      ...{ retryAfter: error.retryAfter, isOutcomeUnknown: error.isOutcomeUnknown },
    };
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  return { kind: 'failed', message, stack };
}

function reported({ line, field, message }: DatasetError) {
  return { line, field, message };
}

port.on('message', (message: ToImportThread) => {
  switch (message.kind) {
    case 'begin':
      void run(message.request, message.stop).catch(failureOf).then(answer);
      break;
    case 'bytes':
      if (inlet?.pieces.destroyed) answer({ kind: 'taken' });
      else inlet?.pieces.push(message.bytes);
      break;
    case 'end':
      inlet?.end(message.fingerprint);
      inlet?.pieces.push(null);
      break;
    case 'cut-off': {
      const error = new GivenUp('the bytes were cut off');
      inlet?.cutOff(error);
      inlet?.pieces.destroy(error);
      break;
    }
    case 'close':
      void close();
  }
});

async function close(): Promise<void> {
  port?.close();
  await opening?.then((opened) => opened.close());
}
