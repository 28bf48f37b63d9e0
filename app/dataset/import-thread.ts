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

/** The bytes of the current import. */
interface Inlet {
  put(bytes: Uint8Array): void;
  end(fingerprint: string): void;
  cutOff(): void;
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
  const { source, fingerprint } = open();
  await lowered;
  const opened = await database();
  const rules: DatasetRules = {
    locations,
    accessKeyHashes: secrets.accessKeyHashes,
    organizationOf: sqlPorts(opened).organizations.byAccessKeyHash,
  };
  const { at, from, isDryRun, idempotencyKey: key, forgottenBefore } = request;
  const result = await runImport({
    ...{ database: opened, source, rules, ids: randomIds, at, isDryRun },
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

/** Creates the inlet of an import, and what comes out of it. */
function open(): { readonly source: AsyncIterable<Uint8Array>; readonly fingerprint: Promise<string> } {
  const waiting: Uint8Array[] = [];
  let state: 'open' | 'ended' | 'cut-off' = 'open';
  let wake: () => void = () => undefined;
  let tellFingerprint: (fingerprint: string) => void = () => undefined;
  const fingerprint = new Promise<string>((resolve) => {
    tellFingerprint = resolve;
  });
  inlet = {
    put(bytes) {
      waiting.push(bytes);
      wake();
    },
    end(text) {
      tellFingerprint(text);
      state = 'ended';
      wake();
    },
    cutOff() {
      state = 'cut-off';
      wake();
    },
  };
  async function* source(): AsyncGenerator<Uint8Array> {
    for (;;) {
      if (state === 'cut-off') throw new GivenUp('the bytes were cut off');
      const bytes = waiting.shift();
      if (bytes !== undefined) {
        answer({ kind: 'taken' });
        yield bytes;
      } else if (state === 'ended') return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  return { source: source(), fingerprint };
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
      inlet?.put(message.bytes);
      break;
    case 'end':
      inlet?.end(message.fingerprint);
      break;
    case 'cut-off':
      inlet?.cutOff();
      break;
    case 'close':
      void close();
  }
});

async function close(): Promise<void> {
  port?.close();
  await opening?.then((opened) => opened.close());
}
