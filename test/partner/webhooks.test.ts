import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, serviceName, startPartnerSite } from '../support/partner/partner-site.js';
import { usePartner } from '../support/partner/use-partner.js';
import { type Answer, startReceiver } from '../support/receiver.js';

const partner = usePartner();

const people = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({
    email: `employee-${from + index}@partner.test`,
    firstName: 'Émile',
    lastName: `Nr. ${from + index}`,
  }));

test('its receiver is down for 50 registrations: it sees why each failed, repairs itself, gets all 50 by one call with the same bytes and ids, and the other way, by the feed, each once', async (t) => {
  const { connection, events, people: calls } = partner().program;
  const site = await startPartnerSite(t, 'sqlite');
  const mine = connection.connect(await site.addOrganization(1));
  const { next: before } = await events.readOn(mine);

  // The endpoint first answers 500, then closes connections. Then its server is gone.
  let answer: Answer = (_request, response) => response.writeHead(500).end('disk full');
  const broken = await startReceiver({ answer: (...given) => answer(...given) });
  t.after(() => broken.stop());
  const secret = await events.subscribe(mine, `${broken.url}/hook`);
  const since = new Date().toISOString();
  const failed = async () => (await events.whyFailed(mine, since)).length;
  const joined = new Set<string>();
  const join = async (count: number): Promise<void> => {
    for (const person of people(count, joined.size)) {
      const { id, url } = await calls.invite(mine, person);
      await site.accept(url ?? assert.fail('no invitation'));
      joined.add(id);
    }
    await eventually(`${joined.size} deliveries have failed`, async () => (await failed()) === joined.size);
  };
  await join(20);
  answer = (request) => void request.socket.destroy();
  await join(15);
  await broken.stop();
  await join(15);

  const failures = await events.whyFailed(mine, since);
  const reasons: Record<string, number> = {};
  for (const { phase, result, answered } of failures) {
    const reason = `${phase}: ${result}: ${answered}`;
    reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  assert.deepEqual(reasons, {
    'connect: connection refused: null': 15,
    'answer: connection closed without an answer: null': 15,
    'answer: answered 500: disk full': 20,
  });

  // The repaired endpoint is at another address.
  const inbox = events.createInbox({ secret, serviceName });
  const repaired = await startReceiver({
    answer: (request, response, body) =>
      void inbox.receive(request.headers, body).then(
        (status) => response.writeHead(status).end(),
        () => response.writeHead(401).end(),
      ),
  });
  t.after(() => repaired.stop());
  await events.subscribe(mine, `${repaired.url}/hook`);
  assert.equal(await events.resendFailed(mine, since), 50);
  await eventually('the endpoint has all 50', () => inbox.bodies.size === 50);
  assert.equal(inbox.accepted(), 50);
  const sent = new Map(failures.map(({ eventId, sent: body }) => [eventId, body]));
  assert.deepEqual(sorted(inbox.bodies), sorted(sent));
  await eventually('no delivery is failed any more', async () => (await failed()) === 0);

  // Small pages, so that they have to be followed.
  const news = await events.readOn(mine, before, 7);
  assert.equal(news.events.length, 50);
  const told = new Map(news.events.map((event) => [event.event_id, JSON.stringify(event)]));
  assert.deepEqual(sorted(told), sorted(sent));
  assert.deepEqual(new Set(news.events.map(({ user }) => user.uuid)), joined);
  assert.deepEqual((await events.readOn(mine, news.next)).events, []);
});

test('learns of registrations that happened while the webhook was off', async (t) => {
  const { connection, events } = partner().program;
  const site = await startPartnerSite(t, 'sqlite');
  const mine = connection.connect(await site.addOrganization(1));
  const register = async (email: string): Promise<void> => {
    await site.core.registerUser({ organizationId: 1, email, firstName: 'A', lastName: 'B' });
  };
  const emails = ({ events: list }: Awaited<ReturnType<typeof events.readOn>>) =>
    list.map(({ user }) => user.email);

  await register('before-any-webhook@partner.test');
  const first = await events.readOn(mine);
  assert.deepEqual(emails(first), ['before-any-webhook@partner.test']);

  const receiver = await startReceiver();
  t.after(() => receiver.stop());
  await events.subscribe(mine, receiver.url);
  await events.setEnabled(mine, false);
  for (const email of ['off-1@partner.test', 'off-2@partner.test']) await register(email);
  await events.setEnabled(mine, true);
  await register('on@partner.test');
  await eventually('the endpoint is told of the last one', () => receiver.requests.length > 0);

  const rest = await events.readOn(mine, first.next);
  assert.deepEqual(emails(rest), ['off-1@partner.test', 'off-2@partner.test', 'on@partner.test']);
  const bodies = receiver.requests.map(({ body }) => body.toString());
  assert.deepEqual(bodies, [JSON.stringify(rest.events[2])]);
  assert.deepEqual(await events.whyFailed(mine, new Date(0).toISOString()), []);
});

const sorted = (map: ReadonlyMap<string, unknown>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
