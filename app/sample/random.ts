import { entryAt } from './sample-texts.js';

/** Returns the next number: at least 0 and less than 1. */
export type Random = () => number;

/** Mulberry32: small, fast, and with the same numbers on every machine. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Chooses one of the entries, each with the same probability. */
export function pick<Entry>(random: Random, entries: readonly Entry[]): Entry {
  return entryAt(entries, Math.floor(random() * entries.length));
}
