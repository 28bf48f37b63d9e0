import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into a measured server before its own program: tells over the channel to the bench how late its event
 * loop was since it was asked last.
 */
const RESOLUTION = 5;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
delay.enable();

export interface LoopDelay {
  /** Milliseconds. */
  readonly p99: number;
  readonly max: number;
}

process.on('message', () => {
  const milliseconds = (nanoseconds: number): number => Math.max(nanoseconds / 1e6 - RESOLUTION, 0);
  const told: LoopDelay = { p99: milliseconds(delay.percentile(99)), max: milliseconds(delay.max) };
  delay.reset();
  process.send?.(told);
});
// It keeps nobody from ending.
process.channel?.unref();
