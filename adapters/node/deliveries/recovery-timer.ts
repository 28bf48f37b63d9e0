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
