import { Worker } from 'node:worker_threads';
import { Unavailable } from '@rollcall/core';
import type { Answer, Question } from './reader-thread.js';

/** While one thread runs a statement of one organization, the other is free for other organizations. */
const THREADS = 2;
/** The maximum number of waiting statements, of one organization and of all. */
const MAX_WAITING_OF_ONE = 32;
const MAX_WAITING = 512;
/** How long a thread may take to close its connections. */
const CLOSE_TIMEOUT_MS = 2_000;

export type AsideReader = ReturnType<typeof asideReader>;

export interface AsideRequest extends Omit<Extract<Question, { readonly kind: 'ask' }>, 'kind'> {
  /** The id of the organization. */
  readonly of: number;
}

interface Job {
  readonly request: AsideRequest;
  readonly resolve: (rows: readonly unknown[]) => void;
  readonly reject: (error: unknown) => void;
  readonly late: NodeJS.Timeout;
}

interface Thread {
  readonly worker: Worker;
  readonly snapshots: Set<number>;
  job: Job | null;
}

/**
 * Runs statements on one file in other threads, which start when they are first needed. A caller waits for one for at most
 * `timeoutMs`.
 */
export function asideReader({ path, timeoutMs }: { readonly path: string; readonly timeoutMs: number }) {
  const threads: Thread[] = [];
  const ended = new Set<number>();
  let waiting: Job[] = [];
  let lastSnapshot = 0;
  let isClosed = false;

  function start(): Thread {
    const worker = new Worker(new URL('./reader-thread.js', import.meta.url), {
      workerData: { path },
      execArgv: [],
    });
    const thread: Thread = { worker, snapshots: new Set(), job: null };
    worker.on('message', (answer: Answer) => {
      const { job } = thread;
      thread.job = null;
      worker.unref();
      if (job !== null) settle(job, answer);
      next();
    });
    worker.on('error', (error) => lose(thread, error));
    worker.on('exit', () => lose(thread, new Error('the thread has ended')));
    worker.unref();
    threads.push(thread);
    return thread;
  }

  /** The current caller of the thread gets an error. The next call starts another thread. */
  function lose(thread: Thread, cause: unknown): void {
    const at = threads.indexOf(thread);
    if (at < 0) return;
    threads.splice(at, 1);
    for (const snapshot of thread.snapshots) ended.add(snapshot);
    thread.job?.reject(new Unavailable('The database could not be read.', { cause }));
    next();
  }

  function next(): void {
    for (const job of waiting) {
      const thread = threadFor(job.request);
      if (thread === null) continue;
      waiting = waiting.filter((other) => other !== job);
      clearTimeout(job.late);
      run(thread, job);
    }
  }

  /** Null when the statement has to wait. */
  function threadFor({ of, snapshot }: AsideRequest): Thread | null {
    if (threads.some(({ job }) => job?.request.of === of)) return null;
    const own = snapshot === null ? undefined : threads.find(({ snapshots }) => snapshots.has(snapshot));
    if (own !== undefined) return own.job === null ? own : null;
    const free = threads.find(({ job }) => job === null);
    return free ?? (threads.length < THREADS ? start() : null);
  }

  function run(thread: Thread, job: Job): void {
    const { of: _, ...request } = job.request;
    if (request.snapshot !== null) thread.snapshots.add(request.snapshot);
    thread.job = job;
    // The process must not end while a caller waits.
    thread.worker.ref();
    thread.worker.postMessage({ kind: 'ask', ...request } satisfies Question);
  }

  return {
    /**
     * The rows of one read-only statement. Statements of one organization run one at a time, in the order of the calls.
     * Throws SQLite's own error. Throws `Unavailable` when too many statements wait, when no thread is free in time, and
     * when the thread fails; the next call then starts a new one.
     */
    ask<Row>(request: AsideRequest) {
      return new Promise<readonly Row[]>((resolve, reject) => {
        const { of, snapshot } = request;
        if (isClosed || (snapshot !== null && ended.has(snapshot)))
          throw new Unavailable('The snapshot was released.');
        const own = waiting.filter((job) => job.request.of === of);
        if (own.length >= MAX_WAITING_OF_ONE || waiting.length >= MAX_WAITING)
          throw new Unavailable('Too many requests wait for the database.');
        const onTimeout = (): void => {
          waiting = waiting.filter((other) => other !== job);
          reject(new Unavailable('The database is busy.'));
        };
        const job: Job = {
          ...{ request, reject, late: setTimeout(onTimeout, timeoutMs) },
          resolve: resolve as (rows: readonly unknown[]) => void,
        };
        waiting.push(job);
        next();
      });
    },
    /** The number of a new snapshot, for `ask`. The snapshot begins with its first statement, and ends with its thread. */
    newSnapshot(): number {
      lastSnapshot += 1;
      return lastSnapshot;
    },
    endSnapshot(snapshot: number): void {
      ended.delete(snapshot);
      const thread = threads.find(({ snapshots }) => snapshots.delete(snapshot));
      thread?.worker.postMessage({ kind: 'end', snapshot } satisfies Question);
    },
    async close(): Promise<void> {
      isClosed = true;
      for (const { late, reject } of waiting) {
        clearTimeout(late);
        reject(new Unavailable('The database is closed.'));
      }
      waiting = [];
      await Promise.all(threads.map(({ worker }) => closed(worker)));
    },
  };
}

function settle({ resolve, reject }: Job, answer: Answer): void {
  if ('rows' in answer) resolve(answer.rows);
  else reject(Object.assign(new Error(answer.error.message), { code: answer.error.code }));
}

/** Resolves when the thread has ended. Its current statement runs to the end, unless it takes too long. */
async function closed(worker: Worker): Promise<void> {
  const exited = new Promise<void>((resolve) => void worker.once('exit', () => resolve()));
  worker.ref();
  worker.postMessage({ kind: 'close' } satisfies Question);
  const late = setTimeout(() => void worker.terminate(), CLOSE_TIMEOUT_MS);
  await exited;
  clearTimeout(late);
}
