import { Worker } from 'node:worker_threads';
import type { Coverage, MeasuredTest, Verdict } from './trial.js';

export type Job =
  | { readonly kind: 'measure'; readonly file: string }
  | { readonly kind: 'try'; readonly mutant: number; readonly tests: readonly MeasuredTest[] };

/** Threads that run tests of a bundle. A thread in which a mutant runs for ever is replaced. */
export interface Pool {
  /** Runs each test of the file without a mutant. Rejects with the error of a test that fails. */
  measure(file: string): Promise<readonly Coverage[]>;
  /** Runs the tests with the mutant until one fails. `choose` returns the tests when a thread is free. */
  verdictOn(mutant: number, choose: () => readonly MeasuredTest[]): Promise<Verdict>;
  close(): Promise<void>;
}

/** Beyond the usual time of the tests. The thread itself notices most mutants that run for ever, and much earlier. */
const MAX_EXTRA_MS = 30_000;
const MAX_MEASURE_MS = 10 * 60_000;

export function createPool({ bundle, threads }: { readonly bundle: string; readonly threads: number }): Pool {
  const idle = Array.from({ length: threads }, () => createThread(bundle));
  const all = [...idle];
  const waiting: (() => void)[] = [];

  const withThread = async <Result>(work: (thread: Thread) => Promise<Result>): Promise<Result> => {
    while (idle.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    const thread = idle.pop() as Thread;
    try {
      return await work(thread);
    } finally {
      idle.push(thread);
      waiting.shift()?.();
    }
  };

  return {
    measure(file) {
      return withThread(async ({ ask }) => {
        const answer = await ask({ kind: 'measure', file }, MAX_MEASURE_MS);
        if ('result' in answer) return answer.result as readonly Coverage[];
        throw new Error(`The tests fail without a mutant.`, { cause: answer.error });
      });
    },
    verdictOn(mutant, choose) {
      return withThread(async ({ ask }) => {
        const tests = choose();
        const usual = tests.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
        const answer = await ask({ kind: 'try', mutant, tests }, MAX_EXTRA_MS + 10 * usual);
        if ('result' in answer) return answer.result as Verdict;
        return { outcome: answer.isLate ? 'timed out' : 'killed', by: -1 };
      });
    },
    async close() {
      await Promise.all(all.map((thread) => thread.stop()));
    },
  };
}

type Answer = { readonly result: unknown } | { readonly error: unknown; readonly isLate: boolean };

interface Thread {
  /** Gives the thread a job. A thread that crashes or is late is stopped, and the next job gets a new one. */
  ask(job: Job, maxMs: number): Promise<Answer>;
  stop(): Promise<void>;
}

function createThread(bundle: string): Thread {
  let worker: Worker | null = null;
  const stop = async (): Promise<void> => {
    const stopped = worker;
    worker = null;
    await stopped?.terminate();
  };
  return {
    stop,
    async ask(job, maxMs) {
      worker ??= new Worker(new URL('worker.js', import.meta.url), { workerData: { bundle } });
      const answer = await answerOf(worker, job, maxMs);
      if ('isLate' in answer) await stop();
      return answer;
    },
  };
}

function answerOf(worker: Worker, job: Job, maxMs: number): Promise<Answer> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish({ error: new Error('The thread is late.'), isLate: true }), maxMs);
    const onError = (error: unknown): void => finish({ error, isLate: false });
    const onMessage = (message: Answer): void => {
      finish('result' in message ? message : { error: message.error, isLate: false });
    };
    const finish = (answer: Answer): void => {
      clearTimeout(timer);
      worker.off('message', onMessage);
      worker.off('error', onError);
      resolve(answer);
    };
    worker.on('message', onMessage);
    worker.on('error', onError);
    worker.postMessage(job);
  });
}
