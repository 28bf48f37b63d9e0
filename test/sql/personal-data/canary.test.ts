import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { describe, type TestContext, test } from 'node:test';
import { type Mailer, Secret } from '@rollcall/core';
import { accountLimit, factorLimit } from '@rollcall/core/adapters';
import { aMeeting, anOrganization, aUser, recordingSender } from '@rollcall/core/testing';
import type { Database } from '#adapters/sql/index.js';
import { compact } from '#adapters/sql/maintenance/compact.js';
import { organizationContents, recentImports } from '#adapters/sql/maintenance/index.js';
import { transferDatabase } from '#adapters/sql/maintenance/transfer.js';
import { sqlLimits } from '#adapters/sql/stores/limits.js';
import { removeOrganization } from '#app/dataset/remove-organization.js';
import { addedBy, aPasskey, withCodes } from '#core/testing/new-second-factor.js';
import { anIdentity, aSignOn } from '#core/testing/new-sign-on.js';
import { eventName } from '#core/testing/subscribe.js';
import { rules } from '../../support/import-identity.js';
import { startEmptyPostgresDatabase } from '../../support/postgres.js';
import { startSqliteDatabase } from '../../support/storage.js';
import { startTestService, type TestService } from '../../support/test-service.js';
import { copiedTables, dump } from '../../support/transfer.js';

type SenderAnswer = ReturnType<NonNullable<Parameters<typeof recordingSender>[0]>>;

const starts = {
  sqlite: startSqliteDatabase,
  postgres: async () => ({ ...(await startEmptyPostgresDatabase()), file: null }),
};

/** What the webhook answers. */
const answer: { current: SenderAnswer } = { current: response(200, '') };

function response(status: number, text: string): SenderAnswer {
  return {
    ...{ duration: 3, outcome: status < 300 ? 'delivered' : 'failed', phase: 'answer', status },
    ...{
      reason: `answered ${status}`,
      response: { headers: { 'X-Known': text }, body: text, isTruncated: false },
    },
  };
}

const random = () => randomUUID().replaceAll('-', '').slice(0, 12);

/** Every text that identifies the person. All of them are random. */
function aCanary() {
  const secret = random();
  return {
    email: `canary-${secret}@example.test`,
    before: `before-${secret}@example.test`,
    firstName: `First${random()}`,
    lastName: `Last${random()}`,
    uuid: randomUUID(),
    idpId: `idp-${random()}`,
    otherIdpId: `other-${random()}`,
    avatar: `https://pictures.test/${random()}.png`,
    passkey: `key-${random()}`,
    subject: `subject-${random()}`,
    userName: `name-${random()}`,
    password: `password ${random()}`,
  };
}

/** With it, mails are added. None is sent here. */
const mailer: Mailer = { send: () => Promise.reject(new Error('nothing is sent')) };

type Canary = ReturnType<typeof aCanary>;

const webhook = { url: 'https://hooks.test/rollcall', enabled: true, events: [eventName] };
const by = { who: { kind: 'access-key' }, from: null } as const;
const past = {
  startTime: new Date('2026-11-19T10:00:00.000Z'),
  endTime: new Date('2026-11-19T11:00:00.000Z'),
};

