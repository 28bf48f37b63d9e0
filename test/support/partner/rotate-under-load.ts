import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type ReceivedRequest, startReceiver, startTcpListener } from '../receiver.js';
import type { DatabaseKind } from '../storage.js';
import type { InstalledPartner } from './installed-partner.js';
import { type Ending, eventually, startPartnerSite } from './partner-site.js';

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
/** The partner waits before each step and after the last one. Each time, this part of the events arrives. */
const PARTS = 9;
/** The endpoint is some way off, so that requests are under way while the secret changes. */
const NETWORK_DELAY_MS = 20;

/**
 * Lets people register without a pause while the partner rotates its secret. Checks that many events were signed with
 * each secret.
 */
export async function rotateUnderLoad(
  context: Ending,
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
  const arrived = new Set<string>();
  const receiver = await startReceiver({
    answer: (request, response, body) => {
      const isGenuine = verify(request.headers['x-acme-care-signature'] as string | undefined, body);
      if (!isGenuine) refused += 1;
      arrived.add(JSON.parse(body.toString()).user.email);
      response.writeHead(isGenuine ? 204 : 401).end();
    },
  });
  context.after(() => receiver.stop());
  const relay = await startTcpListener({ onConnection: (near) => delay(near, receiver.port) });
  context.after(() => relay.stop());
  const old = await calls.subscribe(mine, `https://127.0.0.1:${relay.port}`);
  const endpoint = rotation.createPlainEndpoint(old);
  verify = endpoint.verifies;

  let registered = 0;
  const emailOf = (index: number): string => `employee-${index}@partner.test`;
  const register = async (): Promise<void> => {
    while (registered < events) {
      if (registered - arrived.size >= MAX_WAITING) {
        await pause(2);
        continue;
      }
      registered += 1;
      const email = emailOf(registered);
      await site.core.registerUser({ organizationId: 1, email, firstName: 'A', lastName: 'B' });
    }
  };
  let reached = 0;
  /** Waits for the next part of the events, and for every event that has happened before. */
  const wait = async (): Promise<void> => {
    reached += Math.floor(events / PARTS);
    const before = Array.from({ length: registered }, (_, index) => emailOf(index + 1));
    await eventually(`${reached} events have arrived`, () => {
      return arrived.size >= reached && before.every((email) => arrived.has(email));
    });
  };
  const load = Promise.all(Array.from({ length: CONCURRENCY }, register));
  await wait();
  const current = await rotation.rotate(mine, { endpoint, old, wait });
  assert.ok(registered < events, 'the load ended before the rotation');
  await load;
  await eventually('every event has arrived', () => arrived.size >= events);

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

/** Passes everything on to a port, a little later. */
function delay(near: Socket, port: number): void {
  const far = connect(port, '127.0.0.1');
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    from.on('data', (chunk) => setTimeout(() => to.write(chunk), NETWORK_DELAY_MS));
    from.on('end', () => setTimeout(() => to.end(), NETWORK_DELAY_MS));
    from.on('error', () => to.destroy());
  }
}
