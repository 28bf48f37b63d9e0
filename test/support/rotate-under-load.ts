import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '@rollcall/contracts/client';
import { anOrganization } from '@rollcall/core/testing';
import { uncorrectedClock } from '@rollcall/node';
import { createHttpServer } from '#adapters/express/server.js';
import { createLog } from '#adapters/node/system/log.js';
import { ID } from '#app/assembly/identifiers.js';
import { startAssembledService } from './assembled-service.js';
import { testAuthority } from './certificates.js';
import { type ReceivedRequest, startReceiver, startTcpListener } from './receiver.js';
import type { DatabaseKind } from './storage.js';
import { eventually } from './wait.js';
import { webhookAt } from './webhook-at.js';

/** What runs hooks at its end, such as a test. */
export interface Ending {
  after(hook: () => Promise<void>): void;
}

/** How many people register at once. */
const CONCURRENCY = 4;
/** How many events wait for the endpoint at most, so that the load lasts until the rotation has ended. */
const MAX_WAITING = 20;
/** The receiver waits before each step and after the last one. Each time, this part of the events arrives. */
const PARTS = 9;
/** The endpoint is some way off, so that requests are under way while the secret changes. */
const NETWORK_DELAY_MS = 20;
const SERVERS = 3;

/**
 * Lets people register without a pause while a receiver rotates its secret by the steps of the guide. Its servers take
 * turns, know section 6.3 of the specification and nothing else about signatures, and learn of a secret one after the
 * other. Checks that many events were signed with each secret. Returns how many requests were received, how many of them the
 * endpoint could not verify, and the deliveries by state.
 */
export async function rotateUnderLoad(
  context: Ending,
  { database, events }: { readonly database: DatabaseKind; readonly events: number },
) {
  const { core, api } = await startSite(context, database);
  const organization = { path: { organization_id: '1' } };
  const servers = Array.from({ length: SERVERS }, () => new Set<string>());
  let turn = 0;
  let refused = 0;
  const arrived = new Set<string>();
  const receiver = await startReceiver({
    answer: (request, response, body) => {
      const known = servers[turn++ % SERVERS] ?? new Set();
      const signature = request.headers['x-acme-care-signature'];
      const isGenuine = [...known].some((secret) => signature === signed(secret, body));
      if (!isGenuine) refused += 1;
      arrived.add(JSON.parse(body.toString()).user.email);
      response.writeHead(isGenuine ? 204 : 401).end();
    },
  });
  context.after(() => receiver.stop());
  const relay = await startTcpListener({ onConnection: (near) => delay(near, receiver.port) });
  context.after(() => relay.stop());
  const { webhook } = await api.post('/organizations/{organization_id}/webhook', {
    params: organization,
    body: { webhook: { ...webhookAt(`https://127.0.0.1:${relay.port}`), events: ['user.registered'] } },
  });
  const old = webhook.secret;
  for (const server of servers) server.add(old);

  let registered = 0;
  const emailOf = (index: number): string => `employee-${index}@partner.test`;
  const register = async (): Promise<void> => {
    while (registered < events) {
      if (registered - arrived.size >= MAX_WAITING) {
        await pause(2);
        continue;
      }
      registered += 1;
      await core.registerUser({
        ...{ organizationId: 1, email: emailOf(registered), firstName: 'A', lastName: 'B' },
      });
    }
  };
  let reached = 0;
  /** Waits for the next part of the events, and for every event that has happened before. */
  const wait = async (): Promise<void> => {
    reached += Math.floor(events / PARTS);
    const before = Array.from({ length: registered }, (_, index) => emailOf(index + 1));
    const haveArrived = (): boolean => arrived.size >= reached && before.every((email) => arrived.has(email));
    await eventually(haveArrived, `${reached} events have not arrived`);
  };
  /** The steps of the guide. The first one, servers that can hold two secrets, is done. */
  const rotate = async (): Promise<string> => {
    const { webhook } = await api.patch('/organizations/{organization_id}/webhook', {
      params: { ...organization, header: { 'Idempotency-Key': 'the rotation of November' } },
      body: { webhook: { enabled: true }, regenerate_secret: '1', overlap_hours: 24 },
    });
    await wait();
    for (const server of servers) {
      server.add(webhook.secret);
      await wait();
    }
    await wait();
    await api.post('/organizations/{organization_id}/webhook/finish_rotation', { params: organization });
    // Requests that were under way still have the old signature.
    await wait();
    for (const server of servers) server.delete(old);
    await wait();
    return webhook.secret;
  };
  const load = Promise.all(Array.from({ length: CONCURRENCY }, register));
  await wait();
  const current = await rotate();
  assert.ok(registered < events, 'the load ended before the rotation');
  await load;
  await eventually(() => arrived.size >= events, 'not every event has arrived');

  const least = events / PARTS;
  for (const secret of [old, current]) {
    const requests = receiver.requests.filter((request) => isSignedWith(secret, request));
    assert.ok(requests.length >= least, `${requests.length} events were signed with one of the secrets`);
  }
  const ids = new Set(receiver.requests.map(({ body }) => JSON.parse(body.toString()).event_id));
  assert.equal(ids.size, receiver.requests.length, 'each event was received once');
  const statesNow = async (): Promise<Readonly<Record<string, number>>> => {
    const states: Record<string, number> = {};
    const params = { ...organization, query: { limit: 100 } };
    const log = api.items('/organizations/{organization_id}/webhook/deliveries', { params });
    for await (const { state } of log) states[state] = (states[state] ?? 0) + 1;
    return states;
  };
  await eventually(async () => (await statesNow()).sending === undefined, 'an outcome is not recorded');
  return { received: receiver.requests.length, refused, states: await statesNow() };
}

/** A service that sends real webhooks to receivers on this machine, and a client of its organization 1. */
async function startSite(context: Ending, database: DatabaseKind) {
  const log = createLog({ level: 'silent' });
  const reports: unknown[] = [];
  let handle: Parameters<typeof createHttpServer>[0]['handler'] | null = null;
  const server = createHttpServer({
    log,
    handler: (request, response) => handle?.(request, response),
    timeouts: { lastRequests: 300 },
  });
  const { port } = await server.listen({ port: 0, host: '127.0.0.1' });
  const url = `http://127.0.0.1:${port}`;
  const { cert } = await testAuthority();
  const service = await startAssembledService({
    ...{ database, log, real: ['webhookSender', 'dispatcher'] },
    environment: { PUBLIC_URL: url, SERVICE_NAME: 'Acme Care' },
    override(container) {
      container.rebind(ID.clock).toConstantValue(uncorrectedClock);
      container.rebind(ID.localReceivers).toConstantValue({ networks: [], certificateAuthorities: [cert] });
      container
        .rebind(ID.errorTracker)
        .toConstantValue({ report: (error) => reports.push(error), flush: async () => {} });
    },
  });
  const { core, assembly } = service;
  handle = assembly.get(ID.app);
  const dispatcher = assembly.get(ID.dispatcher);
  dispatcher.start(core.deliverWebhooks);
  context.after(async () => {
    await server.stop();
    await dispatcher.stop();
    await service.stop();
    assert.deepEqual(reports, []);
  });
  await service.load({ organizations: [anOrganization(1)] });
  const { accessKey } = await core.generateAccessKey({ organizationId: 1 });
  return { core, api: createClient({ baseUrl: `${url}/api/v2`, accessKey: accessKey.reveal() }) };
}

function signed(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

function isSignedWith(secret: string, { headers, body }: ReceivedRequest): boolean {
  const expected = signed(secret, body);
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
