import type { Core } from '@rollcall/core';
import type { DeliveryRecovery, Logger, RunningDispatcher } from '@rollcall/node';
import type { Hearing, HearingOptions } from '@rollcall/sql';
import type { Deployment } from '@rollcall/sql/maintenance';
import type { Part } from './part.js';

/** Sends webhooks while the service runs. */
export function createDeliveries({
  core: { deliverWebhooks },
  dispatcher,
  hearing,
  deployment,
  recovery,
}: {
  readonly core: Pick<Core, 'deliverWebhooks'>;
  readonly dispatcher: RunningDispatcher;
  readonly hearing: Hearing;
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
      hearing.start(() => dispatcher.wake());
    },
    stop() {
      hearing.stop();
      return dispatcher.stop();
    },
  };
}

/** Logs when this process no longer hears of the events of others, and when it does again. */
export function reportHearing(log: Logger): HearingOptions['onChange'] {
  return (hears, reason) => {
    if (hears) log.info({}, 'Notifications of other processes arrive again');
    else
      log.warn(
        { reason: reason instanceof Error ? reason.message : String(reason) },
        'Notifications of other processes do not arrive: their events are found within a second',
      );
  };
}