/** Brings the person into every table. Returns further texts that identify them. */
async function useEverywhere(service: TestService, canary: Canary): Promise<readonly string[]> {
  const { core, ports, clock } = service;
  const { email, before, firstName, lastName, idpId } = canary;
  const crowd = Array.from({ length: 300 }, (_, index) => aUser(index + 1));
  await service.load({
    organizations: [1, 2, 3, 4].map((id) => anOrganization(id)),
    users: [...crowd, aUser(4242, { ...canary, email: before })],
    memberships: [
      ...[1, 2, 3, 4].map((organizationId) => ({
        ...{ organizationId, userId: 1, role: 'owner' as const, idpId: null },
      })),
      ...crowd.slice(1).map(({ id }) => ({
        ...{ organizationId: 4, userId: id, role: 'member' as const, idpId: `crowd-${id}` },
      })),
      { organizationId: 2, userId: 4242, role: 'member', idpId: canary.otherIdpId },
    ],
    meetings: [
      aMeeting(1, { ...past, groupLeaderId: 4242, host: `${firstName} L.`, status: 'complete' }),
      aMeeting(2, { ...past, status: 'complete' }),
      aMeeting(3, { waitList: true }),
    ],
    registrations: [2, 3].map((meetingId) => ({ meetingId, userId: 4242, registeredAt: clock.now() })),
    waitingPlaces: [{ meetingId: 3, userId: 4242, status: 'waiting', createdAt: clock.now() }],
  });
  await core.setEmail({ email: before, to: email, by });
  for (const id of [1, 2, 3, 4])
    await core.configureWebhook({ organization: anOrganization(id), how: 'set', webhook, by });
  const uuids: string[] = [];
  for (const [organizationId, status] of [
    [1, 200],
    [3, 500],
  ] as const) {
    const invited = await core.inviteUser({
      ...{ organization: { id: organizationId }, by, email, firstName, lastName },
      ...(organizationId === 1 ? { idpId } : {}),
    });
    uuids.push(invited.uuid);
    await core.registerUser({ organizationId, email, firstName, lastName });
    answer.current = response(status, email);
    await Promise.all(await core.deliverWebhooks({ limit: 10 }));
  }
  // Pending.
  await core.registerUser({ organizationId: 4, email, firstName, lastName });
  await core.registerUser({ organizationId: 4, email: `next-${email}`, firstName: 'Next', lastName: 'One' });
  await core.setPassword({ email, password: new Secret(canary.password) });
  await core.signIn({ email, password: new Secret(canary.password), address: '192.0.2.1' });
  const uuid = uuids[0] ?? '';
  await core.issueLoginLink({ organization: { id: 1 }, uuid, by });
  await core.createCalendarFeed({ organizationId: 1, userId: 4242 });
  await core.changeRole({ organization: { id: 1 }, userId: 4242, role: 'owner', by });
  await core.issueSetupLink({ organization: { id: 1 }, userId: 4242 });
  await ports.signOns.save(1, () => aSignOn({ tested: { by: 4242, at: clock.now() } }));
  await ports.identities.link(anIdentity(4242, { subject: canary.subject }));
  await withCodes(ports, 4242);
  await ports.secondFactors.addPasskey({ ...aPasskey(1), ...addedBy(4242), name: canary.passkey });
  await core.issueDirectoryToken({ organization: { id: 1 } });
  await core.recordDirectoryRequest({
    organization: { id: 1 },
    method: 'PUT',
    status: 200,
    reason: 'Changed',
    uuid,
  });
  await core.requestPasswordReset({ email, address: '192.0.2.1' });
  await core.setIdpId({ organization: { id: 1 }, uuid, idpId: `${idpId}-2`, by });
  await core.changeProvisioned({
    ...{ organization: { id: 1 }, uuid, from: '192.0.2.1' },
    change: (entry) => ({ ...entry, userName: canary.userName, externalId: null }),
  });
  const asCanary = { who: { kind: 'user', userId: 4242 }, from: '192.0.2.42' } as const;
  await core.inviteUser({
    ...{
      organization: { id: 1 },
      by: asCanary,
      email: 'guest@example.test',
      firstName: 'Guest',
      lastName: 'One',
    },
  });
  await core.answerOnce({
    ...{ organization: { id: 1 }, operation: 'inviteUser', key: 'one', fingerprint: 'f' },
    work: async () => email,
  });
  const hash = await ports.users.passwordHash(4242);
  return [...uuids, hash ?? ''];
}

