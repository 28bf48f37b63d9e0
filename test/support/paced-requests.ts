import { setTimeout as pause } from 'node:timers/promises';

/** Times of answers in milliseconds, and the number of requests that were not answered with 200. */
export interface Paced {
  readonly times: readonly number[];
  readonly failures: number;
}

/**
 * Sends requests at a fixed rate, also while earlier ones are unanswered, until `work` has ended. A time counts from the
 * moment at which the request was due, so that a stop of the service counts for every request that it delays.
 */
export async function pacedRequests(
  {
    paths,
    headers,
    perSecond,
  }: {
    readonly paths: readonly string[];
    readonly headers: Readonly<Record<string, string>>;
    readonly perSecond: number;
  },
  work: Promise<unknown>,
): Promise<Paced> {
  const times: number[] = [];
  let failures = 0;
  let isOver = false;
  void work.then(
    () => {
      isOver = true;
    },
    () => {
      isOver = true;
    },
  );
  async function send(path: string, dueAt: number): Promise<void> {
    const isGood = await fetch(path, { headers }).then(
      async (response) => (await response.arrayBuffer()) !== null && response.status === 200,
      () => false,
    );
    times.push(performance.now() - dueAt);
    if (!isGood) failures += 1;
  }
  const sent: Promise<void>[] = [];
  const start = performance.now();
  for (let count = 0; !isOver; count += 1) {
    const dueAt = start + (count * 1000) / perSecond;
    const wait = dueAt - performance.now();
    if (wait > 0) await pause(wait);
    sent.push(send(paths[count % paths.length] ?? '', dueAt));
  }
  await Promise.all(sent);
  await work;
  return { times, failures };
}

/** The time below which this share of the times lies. */
export function percentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
