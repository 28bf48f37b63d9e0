import { Worker } from 'node:worker_threads';
import { Unavailable } from '@rollcall/core';
import type { Answer, Question } from './reader-thread.js';

/** While a statement of one organization runs in one of them, the other is free for other organizations. */
const THREADS = 2;
/** Statements that may wait, of one organization and of all. */
const MAX_WAITING_OF_ONE = 32;
const MAX_WAITING = 512;
/** How long a thread may take to close its connections. */
const CLOSE_TIMEOUT_MS = 2_000;

export interface AsideReader {
  /**
   * The rows of one statement that only reads. Of one organization one runs at a time, and those that wait have their
   * turn in the order in which they came. Throws SQLite's own error, or `Unavailable`: when too many wait, when none
   * of the threads is free in time, and once when the thread itself fails, after which there is a new one.
   */
  ask<Row>(asked: Asked): Promise<readonly Row[]>;
  /** A number of a new snapshot, for `ask`: it is that of the first statement. It ends with its thread. */
  newSnapshot(): number;
  endSnapshot(snapshot: number): void;
  close(): Promise<void>;
}

export interface Asked extends Omit<Extract<Question, { readonly kind: 'ask' }>, 'kind'> {
  /** The organization that asks. */
  readonly of: number;
}

interface Job {
  readonly asked: Asked;
  readonly resolve: (rows: readonly unknown[]) => void;
  readonly reject: (error: unknown) => void;
  readonly late: NodeJS.Timeout;
}

interface Thread {
  readonly worker: Worker;
  readonly snapshots: Set<number>;
  job: Job | null;
}

interface AsideOptions {
  readonly path: string;
  /** Milliseconds to wait for a thread. */
  readonly timeoutMs: number;
}

/** Statements over one file in threads of their own, which are started when they are first needed. */
export function asideReader({ path, timeoutMs }: AsideOptions): AsideReader {
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

  /** The callers it served get an error once; the next caller starts another thread. */
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
      const thread = threadFor(job.asked);
      if (thread === null) continue;
      waiting = waiting.filter((other) => other !== job);
      clearTimeout(job.late);
      run(thread, job);
    }
  }

  /** Null: it has to wait. */
  function threadFor({ of, snapshot }: Asked): Thread | null {
    if (threads.some(({ job }) => job?.asked.of === of)) return null;
    const own = snapshot === null ? undefined : threads.find(({ snapshots }) => snapshots.has(snapshot));
    if (own !== undefined) return own.job === null ? own : null;
    const free = threads.find(({ job }) => job === null);
    return free ?? (threads.length < THREADS ? start() : null);
  }

  function run(thread: Thread, job: Job): void {
    const { of: _, ...asked } = job.asked;
    if (asked.snapshot !== null) thread.snapshots.add(asked.snapshot);
    thread.job = job;
    // A caller waits: the process must not end meanwhile.
    thread.worker.ref();
    thread.worker.postMessage({ kind: 'ask', ...asked } satisfies Question);
  }

  return {
    ask<Row>(asked: Asked) {
      return new Promise<readonly Row[]>((resolve, reject) => {
        const { of, snapshot } = asked;
        if (isClosed || (snapshot !== null && ended.has(snapshot)))
          throw new Unavailable('The snapshot was released.');
        const own = waiting.filter((job) => job.asked.of === of);
        if (own.length >= MAX_WAITING_OF_ONE || waiting.length >= MAX_WAITING)
          throw new Unavailable('Too many requests wait for the database.');
        const giveUp = (): void => {
          waiting = waiting.filter((other) => other !== job);
          reject(new Unavailable('The database is busy.'));
        };
        const job: Job = {
          ...{ asked, reject, late: setTimeout(giveUp, timeoutMs) },
          resolve: resolve as (rows: readonly unknown[]) => void,
        };
        waiting.push(job);
        next();
      });
    },
    newSnapshot() {
      lastSnapshot += 1;
      return lastSnapshot;
    },
    endSnapshot(snapshot) {
      ended.delete(snapshot);
      const thread = threads.find(({ snapshots }) => snapshots.delete(snapshot));
      thread?.worker.postMessage({ kind: 'end', snapshot } satisfies Question);
    },
    async close() {
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

/** Ends when the thread has: what it runs, runs to its end. */
async function closed(worker: Worker): Promise<void> {
  const exited = new Promise<void>((resolve) => void worker.once('exit', () => resolve()));
  worker.ref();
  worker.postMessage({ kind: 'close' } satisfies Question);
  const late = setTimeout(() => void worker.terminate(), CLOSE_TIMEOUT_MS);
  await exited;
  clearTimeout(late);
}
