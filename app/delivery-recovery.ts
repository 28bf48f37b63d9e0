import type { Core } from '@rollcall/core';
import type { Log } from '#adapters/system/log.js';

/** Takes up deliveries that a crash cut off. */
export interface DeliveryRecovery {
  /** Before the service can be reached. */
  atStart(): Promise<void>;
  /** While the service runs; null: no other process can leave deliveries behind. */
  readonly whileRunning: (() => Promise<void>) | null;
}

/** How old a claim must be to count as abandoned, where several processes send. */
const ABANDONED_MS = 60_000;

/**
 * A single process takes up every claimed delivery when it starts: the process that claimed it is gone. Several
 * processes take up claims that are too old to be alive, again and again.
 */
export function createDeliveryRecovery({
  core,
  isShared,
  log,
}: {
  readonly core: Pick<Core, 'recoverDeliveries'>;
  readonly isShared: boolean;
  readonly log: Log;
}): DeliveryRecovery {
  async function recover(olderThanMs: number | null): Promise<void> {
    const recovered = await core.recoverDeliveries({ olderThanMs });
    if (recovered.again + recovered.failed > 0) log.warn(recovered, 'Deliveries were cut off by a crash');
  }

  return isShared
    ? { atStart: async () => {}, whileRunning: () => recover(ABANDONED_MS) }
    : { atStart: () => recover(null), whileRunning: null };
}
