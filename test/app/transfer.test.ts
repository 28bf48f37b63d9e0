import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Attempt, Secret } from '@rollcall/core';
import {
  aMeeting,
  anOrganization,
  aUser,
  type Dataset,
  hostileTexts,
  recordingSender,
} from '@rollcall/core/testing';
import type { Bulk, Database, SqlValue } from '#adapters/sql/index.js';
import { TransferError, transferDatabase } from '#adapters/sql/maintenance/index.js';
import { eventName } from '#core/testing/subscribe.js';
import { startTestService, type TestService, testNow } from '../support/test-service.js';
import { assertEmpty, copiedTables, dump, startEmptyDatabase } from '../support/transfer.js';

const directions = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
  ['sqlite', 'sqlite'],
  ['postgres', 'postgres'],
] as const;

/** The whole schema of a database. */
async function schemaOf({ engine, read }: Database): Promise<unknown> {
  if (engine === 'sqlite') return read.all('SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2');
  return [
    await read.all(
      `SELECT conname, conrelid::regclass::text, pg_get_constraintdef(oid), convalidated
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`,
    ),
    await read.all(`SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1`),
    await read.all(
      `SELECT tgname, pg_get_triggerdef(oid), tgenabled FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2`,
    ),
  ];
}

const at = (text: string): Date => new Date(text);
const organization = { id: 1 };

const dataset: Dataset = {
  organizations: [anOrganization(1, { eap: true }), anOrganization(7, { name: hostileTexts[0] ?? '' })],
  users: [
    ...hostileTexts.map((text, index) => aUser(100 + index, { firstName: text, lastName: text })),
    aUser(300, { avatar: 'https://pictures.test/1.png', createdAt: at('1970-01-01T00:00:00.001Z') }),
  ],
  memberships: [
    { organizationId: 1, userId: 100, role: 'owner', idpId: 'idp-\\N' },
    { organizationId: 1, userId: 101, role: 'member', idpId: null },
    { organizationId: 7, userId: 100, role: 'admin', idpId: null },
  ],
  meetings: [
    ...hostileTexts.map((text, index) =>
      aMeeting(index + 1, { name: text, topic: text, description: text, groupLeaderId: 100 }),
    ),
    aMeeting(500, { status: 'complete', eap: true, price: 0.1, privacy: true, waitList: true }),
    aMeeting(501, { status: 'complete', price: 12345678901.25, duration: 9007199254740991 }),
    aMeeting(502, { status: 'complete', organizationId: null, eapOrganizationIds: [7], eap: true }),
    aMeeting(9007199254740991, { organizationId: null, eapOrganizationIds: [1, 7], price: 1e-7 }),
  ],
  registrations: [
    { meetingId: 1, userId: 100, registeredAt: at('2026-11-01T10:00:00.007Z') },
    { meetingId: 500, userId: 101, registeredAt: at('2026-11-01T10:00:00Z') },
  ],
  waitingPlaces: [
    {
      meetingId: 500,
      userId: 100,
      status: 'offered',
      createdAt: at('2026-11-02T10:00:00Z'),
      offeredUntil: at('2026-11-03T10:00:00.007Z'),
    },
    { meetingId: 2, userId: 101, status: 'waiting', createdAt: at('2026-11-02T10:00:00Z') },
  ],
};

const person = (name: string) => ({ email: `${name}@example.test`, firstName: name, lastName: 'Kim' });

const failed: Attempt = {
  startedAt: testNow,
  duration: 12.25,
  outcome: 'failed',
  phase: 'answer',
  status: 500,
  reason: 'The receiver answered 500.',
};

