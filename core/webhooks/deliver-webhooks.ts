import type { Uses } from '../deps.js';
import { ownersMails } from '../users/mails/owners-mails.js';
import { attemptDelivery, stateAfter } from './attempt-delivery.js';
import type { DeliveryReport, TakenOverDelivery } from './delivery-report.js';
import { takeFailureNotice } from './failure-notice.js';
import type { ClaimedDelivery } from './ports/outbox.js';
import { prepareAttempt } from './prepare-attempt.js';
import { untilAvailable } from './until-available.js';

/** The maximum number of parallel deliveries of one organization, so that a slow receiver does not delay the others. */
const deliveriesPerOrganization = 4;

/** The request of `deliverWebhooks`. */
export interface DeliverWebhooks {
  /** The maximum number of deliveries to start. */
  readonly limit: number;
}

/**
 * Claims pending deliveries from the outbox and starts one attempt for each. Returns a promise for each delivery, which
 * resolves when its outcome is written. An attempt that could not begin for more than 30 s begins only if the claim
 * still holds its delivery.
 */
export async function deliverWebhooks(
  deps: Uses<'clock.now' | 'ids.uuid' | 'outbox.claim' | typeof deliver>,
  { limit }: DeliverWebhooks,
): Promise<readonly Promise<DeliveryReport | TakenOverDelivery>[]> {
  const claimedAt = deps.clock.now();
  const claimed = await deps.outbox.claim({
    limit,
    perOrganization: deliveriesPerOrganization,
    claim: deps.ids.uuid(),
    at: claimedAt,
  });
  return claimed.map((delivery) => deliver(deps, { delivery, claimedAt }));
}

async function deliver(
  deps: Uses<
    | 'clock.pause'
    | 'outbox.finish'
    | typeof attemptDelivery
    | typeof prepareAttempt
    | typeof takeFailureNotice
  >,
  { delivery, claimedAt }: { readonly delivery: ClaimedDelivery; readonly claimedAt: Date },
): Promise<DeliveryReport | TakenOverDelivery> {
  const { deliveryId, eventId, organizationId, claim } = delivery;
  const prepared = await prepareAttempt(deps, { delivery, claimedAt }, (call) => untilAvailable(deps, call));
  if (prepared === null) return { deliveryId, eventId, organizationId, state: 'taken-over', ...nothingSent };
  const { attempt, ...ended } = await attemptDelivery(deps, { delivery, webhook: prepared.webhook });
  const state = stateAfter(attempt);

  // The request is never sent again, so if the database is unavailable, writing the outcome is repeated until it works.
  const at = deps.clock.now();
  await untilAvailable(deps, () =>
    deps.outbox.finish({ deliveryId, claim, state, attempt, at }, () =>
      ownersMails(deps, { kind: 'webhook-working', organizationId, at }),
    ),
  );
  const notice = state === 'failed' ? await takeFailureNotice(deps, { organizationId, at }) : null;
  return { deliveryId, eventId, organizationId, state, attempt, ...ended, notice };
}

const nothingSent = { attempt: null, error: null, notice: null } as const;
