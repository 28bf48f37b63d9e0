import type { Core } from '@rollcall/core';
import type { Deployment } from '#adapters/sql/index.js';
import type { DeliveryRecovery } from './delivery-recovery.js';
import type { RunningDispatcher } from './dispatcher.js';
import type { Part } from './part.js';

/** Sends webhooks while the service runs. */
export function createDeliveries({
  core: { deliverWebhooks },
  dispatcher,
  deployment,
  recovery,
}: {
  readonly core: Pick<Core, 'deliverWebhooks'>;
  readonly dispatcher: RunningDispatcher;
  readonly deployment: Pick<Deployment, 'recordClaims'>;
  readonly recovery: DeliveryRecovery;
}): Part {
  return {
    async start() {
      dispatcher.start(async (request) => {
        const started = await deliverWebhooks(request);
        if (started.length > 0) await deployment.recordClaims();
        return started;
      }, recovery.whileRunning ?? undefined);
    },
    stop: () => dispatcher.stop(),
  };
}
