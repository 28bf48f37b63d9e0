import { Worker } from 'node:worker_threads';
import { Unavailable } from '@rollcall/core';
import { DatasetError, KeyTaken } from '@rollcall/sql/maintenance';
import { DatasetErrors } from './dataset-errors.js';
import type { FromImportThread, ImportRequest, ImportThreadData, ToImportThread } from './import-messages.js';
import type { CompletedImport } from './run-import.js';

/** Imports at the same time. On SQLite they read at the same time, and store one after another. */
const MAX_THREADS = 3;
const BUSY_RETRY_SECONDS = 5;
/** Pieces of the source that the thread has not read yet. */
const MAX_PIECES_AHEAD = 16;
/** How long a thread may take to close its database. */
const CLOSE_TIMEOUT_MS = 2_000;

export interface RunInThread {
  readonly request: ImportRequest;
  readonly source: AsyncIterable<Uint8Array>;
  /** Called after the last byte. Another import with the same key and another fingerprint is another request. */
  readonly fingerprint: () => string;
  /** When it is aborted, the import is not stored, unless it is being stored already. */
  readonly signal: AbortSignal;
}

/** Threads that run imports. */
export interface ImportThreads {
  /** Starts a thread, so that the first import need not wait for it. */
  start(): void;
  /**
   * Runs an import as `runImport` does. Rejects with what `runImport` throws, with `Unavailable` when too many imports
   * are running, and with the error of the source.
   */
  run(job: RunInThread): Promise<CompletedImport>;
  stop(): Promise<void>;
}

interface Thread {
  readonly worker: Worker;
  job: Job | null;
}

/** An import that a thread runs. */
interface Job {
  settle(outcome: Outcome): void;
  taken(): void;
}

type Outcome = { readonly result: CompletedImport } | { readonly error: unknown };

export function createImportThreads(data: ImportThreadData): ImportThreads {
  const threads: Thread[] = [];

  function start(): Thread {
    const worker = new Worker(new URL('./import-thread.js', import.meta.url), {
      workerData: data,
      execArgv: [],
    });
    const thread: Thread = { worker, job: null };
    worker.on('message', (message: FromImportThread) => {
      if (message.kind === 'taken') thread.job?.taken();
      else thread.job?.settle(outcomeOf(message));
    });
    worker.on('error', (cause) => lose(thread, cause));
    worker.on('exit', () => lose(thread, new Error('the thread has ended')));
    worker.unref();
    threads.push(thread);
    return thread;
  }

  function lose(thread: Thread, cause: unknown): void {
    const at = threads.indexOf(thread);
    if (at >= 0) threads.splice(at, 1);
    thread.job?.settle({ error: new Unavailable('The import was interrupted.', { cause }) });
  }

  function freeThread(): Thread {
    const free = threads.find(({ job }) => job === null);
    if (free !== undefined) return free;
    if (threads.length < MAX_THREADS) return start();
    throw new Unavailable('Too many imports are running.', { retryAfter: BUSY_RETRY_SECONDS });
  }

  return {
    start: () => void (threads.length === 0 && start()),
    async run(job) {
      const thread = freeThread();
      thread.worker.ref();
      try {
        return await runOn(thread, job);
      } finally {
        thread.job = null;
        thread.worker.unref();
      }
    },
    async stop() {
      await Promise.all(threads.map(({ worker }) => closed(worker)));
    },
  };
}

async function runOn(
  thread: Thread,
  { request, source, fingerprint, signal }: RunInThread,
): Promise<CompletedImport> {
  const post = (message: ToImportThread, moved: readonly ArrayBuffer[] = []): void =>
    thread.worker.postMessage(message, moved);
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const giveUp = (): void => void Atomics.store(stop, 0, 1);
  let isSettled = false;
  let ahead = 0;
  let wake: () => void = () => undefined;
  const settled = new Promise<Outcome>((resolve) => {
    thread.job = {
      settle(outcome) {
        isSettled = true;
        resolve(outcome);
        wake();
      },
      taken() {
        ahead -= 1;
        wake();
      },
    };
  });
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  post({ kind: 'begin', request, stop });
  try {
    for await (const piece of source) {
      if (isSettled) break;
      ahead += 1;
      // The copy moves. If it stayed, a garbage collection would stop this thread every ten megabytes.
      const bytes = new Uint8Array(piece);
      post({ kind: 'bytes', bytes }, [bytes.buffer]);
      while (ahead >= MAX_PIECES_AHEAD && !isSettled)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    post({ kind: 'end', fingerprint: fingerprint() });
  } catch (error) {
    giveUp();
    post({ kind: 'cut-off' });
    await settled;
    throw error;
  }
  const outcome = await settled;
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}

function outcomeOf(message: Exclude<FromImportThread, { readonly kind: 'taken' }>): Outcome {
  switch (message.kind) {
    case 'completed':
      return { result: message.result };
    case 'refused': {
      const errors = message.errors.map((error) => new DatasetError(error, error.message));
      const [first = new DatasetError({ line: null, field: null }, 'is not valid')] = errors;
      return { error: new DatasetErrors(first, { reported: errors, further: message.further }) };
    }
    case 'key-taken':
      return { error: new KeyTaken() };
    case 'unavailable':
      return { error: new Unavailable(message.message, message) };
    case 'failed':
      return { error: Object.assign(new Error(message.message), { stack: message.stack }) };
  }
}

/** Resolves when the thread has ended. */
async function closed(worker: Worker): Promise<void> {
  const exited = new Promise<void>((resolve) => void worker.once('exit', () => resolve()));
  worker.ref();
  worker.postMessage({ kind: 'close' } satisfies ToImportThread);
  const late = setTimeout(() => void worker.terminate(), CLOSE_TIMEOUT_MS);
  await exited;
  clearTimeout(late);
}
