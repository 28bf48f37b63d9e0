import { Unavailable } from '@rollcall/core';

/** Runs one piece of work when its turn comes. */
export type Queue = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** First come, first served, so many at once; who would have to wait behind too many gets `Unavailable`. */
export function createQueue(size: { readonly atOnce: number; readonly mostWaiting: number }): Queue {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (work) => {
    if (waiting.length >= size.mostWaiting) throw new Unavailable('Too many passwords are being checked.');
    if (running < size.atOnce) running += 1;
    else await new Promise<void>((go) => waiting.push(go));

    try {
      return await work();
    } finally {
      // The one that ends hands its place on, so that no other slips in between.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
