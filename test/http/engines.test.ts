import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { aMeeting, anOrganization, aUser, countedIds, type Dataset } from '@rollcall/core/testing';
import type { Database } from '#adapters/sql/index.js';
import { transferDatabase } from '#adapters/sql/maintenance/index.js';
import { aWebhook } from '#core/testing/subscribe.js';
import type { Sent } from '../support/http/client.js';
import { columns, pastMeeting } from '../support/http/exported-meetings.js';
import { securedCalls } from '../support/http/operations.js';
import { startFor } from '../support/http/raw.js';
import type { Reply } from '../support/http/reply.js';
import type { HttpService, TestOrganization } from '../support/http/service.js';
import { startPostgresDatabase } from '../support/postgres.js';
import { type DatabaseKind, databaseKinds } from '../support/storage.js';
import { testNow } from '../support/test-service.js';

// The time of the first import, which is when memberships begin in a database.
const createdAt = new Date('2026-01-01T00:00:00.000Z');
const dana = aUser(900, { email: 'dana@northwind.test', firstName: 'Zoë', lastName: "O'Neil", createdAt });
const registeredAt = new Date('2026-11-01T10:00:00.000Z');

const dataset: Dataset = {
  organizations: [anOrganization(1, { eap: true }), anOrganization(2)],
  users: [dana, aUser(901, { createdAt }), aUser(902)],
  memberships: [
    { organizationId: 1, userId: 900, role: 'owner', idpId: 'idp-1' },
    { organizationId: 1, userId: 901, role: 'member', idpId: null },
  ],
  meetings: [
    aMeeting(1, { groupLeaderId: 900, maxAttendees: 1, waitList: true }),
    aMeeting(2, { description: 'Line\nbreak "quoted" \\ 漢字 😀', price: 12.5 }),
    aMeeting(3, { organizationId: null, eapOrganizationIds: [1], eap: true }),
    aMeeting(4, { ...pastMeeting('2026-10-20T18:00:00'), groupLeaderId: 901, specialFocus: 'Loss' }),
    aMeeting(5, { ...pastMeeting('2026-10-21T18:00:00'), price: null, topic: '=1+1;"' }),
    aMeeting(6, { organizationId: 2 }),
  ],
  registrations: [
    { meetingId: 1, userId: 901, registeredAt },
    { meetingId: 2, userId: 900, registeredAt },
    { meetingId: 3, userId: 900, registeredAt },
  ],
  waitingPlaces: [{ meetingId: 1, userId: 900, status: 'waiting', createdAt: registeredAt }],
};

const { url, enabled, events } = aWebhook(testNow);
const everyColumn = `column=${columns.join('&column=')}`;
/** The first user that is invited. */
const invitedPath = '/invitations/00000000-0000-4000-8000-000000000001';

type Step = readonly [method: string, path: string, sent?: Sent];

const reading: readonly Step[] = [
  ['GET', `/users/${dana.uuid}`],
  ['GET', `/users/${dana.uuid}/upcoming_meetings`],
  ['GET', '/members/idp-1/upcoming_meetings?items=1&page=2'],
  ['GET', `/users?search=${encodeURIComponent('ZOË')}`],
  ['GET', '/users?role=member&limit=1'],
  ['GET', '/invitations?limit=1'],
  ['GET', invitedPath],
  ['GET', '/webhook/deliveries?state=failed&limit=1'],
  ['GET', '/webhook/deliveries/1'],
  ['GET', '/events?limit=1'],
  ...['all_past', 'all_upcoming', 'last_month'].map(
    (days): Step => ['GET', `/export_meetings?${everyColumn}&reporting_days=${days}`],
  ),
  ['GET', `/export_meetings?${everyColumn}&per_page=1&page=2`],
  ['GET', `/export_meetings?${everyColumn}&report_type=organization`],
  ['GET', `/meeting_changes?${everyColumn}`],
];

