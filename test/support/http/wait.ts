import { setTimeout as pause } from 'node:timers/promises';

/** Waits up to a minute until the check passes: other programs may have the processors. */
export async function eventually(check: () => void): Promise<void> {
  for (let tries = 0; tries < 3000; tries += 1) {
    try {
      return check();
    } catch {
      await pause(20);
    }
  }
  check();
}

/** Holds its callers until it is released, and counts them. */
interface Gate {
  readonly pass: () => Promise<null>;
  readonly release: () => void;
  readonly reached: (count: number) => Promise<void>;
}

export function gate(): Gate {
  let waiting = 0;
  let release = (): void => undefined;
  const opened = new Promise<null>((resolve) => {
    release = () => resolve(null);
  });
  return {
    pass: () => {
      waiting += 1;
      return opened;
    },
    release,
    reached: (count) =>
      eventually(() => {
        if (waiting < count) throw new Error(`${waiting} of ${count} callers are waiting`);
      }),
  };
}
