import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type ReceivedRequest, startReceiver } from '../receiver.js';
import type { DatabaseKind } from '../storage.js';
import type { InstalledPartner } from './installed-partner.js';
import { eventually, startPartnerSite } from './partner-site.js';

export interface RotatedUnderLoad {
  readonly received: number;
  /** The requests that the endpoint could not verify. */
  readonly refused: number;
  /** The deliveries by state. */
  readonly states: Readonly<Record<string, number>>;
}

/** How many people register at once. */
const CONCURRENCY = 4;
/** How many events wait for the endpoint at most, so that the load lasts until the rotation has ended. */
const MAX_WAITING = 20;
/** The partner pauses before each step and after the last. Each part of the events is received between two pauses. */
const PARTS = 8;

/**
 * Lets people register without a pause while the partner rotates its secret. Checks that many events were signed with
 * each secret.
 */
export async function rotateUnderLoad(
  context: TestContext,
  {
    partner,
    database,
    events,
  }: { readonly partner: InstalledPartner; readonly database: DatabaseKind; readonly events: number },
): Promise<RotatedUnderLoad> {
  const { connection, events: calls, rotation } = partner.program;
  const site = await startPartnerSite(context, database);
  const mine = connection.connect(await site.addOrganization(1));
  let verify: (signature: string | undefined, body: Buffer) => boolean = () => assert.fail('no endpoint yet');
  let refused = 0;
  const receiver = await startReceiver({
    answer: (request, response, body) => {
      const isGenuine = verify(request.headers['x-acme-care-signature'] as string | undefined, body);
      if (!isGenuine) refused += 1;
      response.writeHead(isGenuine ? 204 : 401).end();
    },
  });
  context.after(() => receiver.stop());
  const old = await calls.subscribe(mine, receiver.url);
  const endpoint = rotation.createPlainEndpoint(old);
  verify = endpoint.verifies;

  let registered = 0;
  const register = async (): Promise<void> => {
    while (registered < events) {
      if (registered - receiver.requests.length >= MAX_WAITING) {
        await pause(2);
        continue;
      }
      registered += 1;
      const email = `employee-${registered}@partner.test`;
      await site.core.registerUser({ organizationId: 1, email, firstName: 'A', lastName: 'B' });
    }
  };
  let reached = 0;
  const nextPart = async (): Promise<void> => {
    reached += Math.floor(events / PARTS);
    await eventually(`${reached} events were received`, () => receiver.requests.length >= reached);
  };
  const load = Promise.all(Array.from({ length: CONCURRENCY }, register));
  await nextPart();
  const current = await rotation.rotate(mine, { endpoint, old, pause: nextPart });
  assert.ok(registered < events, 'the load ended before the rotation');
  await load;
  await eventually('every event was received', () => receiver.requests.length >= events);

  const least = events / PARTS;
  for (const secret of [old, current]) {
    const signed = receiver.requests.filter((request) => isSignedWith(secret, request));
    assert.ok(signed.length >= least, `${signed.length} events were signed with one of the secrets`);
  }
  const ids = new Set(receiver.requests.map(({ body }) => JSON.parse(body.toString()).event_id));
  assert.equal(ids.size, receiver.requests.length, 'each event was received once');
  const states: Record<string, number> = {};
  const log = mine.api.items('/organizations/{organization_id}/webhook/deliveries', {
    params: { ...mine.ofWebhook, query: { limit: 100 } },
  });
  await eventually('every outcome is recorded', async () => {
    const params = { ...mine.ofWebhook, query: { state: 'sending' as const } };
    const { deliveries } = await mine.api.get('/organizations/{organization_id}/webhook/deliveries', {
      params,
    });
    return deliveries.length === 0;
  });
  for await (const { state } of log) states[state] = (states[state] ?? 0) + 1;
  return { received: receiver.requests.length, refused, states };
}

function isSignedWith(secret: string, { headers, body }: ReceivedRequest): boolean {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return headers.some(([name, value]) => /-signature$/i.test(name) && value === expected);
}
