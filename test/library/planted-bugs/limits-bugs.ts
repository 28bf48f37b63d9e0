import type { Limit, Limits } from '@rollcall/core';
import { fixedClock, limitsSuite, memoryLimits } from '@rollcall/core/testing';
import type { PlantedBug } from './planted-bug.js';

type TestClock = ReturnType<typeof fixedClock>;

function limitsBug(bug: string, change: (right: Limits, clock: TestClock) => Partial<Limits>): PlantedBug {
  const suite = limitsSuite(async () => {
    const clock = fixedClock(new Date('2026-11-20T12:00:00.000Z'));
    const right = memoryLimits(clock);
    const limits = { ...right, ...change(right, clock) };
    return { limits, pass: async (milliseconds) => clock.advance(milliseconds) };
  });
  return { bug: `Limits: ${bug}`, suite };
}

export const limitsBugs: readonly PlantedBug[] = [
  limitsBug('the window never ends', (_right, clock) => memoryLimits(fixedClock(clock.now()))),
  limitsBug('each failure starts the window again', (_right, clock) => {
    const windows = new Map<string, { failures: number; ends: number }>();
    const wait = (key: string, points: number) => {
      const { failures = 0, ends = 0 } = windows.get(key) ?? {};
      const left = Math.ceil((ends - clock.now().getTime()) / 1000);
      return failures >= points && left > 0 ? left : 0;
    };
    return {
      waitFor: async ({ name, points }, subject) => wait(name + subject, points),
      async consume({ name, points, seconds }, subject) {
        const key = name + subject;
        const [now, refused] = [clock.now().getTime(), wait(key, points)];
        const { failures = 0, ends = 0 } = windows.get(key) ?? {};
        const counted = ends > now ? failures : 0;
        windows.set(key, { failures: counted + (refused > 0 ? 0 : 1), ends: now + seconds * 1000 });
        return refused;
      },
      async forgive({ name }, subject) {
        const window = windows.get(name + subject);
        if (window !== undefined) window.failures = Math.max(0, window.failures - 1);
      },
    };
  }),
  limitsBug('one failure more than the limit is allowed', (right) => ({
    consume: (limit, subject) =>
      right.consume({ ...limit, points: limit.points === 0 ? 0 : limit.points + 1 }, subject),
  })),
  limitsBug('a wait is in milliseconds', (right) => ({
    consume: async (limit, subject) => (await right.consume(limit, subject)) * 1000,
  })),
  limitsBug('the wait before the window ends is rounded down', (right) => ({
    waitFor: async (limit, subject) => Math.max(0, (await right.waitFor(limit, subject)) - limit.seconds),
  })),
  limitsBug('waitFor counts a failure', (right) => ({
    waitFor: (limit, subject) => right.consume(limit, subject),
  })),
  limitsBug('refused failures are counted', (right) => {
    let refused = 0;
    return {
      async consume(limit, subject) {
        const wait = await right.consume(limit, subject);
        if (wait > 0) refused += 1;
        return wait;
      },
      async forgive(limit, subject) {
        if (refused === 0) return right.forgive(limit, subject);
        refused -= 1;
      },
    };
  }),
  limitsBug('failures can be taken back that were never counted', (right) => {
    const balance = new Map<string, number>();
    const add = (subject: string, change: number) =>
      balance.set(subject, (balance.get(subject) ?? 0) + change);
    return {
      async consume(limit, subject) {
        const isCredit = (balance.get(subject) ?? 0) < 0;
        const wait = isCredit ? 0 : await right.consume(limit, subject);
        if (wait === 0) add(subject, 1);
        return wait;
      },
      async forgive(limit, subject) {
        add(subject, -1);
        await right.forgive(limit, subject);
      },
    };
  }),
  limitsBug('all subjects are counted together', (right) => ({
    waitFor: (limit) => right.waitFor(limit, 'all'),
    consume: (limit) => right.consume(limit, 'all'),
    forgive: (limit) => right.forgive(limit, 'all'),
  })),
  limitsBug('all limits are counted together', (right) => ({
    consume: (limit, subject) => right.consume({ ...limit, name: 'all' }, subject),
    waitFor: (limit, subject) => right.waitFor({ ...limit, name: 'all' }, subject),
    forgive: (limit, subject) => right.forgive({ ...limit, name: 'all' }, subject),
  })),
  limitsBug('clear takes back one failure only', (right) => ({
    clear: (limit, subject) => right.forgive(limit, subject),
  })),
  limitsBug('clear takes back failures and keeps their window', (right) => ({
    async clear(limit, subject) {
      for (let count = 0; count < limit.points; count += 1) await right.forgive(limit, subject);
    },
  })),
  limitsBug('clear forgets all subjects', (right) => {
    const subjects = new Set<string>();
    return {
      consume(limit, subject) {
        subjects.add(subject);
        return right.consume(limit, subject);
      },
      async clear(limit) {
        for (const subject of subjects) await right.clear(limit, subject);
      },
    };
  }),
  limitsBug('clear forgets the failures of all limits', (right) => {
    const limits = new Set<Limit>();
    return {
      consume(limit, subject) {
        limits.add(limit);
        return right.consume(limit, subject);
      },
      async clear(_limit, subject) {
        for (const limit of limits) await right.clear(limit, subject);
      },
    };
  }),
  limitsBug('a failure is checked first and counted later', (right) => ({
    async consume(limit, subject) {
      const wait = await right.waitFor(limit, subject);
      if (wait > 0) return wait;
      await right.consume(limit, subject);
      return 0;
    },
  })),
  limitsBug('0 points refuse everything', (right) => ({
    consume: async (limit, subject) => (limit.points === 0 ? limit.seconds : right.consume(limit, subject)),
  })),
];
