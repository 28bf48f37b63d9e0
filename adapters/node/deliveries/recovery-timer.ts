import type { Timers } from './timers.js';

export const RECOVERY_INTERVAL_MS = 10_000;
/**
 * Recovery takes at most a twentieth of the time. While another transaction keeps an old snapshot open, each recovery
 * has to skip all deliveries since that snapshot.
 */
const MAX_SHARE = 1 / 20;

/** Calls `recover` regularly, as long as `mayRecover` allows it. */
export function createRecoveryTimer({
  intervalMs,
  mayRecover,
  onRecovered,
  onError,
  timers,
}: {
  readonly intervalMs: number;
  readonly mayRecover: () => boolean;
  readonly onRecovered: () => void;
  readonly onError: (error: unknown) => void;
  readonly timers: Timers;
}) {
  let stopTimer = (): void => {};
  let recovering: Promise<void> | null = null;
  let nextAt = Number.NEGATIVE_INFINITY;

  function tick(recover: () => Promise<void>): void {
    const startedAt = timers.now();
    if (recovering !== null || startedAt < nextAt || !mayRecover()) return;
    recovering = recover()
      .then(() => {
        nextAt = startedAt + (timers.now() - startedAt) / MAX_SHARE;
        onRecovered();
      }, onError)
      .finally(() => {
        recovering = null;
      });
  }

  return {
    start(recover: () => Promise<void>): void {
      stopTimer = timers.every(intervalMs, () => tick(recover));
    },
    /** Resolves when the current recovery has ended. */
    async stop(): Promise<void> {
      stopTimer();
      await recovering;
    },
  };
}
