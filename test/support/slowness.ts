const SAMPLE_MICROSECONDS = 40_000;

/**
 * How many times longer work takes now than on an idle machine, because other programs have the processors: 1 or more.
 * Tests multiply their time limits by it.
 */
export function slowness(): number {
  const cpu = process.cpuUsage();
  const start = performance.now();
  let used = 0;
  do {
    const { user, system } = process.cpuUsage(cpu);
    used = user + system;
  } while (used < SAMPLE_MICROSECONDS);
  return Math.max(1, ((performance.now() - start) * 1000) / used);
}

/**
 * Measures how busy the machine is: the longest time, in milliseconds, by which a timer of this process was late. Tests
 * add it to their time limits, which are meant for an idle machine.
 */
export function watchSlowness(): { stop(): number } {
  const intervalMs = 20;
  let latest = performance.now();
  let slowest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    slowest = Math.max(slowest, now - latest - intervalMs);
    latest = now;
  }, intervalMs);
  return {
    stop() {
      clearInterval(timer);
      return Math.round(slowest);
    },
  };
}
