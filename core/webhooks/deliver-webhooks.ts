import type { Deps } from '../deps.js';
import { Unavailable, UnknownKey } from '../errors.js';
import type { Attempt, ClaimedDelivery, Delivery, Webhook, WebhookRequest } from './ports.js';
import { type FailureNotice, takeFailureNotice } from './webhook-health.js';

/** Of one organization no more are under way at once, so that a stuck receiver holds up nobody else. */
export const deliveriesPerOrganization = 4;
/** An event whose attempts were all cut off by crashes is given up after so many (decision 20). */
export const maxClaims = 3;

type Needs = Pick<Deps, 'outbox' | 'webhooks' | 'webhookSender' | 'secrets' | 'ids' | 'clock' | 'settings'>;

export interface DeliverWebhooks {
  /** How many more may be under way. */
  readonly limit: number;
}

export interface DeliveryReport {
  readonly deliveryId: number;
  readonly eventId: string;
  readonly organizationId: number;
  readonly state: 'delivered' | 'failed' | 'skipped';
  /** Null: skipped, nothing was sent. */
  readonly attempt: Attempt | null;
  /** Why no request could be made: somebody has to look at it. Null nearly always. */
  readonly error: unknown;
  /** That the webhook goes on failing, for the operator; null mostly. */
  readonly notice: FailureNotice | null;
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

export function stateAfter(attempt: Attempt | null): DeliveryReport['state'] {
  if (attempt === null) return 'skipped';
  return attempt.outcome === 'delivered' ? 'delivered' : 'failed';
}

/** One attempt, or none where the webhook is off; a test is sent all the same. */
export async function attemptDelivery(
  deps: Pick<Deps, 'webhookSender' | 'secrets' | 'clock' | 'settings'>,
  { delivery, webhook }: { readonly delivery: ClaimedDelivery; readonly webhook: Webhook | null },
): Promise<Pick<DeliveryReport, 'attempt' | 'error'>> {
  if (webhook === null || webhook.url === null) return { attempt: null, error: null };
  if (!webhook.enabled && !delivery.isTest) return { attempt: null, error: null };

  const startedAt = deps.clock.now();
  try {
    const request = signedRequest(deps, { delivery, webhook, url: webhook.url });
    return { attempt: { startedAt, ...(await deps.webhookSender.send(request)) }, error: null };
  } catch (error) {
    // A bug, or a secret whose key is gone. Without an outcome the delivery would hold its place for ever.
    return { attempt: { startedAt, ...notSent, reason: whyNotSent(error) }, error };
  }
}

const notSent = {
  duration: 0,
  outcome: 'failed',
  phase: 'request',
  status: null,
} as const;

/** Names the key that is missing, so that the operator can put it back and choose what failed for want of it. */
function whyNotSent(error: unknown): string {
  if (!(error instanceof UnknownKey)) return 'the request could not be made';
  return `the signing secret cannot be read: its key ${error.keyId} is not configured`;
}

/** What is sent for the delivery as the webhook is now. Throws where its secret can't be opened. */
export function signedRequest(
  { secrets, settings }: Pick<Deps, 'secrets' | 'settings'>,
  {
    delivery,
    webhook,
    url,
  }: {
    readonly delivery: Pick<Delivery, 'organizationId' | 'eventId' | 'eventName' | 'body' | 'isTest'>;
    readonly webhook: Pick<Webhook, 'encryptedSecret'>;
    readonly url: string;
  },
): WebhookRequest {
  const secret = secrets.decrypt({
    encrypted: webhook.encryptedSecret,
    organizationId: delivery.organizationId,
  });
  const signature = secrets.sign({ body: delivery.body, secret });
  return webhookRequest({ delivery, url, signature, serviceName: settings.serviceName });
}

/** The request of section 6.2; the signature is the hex digest of section 6.3. A test says so in one more header. */
export function webhookRequest({
  delivery,
  url,
  signature,
  serviceName,
}: {
  readonly delivery: Pick<ClaimedDelivery, 'eventId' | 'eventName' | 'body'> &
    Partial<Pick<ClaimedDelivery, 'isTest'>>;
  readonly url: string;
  readonly signature: string;
  readonly serviceName: string;
}): WebhookRequest {
  const name = serviceName.replaceAll(' ', '-');
  return {
    url,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': `${serviceName} Webhook`,
      [`X-${name}-Signature`]: `sha256=${signature}`,
      [`X-${name}-Event`]: delivery.eventName,
      [`X-${name}-Event-Id`]: delivery.eventId,
      ...(delivery.isTest === true ? { [`X-${name}-Test`]: 'true' } : {}),
    },
    body: delivery.body,
  };
}

const LONGEST_PAUSE = 5000;

/** Asks again for as long as it takes while the database is away. */
export async function untilAvailable<Answer>(
  { clock }: Pick<Deps, 'clock'>,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (let pause = 100; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      await clock.pause(pause);
    }
  }
}

export interface RecoverDeliveries {
  /** Claims that are older belong to nobody any more; null: none does, whenever it was made. */
  readonly olderThanMs: number | null;
}

/** Takes up the deliveries that a crash cut off: same event id, same bytes (decision 20). */
export async function recoverDeliveries(
  { outbox, clock }: Pick<Deps, 'outbox' | 'clock'>,
  { olderThanMs }: RecoverDeliveries,
): Promise<{ readonly again: number; readonly failed: number }> {
  return outbox.recoverStale({ olderThanMs, maxClaims, at: clock.now() });
}
