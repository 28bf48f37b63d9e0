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
}

process.on('message', () => {
  const milliseconds = (nanoseconds: number): number => Math.max(nanoseconds / 1e6 - RESOLUTION_MS, 0);
  const report: LoopDelay = { p99: milliseconds(delay.percentile(99)), max: milliseconds(delay.max) };
  delay.reset();
  process.send?.(report);
});
// Does not keep the server alive.
process.channel?.unref();
