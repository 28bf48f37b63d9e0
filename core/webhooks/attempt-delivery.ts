import type { Uses } from '../deps.js';
import { UnknownKey } from '../errors.js';
import type { DeliveryReport } from './delivery-report.js';
import type { Attempt } from './ports/deliveries.js';
import type { ClaimedDelivery } from './ports/outbox.js';
import type { Webhook } from './ports/webhooks.js';
import { signedRequest } from './webhook-request.js';

export function stateAfter(attempt: Pick<Attempt, 'outcome'> | null): DeliveryReport['state'] {
  if (attempt === null) return 'skipped';
  return attempt.outcome === 'delivered' ? 'delivered' : 'failed';
}

/** Makes one attempt, or none if the webhook has no URL or is disabled. A test is sent even if it is disabled. */
export async function attemptDelivery(
  deps: Uses<'clock.now' | 'webhookSender.send' | typeof signedRequest>,
  { delivery, webhook }: { readonly delivery: ClaimedDelivery; readonly webhook: Webhook | null },
): Promise<Pick<DeliveryReport, 'attempt' | 'code' | 'error'>> {
  if (webhook === null || webhook.url === null || (!webhook.enabled && !delivery.isTest))
    return { attempt: null, error: null };

  const startedAt = deps.clock.now();
  try {
    const request = signedRequest(deps, { delivery, webhook, url: webhook.url, at: startedAt });
    const { code, ...sent } = await deps.webhookSender.send(request);
    return { attempt: { startedAt, ...sent }, ...(code !== undefined && { code }), error: null };
  } catch (error) {
    // A bug, or a secret whose key is missing. Without an outcome the delivery would stay claimed.
    return { attempt: { startedAt, ...notSent, reason: whyNotSent(error) }, error };
  }
}

const notSent = {
  duration: 0,
  outcome: 'failed',
  phase: 'request',
  status: null,
  request: null,
  response: null,
} as const;

/** Names the missing key, so that the operator can restore it and find the deliveries that failed because of it. */
function whyNotSent(error: unknown): string {
  if (!(error instanceof UnknownKey)) return 'the request could not be made';
  return `the signing secret cannot be read: its key ${error.keyId} is not configured`;
}