/** Stores rows in every table, by the code that stores them in production. */
async function fill(database: Database): Promise<TestService> {
  const service = await startTestService({
    database,
    ports: { webhookSender: recordingSender(() => failed) },
  });
  const { core } = service;
  await service.load(dataset);
  await service.load({ changedMeetings: [aMeeting(77)] });
  await service.load({ deletedMeetings: [77] });
  await core.generateAccessKey({ organizationId: 1 });
  await core.configureWebhook({
    organization,
    how: 'set',
    webhook: { url: 'https://partner.test/hooks', enabled: true, events: [eventName] },
  });
  const { invitationUrl } = await core.inviteUser({ organization, ...person('invited') });
  await core.inviteUser({ organization, ...person('waiting') });
  await core.acceptInvitation({
    token: invitationUrl.slice(invitationUrl.lastIndexOf('/') + 1),
    person: { is: 'new', firstName: 'In', lastName: 'Vited', password: new Secret('a long password') },
    address: 'a test',
  });
  // Assigns positions to the events so far. The next one has none yet.
  await core.readEvents({ organization });
  const member = await core.registerUser({ organizationId: 1, ...person('sent') });
  // The platform knows the person who was registered here by another number.
  await service.load({ users: [{ ...member.user, id: 400 }] });
  await core.issueLoginLink({ organization, uuid: member.uuid });
  await Promise.all(await core.deliverWebhooks({ limit: 1 }));
  await database.write(async (sql) => {
    await sql.run("INSERT INTO secret_key (key_id) VALUES ('0123abcd')");
    await sql.run("INSERT INTO secret_key_uses VALUES ('0123abcd', '2026-11-20T12:00:00.000Z')");
    await sql.run("INSERT INTO calendar_feeds VALUES (1, 100, 'a hash', '2026-11-20T12:00:00.000Z')");
    await sql.run(
      `INSERT INTO sign_on (organization_id, issuer, client_id, sealed_secret, id_claim, admits, is_on, is_required, changed_at)
      VALUES (1, 'https://idp.test', 'a client', 'sealed', 'sub', 'anyone', true, false, '2026-11-20T12:00:00.000Z')`,
    );
    await sql.run(
      `INSERT INTO identities VALUES (
        1, 'https://idp.test', 'a subject', 100, '2026-11-20T12:00:00.000Z', '2026-11-20T12:00:00.000Z'
      )`,
    );
    await sql.run(
      `INSERT INTO setup_links VALUES (
        1, 'a hash', 100, '2026-11-20T12:00:00.000Z', '2026-11-21T12:00:00.000Z', '2026-11-20T13:00:00.000Z'
      )`,
    );
    await sql.run(
      `INSERT INTO passkeys VALUES
        ('an id', 100, 'a key', 3, 'usb,nfc', true, 'Key', '2026-11-20T12:00:00.000Z', '2026-11-20T12:01:00.000Z')`,
    );
    await sql.run("INSERT INTO code_secrets VALUES (100, 'sealed', 100, '2026-11-20T12:00:00.000Z')");
    await sql.run("INSERT INTO recovery_codes VALUES (100, 'a hash')");
    await sql.run('UPDATE organizations SET requires_second_factor = true');
    await sql.run('UPDATE sessions SET has_second_factor = true');
    await sql.run(
      "INSERT INTO directory_tokens (hash, organization_id, created_at) VALUES ('a hash', 1, '2026-11-20T12:00:00.000Z')",
    );
    await sql.run(
      `INSERT INTO directory_people (organization_id, uuid, user_name, user_name_key, is_active, changed_at)
      VALUES (1, '00000000-0000-4000-8000-000000000999', 'Name', 'name', false, '2026-11-20T12:00:00.000Z')`,
    );
    await sql.run(
      `INSERT INTO directory_requests (organization_id, at, method, status, reason)
      VALUES (1, '2026-11-20T12:00:00.000Z', 'GET', 200, 'Read')`,
    );
    await sql.run(
      `INSERT INTO idempotency_keys (organization_id, operation, key, fingerprint, run, begun_at)
      VALUES (1, 'redeliver', 'a key', 'a fingerprint', 'a run', '2026-11-20T12:00:00.000Z')`,
    );
    await sql.run(
      `INSERT INTO webhook_outcomes (organization_id, state, finished_at)
      VALUES (1, 'failed', '2026-11-20T12:00:00.000Z')`,
    );
    await sql.run(
      `INSERT INTO api_calls (organization_id, at, method, operation, path, request_id, milliseconds)
      VALUES (1, '2026-11-20T12:00:00.000Z', 'GET', 'listUsers', '/', 'a request', 1)`,
    );
    await sql.run('INSERT INTO erased_seats SELECT min(id), 1 FROM meetings');
    await sql.run(
      "INSERT INTO password_resets VALUES ('a hash', 100, '2026-11-20T12:00:00.000Z', '2026-11-20T12:30:00.000Z')",
    );
    await sql.run(
      `INSERT INTO mails (kind, email, created_at, due_at)
      VALUES ('password-reset', 'a@example.test', '2026-11-20T12:00:00.000Z', '2026-11-20T12:00:00.000Z')`,
    );
    await sql.run("INSERT INTO pruned_tombstones VALUES (1, '2026-10-20T12:00:00.000Z')");
    await sql.run(
      `INSERT INTO imports (source, began_at, ended_at, result, records, key, fingerprint, answer)
      VALUES ('operator', '2026-11-20T12:00:00.000Z', '2026-11-20T12:00:01.000Z', 'imported', 0, 'a key', 'a', '{}')`,
    );
    await sql.run(
      `INSERT INTO instances VALUES ('an id', '0.1.0', '2026-11-20T12:00:00.000Z', '2026-11-20T12:00:01.000Z')`,
    );
    await sql.run(
      `INSERT INTO import_places VALUES ('/changes.ndjson', '1 2 a', 2, 1, '2026-11-20T12:00:00.000Z')`,
    );
    if (database.engine === 'postgres') {
      await sql.run("INSERT INTO failure_counts VALUES ('counted', 3, '2026-11-20T12:00:00Z')");
    }
  });
  return service;
}

