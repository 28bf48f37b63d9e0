/** Calls `recover` again and again while it may. */
export interface RecoveryTimer {
  start(recover: () => Promise<void>): void;
  /** Ends when the recovery under way has ended. */
  stop(): Promise<void>;
}

export const RECOVERY_INTERVAL_MS = 10_000;
/**
 * Recovery takes a twentieth of the time at most. While another transaction holds an old snapshot open, each recovery
 * must pass everything that was delivered since.
 */
const MAX_SHARE = 1 / 20;

export function createRecoveryTimer({
  intervalMs,
  mayRecover,
  onRecovered,
  onError,
}: {
  readonly intervalMs: number;
  readonly mayRecover: () => boolean;
  readonly onRecovered: () => void;
  readonly onError: (error: unknown) => void;
}): RecoveryTimer {
  let timer: NodeJS.Timeout | undefined;
  let recovering: Promise<void> | null = null;
  let nextAt = Number.NEGATIVE_INFINITY;

  function tick(recover: () => Promise<void>): void {
    const startedAt = performance.now();
    if (recovering !== null || startedAt < nextAt || !mayRecover()) return;
    recovering = recover()
      .then(() => {
        nextAt = startedAt + (performance.now() - startedAt) / MAX_SHARE;
        onRecovered();
      }, onError)
      .finally(() => {
        recovering = null;
      });
  }

  return {
    start(recover) {
      timer = setInterval(() => tick(recover), intervalMs);
    },
    async stop() {
      clearInterval(timer);
      await recovering;
    },
  };
}
