import type { Deps } from '../deps.js';
import { attemptDelivery, stateAfter } from './attempt-delivery.js';
import type { DeliveryReport } from './delivery-report.js';
import { takeFailureNotice } from './failure-notice.js';
import type { ClaimedDelivery } from './ports.js';
import { untilAvailable } from './until-available.js';

/** Of one organization no more are under way at once, so that a stuck receiver holds up nobody else. */
export const deliveriesPerOrganization = 4;
/** An event whose attempts were all cut off by crashes is given up after so many (decision 20). */
export const maxClaims = 3;

type Needs = Pick<Deps, 'outbox' | 'webhooks' | 'webhookSender' | 'secrets' | 'ids' | 'clock' | 'settings'>;

export interface DeliverWebhooks {
  /** How many more may be under way. */
  readonly limit: number;
}

/**
 * Claims what is waiting in the outbox and starts one attempt for each. The answer holds a promise per claimed
 * delivery, which ends once its outcome is written.
 */
export async function deliverWebhooks(
  deps: Needs,
  { limit }: DeliverWebhooks,
): Promise<readonly Promise<DeliveryReport>[]> {
  const claimed = await deps.outbox.claim({
    limit,
    perOrganization: deliveriesPerOrganization,
    claim: deps.ids.uuid(),
    at: deps.clock.now(),
  });
  return claimed.map((delivery) => deliver(deps, delivery));
}

async function deliver(deps: Needs, delivery: ClaimedDelivery): Promise<DeliveryReport> {
  const { deliveryId, eventId, organizationId, claim } = delivery;
  // Read now and not when the event happened: the current URL and secret count (decision 21).
  const webhook = await untilAvailable(deps, () => deps.webhooks.of(organizationId));
  const { attempt, error } = await attemptDelivery(deps, { delivery, webhook });
  const state = stateAfter(attempt);

  // The request has been made: with the database away its outcome waits to be written, and it is never repeated.
  const at = deps.clock.now();
  await untilAvailable(deps, () => deps.outbox.finish({ deliveryId, claim, state, attempt, at }));
  const notice = state === 'failed' ? await takeFailureNotice(deps, organizationId) : null;
  return { deliveryId, eventId, organizationId, state, attempt, error, notice };
}