/** The tables with a row that contains one of the texts in any column. */
async function tablesWith(database: Database, texts: readonly string[]): Promise<readonly string[]> {
  const tables = await copiedTables(database);
  const found = await dump(database, tables);
  return tables.filter((table) => {
    const rows = JSON.stringify(found[table]).toLowerCase();
    return texts.some((text) => rows.includes(JSON.stringify(text).slice(1, -1).toLowerCase()));
  });
}

/** The rows of these organizations by table, and all other rows of tables that say whose a row is. */
async function rowsByOrganization(database: Database, ids: readonly number[]) {
  const of: Record<string, number> = {};
  const others: Record<string, unknown> = {};
  const tables = await copiedTables(database);
  for (const [table, rows] of Object.entries(await dump(database, tables))) {
    const isOwned = ({ id, organization_id, bound_to }: (typeof rows)[number]) =>
      [organization_id, bound_to, table === 'organizations' ? id : null].some((one) =>
        ids.includes(Number(one)),
      );
    const owned = rows.filter(isOwned);
    if (owned.length > 0) of[table] = owned.length;
    if (!hasOwnRowsOfOthers.includes(table)) others[table] = rows.filter((row) => !owned.includes(row));
  }
  return { of, others };
}

/** Rows of these are removed with the meeting or the delivery that they belong to, or tell that something was removed. */
const hasOwnRowsOfOthers = ['attempts', 'registrations', 'waitlist_entries', 'imports', 'meeting_clock'];

const nothing = { all: async () => [] };

/** The texts that are in the bytes of the file or of those beside it. */
function textsIn(file: string, texts: readonly string[]): readonly string[] {
  const files = [file, `${file}-wal`, `${file}-journal`].filter((name) => existsSync(name));
  const bytes = files.map((name) => readFileSync(name));
  return texts.filter((text) => bytes.some((part) => part.includes(text)));
}

