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

/** Logs when events of other processes are no longer heard of, and when they are again. */
export function reportHearing(log: Logger): HearingOptions['onChange'] {
  return (hears, reason) => {
    if (hears) log.info({}, 'Events of other processes are heard of at once again');
    else
      log.warn(
        { reason: reason instanceof Error ? reason.message : String(reason) },
        'Events of other processes are not heard of: they are found within a second',
      );
  };
}
