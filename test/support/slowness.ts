const SAMPLE_MICROSECONDS = 20_000;

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
