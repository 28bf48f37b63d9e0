import type { Core } from '@rollcall/core';
import type { DeliveryRecovery, RunningDispatcher } from '@rollcall/node';
import type { Deployment } from '@rollcall/sql/maintenance';
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
