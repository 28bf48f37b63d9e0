import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Limit, Limits } from '@rollcall/core';
import type { RateLimiterMemory } from 'rate-limiter-flexible';

const requireHere = createRequire(import.meta.url);

/** Loaded with the first counter, because most commands of the command line count nothing, and without the other stores. */
function rateLimiter(): typeof RateLimiterMemory {
  return requireHere('rate-limiter-flexible/lib/RateLimiterMemory.js');
}

/** Counts failures in the memory of this process, until it restarts. A window begins with its first failure. */
export function memoryLimits(): Limits {
  const counters = new Map<string, RateLimiterMemory>();

  function counterOf({ name, points, seconds }: Limit): RateLimiterMemory {
    const key = `${name}/${points}/${seconds}`;
    const known = counters.get(key);
    if (known !== undefined) return known;
    const Counter = rateLimiter();
    const counter = new Counter({ keyPrefix: name, points, duration: seconds });
    counters.set(key, counter);
    return counter;
  }

  return {
    async waitFor(limit, subject) {
      if (limit.points === 0) return 0;
      const counted = await counterOf(limit).get(keyOf(subject));
      return counted === null ? 0 : waitAfter(limit, counted);
    },
    async consume(limit, subject) {
      if (limit.points === 0) return 0;
      const counter = counterOf(limit);
      const counted = await counter.penalty(keyOf(subject));
      if (counted.consumedPoints <= limit.points) return 0;
      await takeBack(counter, keyOf(subject));
      return waitAfter(limit, counted);
    },
    async forgive(limit, subject) {
      if (limit.points === 0) return;
      await takeBack(counterOf(limit), keyOf(subject));
    },
    async clear(limit, subject) {
      if (limit.points === 0) return;
      await counterOf(limit).delete(keyOf(subject));
    },
  };
}

async function takeBack(counter: RateLimiterMemory, key: string): Promise<void> {
  const counted = await counter.get(key);
  // In a new window there is nothing to take back, and no future failure may be forgiven in advance.
  if (counted === null || counted.msBeforeNext <= 0) return;
  const { consumedPoints } = await counter.reward(key);
  if (consumedPoints < 0) await counter.penalty(key);
}

interface Counted {
  readonly consumedPoints: number;
  readonly msBeforeNext: number;
}

function waitAfter({ points }: Limit, { consumedPoints, msBeforeNext }: Counted): number {
  if (consumedPoints < points || msBeforeNext <= 0) return 0;
  return Math.ceil(msBeforeNext / 1000);
}

/** The maximum length of an IP address. */
const MAX_PLAIN_CHARACTERS = 45;

/** Returns short subjects as they are, and a hash of long ones. */
function keyOf(subject: string): string {
  return subject.length <= MAX_PLAIN_CHARACTERS ? subject : longKeyOf(subject);
}

function longKeyOf(subject: string): string {
  const hash = createHash('sha256').update(subject).digest('base64url');
  return `hash of ${hash}`;
}
