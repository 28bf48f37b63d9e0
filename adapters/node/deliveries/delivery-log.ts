import type { DeliveryReport, TakenOverDelivery } from '@rollcall/core';
import type { Logger } from '../logger.js';

/** Logs that nothing was sent. The instance that has taken the delivery over logs its outcome. */
export function logTakenOver(log: Logger, { deliveryId, eventId, organizationId }: TakenOverDelivery): void {
  const facts = { eventId, deliveryId, organizationId };
  log.warn(facts, 'Delivery not sent: another instance has taken it over');
}

/** Logs the outcome, and a notice if the webhook keeps failing. */
export function logDelivery(log: Logger, report: DeliveryReport): void {
  logOutcome(log, report);
  logNotice(log, report);
}

function logOutcome(
  log: Logger,
  { deliveryId, eventId, organizationId, state, attempt, code }: DeliveryReport,
): void {
  const facts = { eventId, deliveryId, organizationId };
  if (attempt === null) {
    log.info(facts, 'Delivery skipped: the webhook is off');
    return;
  }
  const { phase, status, duration, reason } = attempt;
  const line = { ...facts, phase, status, duration, reason };
  if (state === 'delivered') log.info(line, 'Delivered');
  else log.warn({ ...line, code }, 'Delivery failed');
}

/** A failing webhook is never switched off, so the log warns the operator. */
function logNotice(log: Logger, { organizationId, notice }: DeliveryReport): void {
  if (notice === null) return;
  const { isLast, ...facts } = notice;
  const line = { organizationId, ...facts };
  const is = notice.failuresInRow === 1 ? 'The webhook has begun to fail' : 'The webhook keeps failing';
  log.warn(line, isLast ? `${is}: no more notices until a delivery succeeds` : is);
}
