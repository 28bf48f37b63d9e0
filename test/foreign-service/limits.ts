import { setTimeout as pause } from 'node:timers/promises';
import type { Clock, Limits } from '@rollcall/core';

export const systemClock: Clock = {
  now: () => new Date(),
  pause: async (milliseconds) => {
    await pause(milliseconds);
  },
};

/** With more windows than this, those that have ended are deleted. */
const MAX_WINDOWS = 10_000;

interface Window {
  readonly ends: number;
  failures: number;
}

/** Counts in this process. A service with several processes must count in its database. */
export function countedLimits({ now }: Pick<Clock, 'now'>): Limits {
  const windows = new Map<string, Window>();
  const currentWindow = (key: string): Window | null => {
    const window = windows.get(key);
    if (window === undefined || window.ends > now().getTime()) return window ?? null;
    windows.delete(key);
    return null;
  };
  const wait = (window: Window | null, points: number): number => {
    if (window === null || points === 0 || window.failures < points) return 0;
    return Math.ceil((window.ends - now().getTime()) / 1000);
  };
  return {
    async waitFor({ name, points }, subject) {
      return wait(currentWindow(`${name} ${subject}`), points);
    },
    async fail({ name, points, seconds }, subject) {
      if (points === 0) return 0;
      const key = `${name} ${subject}`;
      const window = currentWindow(key) ?? { ends: now().getTime() + seconds * 1000, failures: 0 };
      if (window.failures >= points) return wait(window, points);
      window.failures += 1;
      windows.set(key, window);
      if (windows.size > MAX_WINDOWS) deleteEnded(windows, now().getTime());
      return 0;
    },
    async forgive({ name }, subject) {
      const window = currentWindow(`${name} ${subject}`);
      if (window !== null && window.failures > 0) window.failures -= 1;
    },
    async clear({ name }, subject) {
      windows.delete(`${name} ${subject}`);
    },
  };
}

function deleteEnded(windows: Map<string, Window>, time: number): void {
  for (const [key, { ends }] of windows) if (ends <= time) windows.delete(key);
}
