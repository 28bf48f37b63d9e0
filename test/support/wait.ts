import { setTimeout as pause } from 'node:timers/promises';

/** Other programs may have the processors. */
const MAX_MS = 60_000;

/**
 * Waits up to a minute until the check passes, which fails by an exception or by returning false. Fails with what the
 * check has thrown, or else with `problem`.
 */
export async function eventually(
  check: () => Promise<unknown> | unknown,
  problem = 'the condition was not met in time',
): Promise<void> {
  const end = performance.now() + MAX_MS;
  for (;;) {
    const isLate = performance.now() > end;
    try {
      if ((await check()) !== false) return;
      if (isLate) throw new Error(problem);
    } catch (error) {
      if (isLate) throw error;
    }
    await pause(20);
  }
}

/** Checks the condition every 20 ms until it is true. Returns false after the timeout. */
export async function until(isTrue: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  while (performance.now() < end) {
    if (await isTrue()) return true;
    await pause(20);
  }
  return isTrue();
}

/** Resolves with the promise's value, or with 'too late' after the timeout. */
export async function within<Value>(promise: Promise<Value>, timeoutMs: number): Promise<Value | 'too late'> {
  const settled = new AbortController();
  const late = pause(timeoutMs, 'too late' as const, { signal: settled.signal }).catch(
    () => 'too late' as const,
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    settled.abort();
  }
}

/** Holds its callers until it is released, and counts them. */
export function gate() {
  let waiting = 0;
  let release = (): void => undefined;
  const opened = new Promise<null>((resolve) => {
    release = () => resolve(null);
  });
  return {
    pass: (): Promise<null> => {
      waiting += 1;
      return opened;
    },
    release: () => release(),
    reached: (count: number): Promise<void> =>
      eventually(() => {
        if (waiting < count) throw new Error(`${waiting} of ${count} callers are waiting`);
      }),
  };
}
