import { setTimeout as pause } from 'node:timers/promises';
import type { BoundedSecurityLog, DeliveryRecovery } from '@rollcall/node';
import type { FlushedErrorTracker } from './error-tracker.js';
import type { ListeningServer } from './listening-server.js';
import type { Part } from './part.js';

/** The whole service. */
export interface Service extends Part {
  readonly errorTracker: FlushedErrorTracker;
}

export interface ServiceParts {
  readonly clockWatch: Part;
  readonly historyWatch: Part;
  readonly keyUse: Part;
  readonly deployment: Part;
  readonly deliveryRecovery: DeliveryRecovery;
  readonly preparation: () => Promise<void>;
  readonly metricsServer: Part;
  readonly publicServer: ListeningServer;
  readonly callLog: Part;
  readonly operatorServer: Part;
  readonly instanceRecord: Part;
  readonly timeZoneWatch: Part;
  readonly deliveries: Part;
  readonly mailing: Part;
  readonly pruner: Part;
  readonly securityLog: BoundedSecurityLog;
  readonly errorTracker: FlushedErrorTracker;
}

/** How long new deliveries are still claimed while the last requests are answered. */
const LAST_DELIVERIES_MS = 2000;
/** How long the last reports may take to reach the error tracker. */
const LAST_REPORTS_MS = 1000;

/**
 * Starts its parts one by one. If one fails, the ones before it are stopped. When stopping, `/readyz` fails first, then
 * nothing new is accepted, and requests and deliveries are finished. That takes at most 18 s, unless a client or the
 * database is slower.
 */
export function createService(parts: ServiceParts): Service {
  return {
    start: () => startInOrder(parts),
    stop: () => stopAll(parts),
    errorTracker: parts.errorTracker,
  };
}

async function startInOrder(parts: ServiceParts): Promise<void> {
  const started: Part[] = [];
  const start = async (...next: readonly Part[]): Promise<void> => {
    for (const part of next) {
      await part.start();
      started.push(part);
    }
  };
  try {
    await start(parts.clockWatch, parts.keyUse, parts.deployment, parts.historyWatch);
    await parts.deliveryRecovery.atStart();
    await parts.preparation();
    await start(parts.instanceRecord, parts.timeZoneWatch);
    await start(parts.metricsServer, parts.operatorServer, parts.publicServer);
    await start(parts.deliveries, parts.mailing, parts.pruner);
  } catch (error) {
    for (const part of started.reverse()) await part.stop();
    throw error;
  }
}

async function stopAll(parts: ServiceParts): Promise<void> {
  await parts.publicServer.announceStop();
  const answered = Promise.all([parts.publicServer.stop(), parts.operatorServer.stop()]);
  // Events of the last requests are still sent if these end soon. Otherwise they are sent after the next start.
  await Promise.race([answered, pause(LAST_DELIVERIES_MS, undefined, { ref: false })]);
  await Promise.all([answered, parts.deliveries.stop(), parts.mailing.stop(), parts.pruner.stop()]);
  await parts.callLog.stop();
  await parts.metricsServer.stop();
  await parts.timeZoneWatch.stop();
  await parts.instanceRecord.stop();
  await parts.historyWatch.stop();
  await parts.clockWatch.stop();
  await parts.keyUse.stop();
  parts.securityLog.flush();
  await parts.errorTracker.flush(LAST_REPORTS_MS);
  await parts.deployment.stop();
}
