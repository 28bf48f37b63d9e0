import type { Timers } from './timers.js';

/** Calls `recover` regularly, as long as `mayRecover` allows it. */
export interface RecoveryTimer {
  start(recover: () => Promise<void>): void;
  /** Resolves when the current recovery has ended. */
  stop(): Promise<void>;
}

export const RECOVERY_INTERVAL_MS = 10_000;
/**
 * Recovery takes at most a twentieth of the time. While another transaction keeps an old snapshot open, each recovery
 * has to skip all deliveries since that snapshot.
 */
const MAX_SHARE = 1 / 20;

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
}): RecoveryTimer {
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
    start(recover) {
      stopTimer = timers.every(intervalMs, () => tick(recover));
    },
    async stop() {
      stopTimer();
      await recovering;
    },
  };
}