async function startService(engine: keyof typeof starts, t: TestContext) {
  const { database, file, stop } = await starts[engine]();
  t.after(stop);
  const ports = { webhookSender: recordingSender(() => answer.current), mailer };
  return { database, file, service: await startTestService({ database, ports }) };
}

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`Over ${engine}, an erased person`, () => {
    test('is in no table, in no copy and in no byte of the file', async (t) => {
      const { database, file, service } = await startService(engine, t);
      const canary = aCanary();
      const texts = [...Object.values(canary), ...(await useEverywhere(service, canary))].filter(
        (text) => text !== canary.password,
      );
      // A guest whose address contains that of the person is someone else.
      await service.core.eraseUser({ email: `next-${canary.email}` });

      assert.deepEqual(await tablesWith(database, texts), [
        ...[
          'attempts',
          'audit_entries',
          'deliveries',
          'directory_people',
          'directory_requests',
          'events',
          'identities',
          'invitations',
          'mails',
          'meetings',
          'memberships',
          'passkeys',
        ],
        'users',
      ]);
      // On SQLite, these are counted in memory, for 15 minutes.
      const counters = () => database.read.all('SELECT failures FROM failure_counts');
      if (engine === 'postgres') {
        const limits = sqlLimits(database, service.clock);
        for (const limit of [accountLimit, factorLimit]) await limits.consume(limit, canary.email);
        assert.equal((await counters()).length, 2);
      }
      const erased = await service.core.eraseUser({ email: canary.email, by });
      if (engine === 'postgres') assert.deepEqual(await counters(), []);
      assert.deepEqual(erased, { organizationIds: [1, 2, 3, 4], withoutOwner: [] });
      assert.deepEqual(await tablesWith(database, texts), []);
      for (const table of [
        'sessions',
        'login_links',
        'setup_links',
        'identities',
        'passkeys',
        'code_secrets',
        'recovery_codes',
        'calendar_feeds',
        'platform_numbers',
      ]) {
        const rows = await database.read.all(`SELECT 1 FROM ${table} WHERE ${table}.user_id = 4242`);
        assert.deepEqual(rows, [], table);
      }
      assert.equal(await compact(database), null);
      if (file !== null) assert.deepEqual(textsIn(file, texts), []);

      const copy = await startSqliteDatabase();
      t.after(copy.stop);
      await transferDatabase({ from: database, to: copy.database });
      assert.deepEqual(await tablesWith(copy.database, texts), []);
      assert.deepEqual(textsIn(copy.file, texts), []);
    });

    test('is no longer known to an organization that was removed, and others know them as before', async (t) => {
      const { database, service } = await startService(engine, t);
      await useEverywhere(service, aCanary());
      const { outbox } = service.ports;
      // The second key is told to the owners by a mail.
      for (const organizationId of [1, 1]) await service.core.generateAccessKey({ organizationId });
      const request = { limit: 1, perOrganization: 1, claim: randomUUID(), at: service.clock.now() };
      const [sent] = await outbox.claim(request);
      assert.equal(sent?.organizationId, 4);
      const before = await rowsByOrganization(database, [1, 4]);
      assert.deepEqual(Object.keys(before.of), [
        ...['access_key_labels', 'audit_entries', 'calendar_feeds', 'complete_meeting_counts', 'deliveries'],
        ...['directory_people', 'directory_requests', 'directory_tokens', 'events'],
        ...[
          'idempotency_keys',
          'identities',
          'invitations',
          'login_links',
          'mails',
          'meetings',
          'memberships',
        ],
        ...['organizations', 'setup_links', 'sign_on', 'webhooks'],
      ]);
      const { of } = await rowsByOrganization(database, [1]);
      const { access_key_labels, complete_meeting_counts, directory_requests, idempotency_keys, ...others } =
        of;
      const { memberships, organizations, ...counted } = others;
      const known = { ...counted, members: memberships, access_keys: organizations, registrations: 2 };
      assert.deepEqual(await organizationContents(database, 1), { counts: known, withoutAnother: 0 });
      const { counts, withoutAnother } = await organizationContents(database, 4);
      assert.deepEqual([counts.members, withoutAnother], [302, 300]);
      const context = { database, rules, at: service.clock.now() };
      const hidden = { ...context, database: { ...database, readAside: () => nothing as never } };
      await assert.rejects(
        removeOrganization(hidden, 1),
        /^Failure: Organization 1 was changed meanwhile\. /,
      );
      await Promise.all([removeOrganization(context, 1), removeOrganization(context, 4)]);
      await assert.rejects(removeOrganization(context, 1), /^Failure: There is no organization 1$/);
      assert.deepEqual(await rowsByOrganization(database, [1, 4]), { of: {}, others: before.others });
      const finished = { deliveryId: sent.deliveryId, claim: request.claim, at: request.at, attempt: null };
      assert.equal(await outbox.finish({ ...finished, state: 'skipped' }), false);
      assert.deepEqual(await outbox.claim({ ...request, limit: 9 }), []);
      const imports = await recentImports(database, 9);
      assert.deepEqual(imports.map(({ source, result }) => [source, result]).sort(), [
        ...['imported', 'imported', 'imported', 'refused'].map((result) => ['command-line', result]),
      ]);
    });

    test('would be found in a table that was forgotten', async (t) => {
      const { database, file, service } = await startService(engine, t);
      const canary = aCanary();
      await useEverywhere(service, canary);
      await database.write(async (sql) => {
        await sql.run('CREATE TABLE forgotten (note TEXT)');
        await sql.run('INSERT INTO forgotten (note) VALUES (?)', [`Call ${canary.email}`]);
      });
      for (const email of [`next-${canary.email}`, canary.email]) await service.core.eraseUser({ email });
      await compact(database);
      assert.deepEqual(await tablesWith(database, Object.values(canary)), ['forgotten']);
      if (file !== null) assert.deepEqual(textsIn(file, Object.values(canary)), [canary.email]);
    });
  });
}