const steps: readonly Step[] = [
  ['POST', '/invite_user', { json: { email: dana.email, first_name: 'Dana', last_name: 'Kim' } }],
  ['POST', `${invitedPath}/renew`, { json: { first_name: 'Kimberly' } }],
  ['PATCH', `/users/${aUser(901).uuid}`, { json: { user: { idp_id: 'idp-2' } } }],
  ['PATCH', `/users/${aUser(901).uuid}`, { json: { user: { idp_id: 'idp-1' } } }],
  ['PATCH', '/webhook', { json: { webhook: { url } }, headers: { 'Idempotency-Key': 'k' } }],
  ['POST', `/users/${dana.uuid}/one_time_login_link`],
  ...reading,
  ...securedCalls.map(({ method, path, sent }): Step => [method, path, sent]),
  ['POST', '/webhook/deliveries/1/redeliver', { headers: { 'Idempotency-Key': 'k' } }],
  ['POST', '/webhook/redeliver_failed', { json: { since: registeredAt.toISOString() } }],
  ['POST', `${invitedPath}/revoke`],
  ['DELETE', `/users/${aUser(901).uuid}`],
  ...reading,
];

/** A service with an event that could not be delivered. */
async function startLoaded(
  t: TestContext,
  database: DatabaseKind,
): Promise<HttpService & { readonly own: TestOrganization }> {
  const service = await startOver(t, database);
  await service.load(dataset);
  const own = await service.signIn(1);
  await own.post('/invite_user', { email: 'kim@northwind.test', first_name: 'Kim', last_name: 'Lee' });
  await own.post('/webhook', { webhook: { url, enabled, events } });
  await service.core.registerUser({
    organizationId: 1,
    email: 'new@people.test',
    firstName: 'N',
    lastName: 'P',
  });
  service.replace('webhookSender', { send: () => Promise.reject(new Error('the sender is broken')) });
  await Promise.all(await service.core.deliverWebhooks({ limit: 10 }));
  return { ...service, own };
}

async function startOver(t: TestContext, database: DatabaseKind | Database): Promise<HttpService> {
  const service = await startFor(t, { database, ports: { ids: countedIds() } });
  service.clock.set(testNow);
  return service;
}

/** What differs from run to run, or by when a database has stored it: secrets, numbers of rows, times of changes. */
const generated: readonly RegExp[] = [
  /(?<=\/login\/\w+\.)[\w-]{43}/g,
  /(?<=whsec_)[\w+/]{43}=/g,
  /(?<="id":)\d+(?=,"(?:event_id|url)")/g,
  /(?<="user":\{"id":)\d+/g,
  /(?<="changed_at":")[^"]*/g,
  // A cursor of changes, which has the time of the last one.
  /(?<="next":")WyJtZWV0aW5nLWNoYW5nZXM[\w-]*/g,
];

function comparable({ status, headers, text }: Reply): unknown {
  const { date: _date, 'x-request-id': _id, 'content-length': _length, ...constant } = headers;
  return { status, headers: constant, text: generated.reduce((left, part) => left.replace(part, ''), text) };
}

async function answersOf(
  { client }: HttpService,
  own: TestOrganization,
  sent: readonly Step[],
): Promise<readonly unknown[]> {
  const answers: unknown[] = [];
  const [failed] = (await own.get('/webhook/deliveries?state=failed')).json.deliveries;
  for (const [method, path, { headers, ...rest } = {}] of sent) {
    const reply = await client.send(
      method,
      `/api/v2/organizations/1${path.replace('deliveries/1', `deliveries/${failed.id}`)}`,
      {
        headers: { Authorization: `Bearer ${own.token}`, ...headers },
        ...rest,
      },
    );
    answers.push({ request: `${method} ${path}`, ...(comparable(reply) as object) });
  }
  return answers;
}

test('every operation answers the same over each database, byte for byte', async (t) => {
  const answers = new Map<DatabaseKind, readonly unknown[]>();
  for (const database of databaseKinds) {
    const service = await startLoaded(t, database);
    answers.set(database, await answersOf(service, service.own, steps));
    assert.deepEqual(service.reports, []);
  }
  for (const database of databaseKinds) assert.deepEqual(answers.get(database), answers.get('memory'));
});

test('after a transfer from SQLite to PostgreSQL, every operation answers the same, byte for byte', async (t) => {
  const { own, database } = await startLoaded(t, 'sqlite');
  assert.ok(database !== null);
  const target = await startPostgresDatabase();
  t.after(target.stop);
  await transferDatabase({ from: database, to: target.database });
  const [before, after] = [await startOver(t, database), await startOver(t, target.database)];
  assert.deepEqual(await answersOf(after, own, steps), await answersOf(before, own, steps));
  assert.deepEqual([...before.reports, ...after.reports], []);
});
