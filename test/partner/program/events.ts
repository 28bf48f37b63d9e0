import { verifyWebhook, type WebhookEvent, type WebhookHeaders } from '@rollcall/contracts/webhooks';
import type { Connection } from './connection.js';

/** The events that the partner's endpoint has accepted. */
export interface Inbox {
  /** The text of each accepted request, by event ID. */
  readonly bodies: ReadonlyMap<string, string>;
  /** The number of accepted requests. */
  accepted(): number;
  /** Processes a request, and resolves to the status of the answer. */
  receive(headers: WebhookHeaders, body: Uint8Array): Promise<number>;
}

export function createInbox({
  secret,
  serviceName,
}: {
  readonly secret: string;
  readonly serviceName: string;
}): Inbox {
  const bodies = new Map<string, string>();
  let accepted = 0;
  return {
    bodies,
    accepted: () => accepted,
    async receive(headers, body) {
      const { event_id } = await verifyWebhook({ body, headers, secret, serviceName });
      bodies.set(event_id, new TextDecoder().decode(body));
      accepted += 1;
      return 204;
    },
  };
}

/** Points the webhook to a URL. Returns the signing secret: in full if it is new. */
export async function subscribe({ api, ofWebhook: params }: Connection, url: string): Promise<string> {
  const webhook = { url, enabled: true, events: ['user.registered' as const] };
  const answer = await api.post('/organizations/{organization_id}/webhook', { params, body: { webhook } });
  return answer.webhook.secret;
}

export async function setEnabled({ api, ofWebhook: params }: Connection, enabled: boolean): Promise<void> {
  await api.patch('/organizations/{organization_id}/webhook', { params, body: { webhook: { enabled } } });
}

/** Why an event could not be delivered. */
export interface Failure {
  readonly eventId: string;
  /** The stage at which the attempt failed. */
  readonly phase: string | null;
  readonly result: string | null;
  /** The body that was sent. */
  readonly sent: string;
  /** What the partner's own endpoint answered, or null. */
  readonly answered: string | null;
}

/** Reads from the delivery log why each event has failed. */
export async function whyFailed({ api, ofWebhook }: Connection, since: string): Promise<Failure[]> {
  const failures: Failure[] = [];
  const params = { ...ofWebhook, query: { state: 'failed' as const, since, limit: 20 } };
  const failed = api.items('/organizations/{organization_id}/webhook/deliveries', { params });
  for await (const { id, event_id: eventId } of failed) {
    const { delivery } = await api.get('/organizations/{organization_id}/webhook/deliveries/{delivery_id}', {
      params: { path: { ...ofWebhook.path, delivery_id: String(id) } },
    });
    const attempt = delivery.attempts.at(-1);
    if (!attempt?.request) throw new Error(`nothing was sent for delivery ${id}`);
    const { phase, result, request, response } = attempt;
    failures.push({ eventId, phase, result, sent: request.body, answered: response?.body ?? null });
  }
  return failures;
}

/** Has all failed events sent again, and resolves to their number. */
export async function resendFailed({ api, ofWebhook: params }: Connection, since: string): Promise<number> {
  const path = '/organizations/{organization_id}/webhook/redeliver_failed';
  return (await api.post(path, { params, body: { since } })).count;
}

/** What has happened since a cursor. */
export interface News {
  readonly events: readonly WebhookEvent[];
  /** The cursor to go on from. */
  readonly next: string;
}

/** Reads every event after the cursor, or from the beginning. */
export async function readOn({ api, id }: Connection, after?: string, limit = 50): Promise<News> {
  const events: WebhookEvent[] = [];
  let next = after;
  const query = { limit, ...(after !== undefined && { after }) };
  for await (const page of api.pages('/organizations/{id}/events', { params: { path: { id }, query } })) {
    // Nothing is left of people who were erased since.
    events.push(...page.events.filter((event): event is WebhookEvent => !('erased' in event)));
    next = page.next;
  }
  if (next === undefined) throw new Error('the feed has no page');
  return { events, next };
}
