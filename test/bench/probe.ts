import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Preloaded into a measured server: reports over the channel to the bench how late its event loop was since the last
 * report.
 */
const RESOLUTION_MS = 5;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

export interface LoopDelay {
  /** Milliseconds. */
  readonly p99: number;
  readonly max: number;
  /** The longest turn in time of the processor, which other programs do not disturb. 0 where that is not known. */
  readonly cpu: number;
}

let maxCpuMs = 0;
let lastCpuMs = cpuMs();
setInterval(() => {
  const now = cpuMs();
  // A shorter turn does not count: the timer waits for longer.
  maxCpuMs = Math.max(maxCpuMs, now - lastCpuMs - RESOLUTION_MS);
  lastCpuMs = now;
}, RESOLUTION_MS).unref();

/** The time that the main thread has used. */
function cpuMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}

process.on('message', () => {
  const milliseconds = (nanoseconds: number): number => Math.max(nanoseconds / 1e6 - RESOLUTION_MS, 0);
  const report: LoopDelay = {
    p99: milliseconds(delay.percentile(99)),
    max: milliseconds(delay.max),
    cpu: maxCpuMs,
  };
  maxCpuMs = 0;
  delay.reset();
  process.send?.(report);
});
// Does not keep the server alive.
process.channel?.unref();
