import { setTimeout as pause } from 'node:timers/promises';

/** Calls that are repeated, all at the same time, until they are ended. */
export interface SteadyCalls {
  /** What the failed calls have thrown, with their names. A call that has failed is not repeated. */
  readonly problems: readonly string[];
  /** Resolves when each call was made and answered once from now on. Rejects when one has failed. */
  eachAnswered(): Promise<void>;
  end(): Promise<void>;
}

const PAUSE_MS = 50;
const MAX_WAIT_MS = 30_000;

export function startSteadyCalls(calls: Readonly<Record<string, () => Promise<unknown>>>): SteadyCalls {
  const problems: string[] = [];
  const answered = new Map(Object.keys(calls).map((name) => [name, 0]));
  let isEnded = false;
  const repeat = async (name: string, call: () => Promise<unknown>): Promise<void> => {
    while (!isEnded) {
      await call();
      answered.set(name, (answered.get(name) ?? 0) + 1);
      await pause(PAUSE_MS);
    }
  };
  const repeating = Promise.all(
    Object.entries(calls).map(([name, call]) =>
      repeat(name, call).catch((error: unknown) => {
        problems.push(`${name}: ${error}`);
      }),
    ),
  );
  return {
    problems,
    async eachAnswered() {
      const before = new Map(answered);
      // The next answer may be that of a call which has been under way since before.
      const isAnswered = (name: string) => (answered.get(name) ?? 0) >= (before.get(name) ?? 0) + 2;
      await until(async () => problems.length > 0 || [...answered.keys()].every(isAnswered));
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
    async end() {
      isEnded = true;
      await repeating;
    },
  };
}

/** Waits until the condition is met, for at most 30 s. */
export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + MAX_WAIT_MS;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error('the condition was not met in time');
    await pause(PAUSE_MS);
  }
}