describe('Copying a database', () => {
  for (const [from, to] of directions) {
    test(`from ${from} to ${to}: all data is copied, and the schema is that of the migrations`, async (t) => {
      const source = await startEmptyDatabase(t, from);
      const target = await startEmptyDatabase(t, to);
      const { stop } = await fill(source);
      await stop();
      const sourceTables = await copiedTables(source);
      const targetTables = await copiedTables(target);
      const common = sourceTables.filter((name) => targetTables.includes(name));
      assert.deepEqual(
        [...sourceTables, ...targetTables].filter((name) => !common.includes(name)),
        from === to ? [] : ['failure_counts'],
      );
      const schema = await schemaOf(target);

      const copied = await transferDatabase({ from: source, to: target });
      const rows = await dump(source, common);
      assert.deepEqual(
        Object.entries(rows).filter(([, rows]) => rows.length === 0),
        [],
        'every table has rows to copy',
      );
      assert.deepEqual(await dump(target, common), rows);
      assert.deepEqual(await schemaOf(target), schema);
      assert.deepEqual(
        Object.fromEntries(copied.map(({ table, rows }) => [table, rows])),
        Object.fromEntries(Object.entries(rows).map(([name, { length }]) => [name, length])),
      );
    });

    test(`from ${from} to ${to}: the copy assigns later numbers, continues the counts, and sends pending events`, async (t) => {
      const source = await startEmptyDatabase(t, from);
      const target = await startEmptyDatabase(t, to);
      const original = await fill(source);
      // Nothing has the last number that was assigned.
      const gone = await original.core.createOrganization({ name: 'Gone', eap: false });
      await source.write((sql) => sql.run('DELETE FROM organizations WHERE id = ?', [gone.id]));
      const last = await source.read.get<{ id: number }>('SELECT max(id) AS id FROM users');
      await transferDatabase({ from: source, to: target });

      const service = await startTestService({ database: target });
      t.after(service.stop);
      const { id } = await service.core.createOrganization({ name: 'New', eap: false });
      assert.ok(id > gone.id, `${id} comes after ${gone.id}`);
      await service.core.registerUser({ organizationId: 1, ...person('late') });
      const late = await target.read.get<{ id: number }>(
        "SELECT id FROM users WHERE email = 'late@example.test'",
      );
      assert.ok(Number(late?.id) > Number(last?.id));

      await service.load({ meetings: [aMeeting(900, { status: 'complete' })] });
      const counted = await target.read.get<{ meetings: number }>(
        'SELECT meetings FROM complete_meeting_counts WHERE organization_id = 1',
      );
      assert.equal(counted?.meetings, 3);
      const ofTheService = { organizationId: null, eapOrganizationIds: [7], status: 'complete' };
      await service.load({ meetings: [aMeeting(901, ofTheService)] });
      assert.deepEqual(await target.read.all('SELECT * FROM tied_meeting_counts'), [
        { organization_id: 7, meetings: 2, eap_meetings: 1 },
      ]);
      await service.load({ registrations: [{ meetingId: 900, userId: 300, registeredAt: testNow }] });
      await service.load({ meetings: [aMeeting(900, { endTime: at('2026-11-20T23:00:00.000Z') })] });
      const registration = await target.read.get<{ end_time: string }>(
        'SELECT end_time FROM registrations WHERE meeting_id = 900',
      );
      assert.equal(registration?.end_time, '2026-11-20T23:00:00.000Z');

      const reports = await Promise.all(await service.core.deliverWebhooks({ limit: 10 }));
      const sourceRows = await dump(source, ['deliveries']);
      const pending = sourceRows.deliveries?.filter(({ state }) => state === 'pending');
      assert.equal(pending?.length, 1);
      assert.equal(reports.length, 2);
      assert.deepEqual(
        reports.map(({ state }) => state),
        ['delivered', 'delivered'],
      );
      assert.ok(service.webhookSender.sent.some(({ body }) => body === pending?.[0]?.body));
      await assert.rejects(target.write((sql) => sql.run('DELETE FROM users WHERE id = 100')));
    });
  }

  for (const engine of ['sqlite', 'postgres'] as const) {
    test(`to ${engine}: a lost row is detected, and nothing is kept`, async (t) => {
      const source = await startEmptyDatabase(t, 'sqlite');
      const target = await startEmptyDatabase(t, engine);
      await (await fill(source)).stop();
      const losingRow = withBulk(source, (bulk) => ({
        ...bulk,
        all: async <Row>(text: string, values?: readonly SqlValue[]) => {
          const rows = await bulk.all<Row>(text, values);
          return text.includes('FROM registrations') ? rows.slice(1) : rows;
        },
      }));
      await assert.rejects(
        transferDatabase({ from: losingRow, to: target }),
        new TransferError('registrations has 2 rows in the source and 1 in the target.'),
      );
      await assertEmpty(target);
      await transferDatabase({ from: source, to: target });
    });

    test(`to ${engine}: a broken reference is detected, and nothing is kept`, async (t) => {
      const source = await startEmptyDatabase(t, 'sqlite');
      const target = await startEmptyDatabase(t, engine);
      await (await fill(source)).stop();
      await source.bulk(async (bulk) => {
        await bulk.run('PRAGMA foreign_keys = OFF');
        await bulk.run('DELETE FROM users WHERE id = 101');
      });
      await assert.rejects(
        transferDatabase({ from: source, to: target }),
        /refers to one of users|violates foreign key/,
      );
      await assertEmpty(target);
    });

    test(`from ${engine}: a consistent snapshot is copied during other writes`, async (t) => {
      const source = await startEmptyDatabase(t, engine);
      const target = await startEmptyDatabase(t, 'sqlite');
      const service = await fill(source);
      const tables = await copiedTables(target);
      const before = await dump(source, tables);
      let meanwhile: Promise<void> | null = null;
      const disturbed = withBulk(source, (bulk) => ({
        ...bulk,
        all: async <Row>(text: string, values?: readonly SqlValue[]) => {
          if (text.includes('FROM meetings')) {
            meanwhile ??= service.load({
              organizations: [anOrganization(1000)],
              meetings: [aMeeting(1, { name: 'changed' }), aMeeting(1001)],
            });
            await meanwhile;
          }
          return bulk.all<Row>(text, values);
        },
      }));
      await transferDatabase({ from: disturbed, to: target });
      assert.notEqual(meanwhile, null);
      assert.deepEqual(await dump(target, tables), before);
    });
  }

  test('rows of every size are copied in small pages', async (t) => {
    const source = await startEmptyDatabase(t, 'sqlite');
    const target = await startEmptyDatabase(t, 'postgres');
    const service = await startTestService({ database: source });
    const long = 'ü'.repeat(100_000);
    await service.load({
      organizations: [anOrganization(1)],
      meetings: Array.from({ length: 1500 }, (_, index) =>
        aMeeting(index + 1, index % 20 === 0 ? { description: long } : {}),
      ),
    });
    let largest = 0;
    const measured = withBulk(source, (bulk) => ({
      ...bulk,
      all: async <Row>(text: string, values?: readonly SqlValue[]) => {
        const rows = await bulk.all<Row>(text, values);
        largest = Math.max(largest, JSON.stringify(rows).length);
        return rows;
      },
    }));
    await transferDatabase({ from: measured, to: target });
    assert.ok(largest < 3_000_000, `a page of ${largest}`);
    assert.deepEqual(await dump(target, ['meetings']), await dump(source, ['meetings']));
  });

  test('PostgreSQL stores bytes and timestamps unchanged', async (t) => {
    const target = await startEmptyDatabase(t, 'postgres');
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await target.bulk(async (bulk) => {
      await bulk.run('CREATE TEMP TABLE kinds (bytes bytea, at timestamptz, yes boolean, number float8)');
      const into = { table: 'kinds', columns: ['bytes', 'at', 'yes', 'number'] };
      await bulk.load(into, [bytes, testNow, true, 0.1, null, null, null, null]);
      assert.deepEqual(await bulk.all('SELECT * FROM kinds'), [
        { bytes: Buffer.from(bytes), at: testNow.toISOString(), yes: true, number: 0.1 },
        { bytes: null, at: null, yes: null, number: null },
      ]);
      await assert.rejects(bulk.load(into, [null, 'no timestamp', null, null]), /timestamp/);
      assert.equal((await bulk.all('SELECT * FROM kinds')).length, 2);
    });
  });
});

/** The database, with its bulk connection wrapped. */
function withBulk(database: Database, wrap: (bulk: Bulk) => Bulk): Database {
  return { ...database, bulk: (work) => database.bulk((bulk) => work(wrap(bulk))) };
}
