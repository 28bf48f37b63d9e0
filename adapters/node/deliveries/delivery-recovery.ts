import type { Core } from '@rollcall/core';
import type { Logger } from '../logger.js';

/** Recovers deliveries that a crash interrupted. */
export interface DeliveryRecovery {
  /** Call it before the service can be reached. */
  atStart(): Promise<void>;
  /** Call it while the service runs. Null when no other process can leave deliveries behind. */
  readonly whileRunning: (() => Promise<void>) | null;
}

/** If several processes send, a claim of this age counts as abandoned. */
const ABANDONED_MS = 60_000;

/**
 * A single process recovers every claimed delivery when it starts, because the process that claimed it is gone. Several
 * processes regularly recover the deliveries whose claims are abandoned.
 */
export function createDeliveryRecovery({
  core,
  isShared,
  log,
}: {
  readonly core: Pick<Core, 'recoverDeliveries'>;
  readonly isShared: boolean;
  readonly log: Logger;
}): DeliveryRecovery {
  async function recover(olderThanMs: number | null): Promise<void> {
    const recovered = await core.recoverDeliveries({ olderThanMs });
    if (recovered.again + recovered.failed > 0) log.warn(recovered, 'Deliveries were cut off by a crash');
  }

  return isShared
    ? { atStart: async () => {}, whileRunning: () => recover(ABANDONED_MS) }
    : { atStart: () => recover(null), whileRunning: null };
}
