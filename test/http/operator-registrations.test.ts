import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { verifyWebhook } from '@rollcall/contracts/webhooks';
import { ID } from '#app/assembly/identifiers.js';
import { eventName } from '#core/testing/subscribe.js';
import { type OperatorService, startOperatorService } from '../support/http/operator-service.js';
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/receiver.js';
import { slowness } from '../support/slowness.js';
import { eventually } from '../support/wait.js';
import { webhookAt } from '../support/webhook-at.js';

const MAX_DELAY_MS = 1000;

const northwind = { kind: 'organization', id: 1, name: 'Northwind' };
const fabrikam = { kind: 'organization', id: 2, name: 'Fabrikam' };
const userOf = (id: number) => ({
  ...{ kind: 'user', id, uuid: `8f6f2a52-5c1e-4e0a-9d0b-${String(id).padStart(12, '0')}` },
  ...{ email: `user-${id}@people.test`, first_name: 'Noor', last_name: 'Haddad' },
  created_at: '2026-01-05T09:00:00Z',
});
const registration = (id: number, fields: object = {}) => ({
  ...{ kind: 'membership', organization_id: 1, user_id: id, role: 'member', registered: true },
  ...fields,
});

describe('A registration on the platform', () => {
  let service: OperatorService;
  let receiver: Receiver;
  let secret = '';
  before(async () => {
    receiver = await startReceiver();
    service = await startOperatorService({
      database: 'postgres',
      override: (container) =>
        container
          .rebind(ID.localReceivers)
          .toConstantValue({ networks: [], certificateAuthorities: [receiver.authority] }),
    });
    await service.records([northwind, fabrikam]);
    const core = service.assembly.get(ID.core);
    const [organization] = await core.listOrganizations();
    assert.ok(organization);
    const webhook = await core.configureWebhook({
      ...{ organization, how: 'set' },
      webhook: webhookAt(`${receiver.url}/hook`),
    });
    secret = webhook.secret?.reveal() ?? '';
  });
  after(async () => {
    await service.stop();
    await receiver.stop();
  });

  const feed = async (organizationId: number) => {
    const core = service.assembly.get(ID.core);
    const organization = (await core.listOrganizations()).find(({ id }) => id === organizationId);
    assert.ok(organization);
    const { events } = await core.readEvents({ organization, limit: 100 });
    return events.map(({ body }) => JSON.parse(body));
  };
  const verified = ({ body, headers }: ReceivedRequest) =>
    verifyWebhook({
      body,
      headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
      secret,
      serviceName: 'Service',
    });

  test('arrives at the receiver, signed, within a second, and is in the feed once', async () => {
    const { json } = await service.records([userOf(101), registration(101, { idp_id: 'nw-101' })]);
    const answeredAt = performance.now();
    assert.deepEqual([json.registered, json.counts.membership], [1, { stored: 1, removed: 0 }]);
    await eventually(() => assert.equal(receiver.requests.length, 1));
    const delay = performance.now() - answeredAt;
    assert.ok(delay < MAX_DELAY_MS * slowness(), `${delay} ms`);
    const [received] = receiver.requests;
    assert.ok(received);
    const event = await verified(received);
    const { id, created_at, ...user } = userOf(101);
    assert.deepEqual(
      { ...event, event_id: '', timestamp: '' },
      {
        event: eventName,
        ...{ event_id: '', timestamp: '' },
        organization: { id: 1, name: 'Northwind' },
        user: {
          ...{ id: 101, uuid: user.uuid, email: user.email, first_name: 'Noor', last_name: 'Haddad' },
          created_at: '2026-01-05T09:00:00.000Z',
        },
      },
    );
    assert.deepEqual(await feed(1), [event]);
  });

  test('makes nothing when it is repeated, and nothing for other records of members', async () => {
    const before = receiver.requests.length;
    const again = [
      [registration(101)],
      [registration(101, { role: 'admin' })],
      [registration(101), registration(101)],
      [userOf(102), registration(102, { registered: false })],
      [registration(102)],
      [userOf(103), registration(103), registration(103, { registered: undefined })],
      [userOf(104), registration(104), { ...registration(104), deleted: true }],
    ];
    for (const records of again) {
      const { status, json } = await service.records(records);
      assert.deepEqual([status, json.registered], [200, 0], JSON.stringify(records));
    }
    await service.records([userOf(105), registration(105)], { query: '?dry_run=1' });
    assert.equal((await feed(1)).length, 1);
    assert.equal(receiver.requests.length, before);
  });

  test('accepts a pending invitation, and tells its UUID', async () => {
    const core = service.assembly.get(ID.core);
    const [organization] = await core.listOrganizations();
    assert.ok(organization);
    const { uuid } = await core.inviteUser({
      ...{ organization, email: userOf(106).email, firstName: 'Noor', lastName: 'Haddad' },
      by: { who: { kind: 'access-key' }, from: null },
    });
    const { json } = await service.records([userOf(106), registration(106)]);
    assert.equal(json.registered, 1);
    assert.equal((await feed(1)).at(-1).user.uuid, uuid);
    await eventually(() => assert.equal(receiver.requests.length, 2));
  });

  test('of many, each makes one event; without a webhook they are only in the feed', async () => {
    const sent = receiver.requests.length;
    const ids = Array.from({ length: 1203 }, (_, index) => 2000 + index);
    const { json } = await service.records([
      ...ids.map(userOf),
      ...ids.map((id) => registration(id, { organization_id: 2 })),
      ...ids.slice(0, 20).map((id) => registration(id)),
    ]);
    assert.equal(json.registered, 1223);
    await eventually(() => assert.equal(receiver.requests.length, sent + 20));
    const core = service.assembly.get(ID.core);
    const organization = (await core.listOrganizations())[1];
    assert.ok(organization);
    const seen = new Set<number>();
    for (let after: string | undefined; ; ) {
      const { events, next, hasMore } = await core.readEvents({ organization, after, limit: 100 });
      for (const { body } of events) seen.add(JSON.parse(body).user.id);
      after = next;
      if (!hasMore) break;
    }
    assert.deepEqual([...seen].sort(), ids);
    const rows = await service.database.read.all('SELECT 1 AS one FROM deliveries WHERE organization_id = 2');
    assert.equal(rows.length, 0);
  });

  test('is refused with all other records, and then makes nothing', async () => {
    const before = (await feed(1)).length;
    const { status } = await service.records([userOf(107), registration(107), { kind: 'user' }]);
    assert.equal(status, 422);
    assert.equal((await feed(1)).length, before);
  });

  test('told by two callers at once, makes one event', async () => {
    const before = (await feed(1)).length;
    const core = service.assembly.get(ID.core);
    for (let id = 300; id < 310; id += 1) {
      await service.records([userOf(id)]);
      const user = userOf(id);
      const [{ json }] = await Promise.all([
        service.records([registration(id)]),
        core
          .registerUser({
            ...{ organizationId: 1, email: user.email, firstName: 'Noor', lastName: 'Haddad' },
          })
          .catch(() => null),
      ]);
      assert.ok([0, 1].includes(json.registered));
    }
    assert.equal((await feed(1)).length, before + 10);
  });

  test('no unexpected error was reported', () => {
    assert.deepEqual(service.reports, []);
  });
});
