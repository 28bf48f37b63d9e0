import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unavailable } from '@rollcall/core';
import { exportColumns } from '@rollcall/core/rules';
import { aMeeting, anOrganization } from '@rollcall/core/testing';
import type { Sql } from '#adapters/sql/engine/database.js';
import { openDatabase } from '#adapters/sql/index.js';
import { historyOf } from '#adapters/sql/maintenance/history.js';
import { startReplicatedPostgres } from '../../support/replicated-postgres.js';
import { storageOver } from '../../support/storage.js';

const never = Object.fromEntries(
  ['all', 'rows', 'get', 'run'].map((name) => [name, () => assert.fail(name)]),
) as unknown as Sql;

test('a place that a promoted standby has lost is expired, also when later changes have overtaken it', {
  timeout: 240_000,
}, async (t) => {
  const replicated = await startReplicatedPostgres();
  t.after(() => replicated.stop());
  const { primary, replica, database } = replicated;
  const before = storageOver({ database, stop: async () => {} });
  const read = (
    started: typeof before,
    after: Parameters<typeof before.storage.meetings.changes>[0]['after'],
  ) => started.storage.meetings.changes({ organizationId: 1, after, limit: 100, columns: exportColumns });

  await before.load({ organizations: [anOrganization(1)], changedMeetings: [aMeeting(1)] });
  const kept = (await read(before, null))?.next ?? null;
  await replicated.waitForRow('SELECT 1 FROM meetings WHERE id = 1');
  await replica.stop('fast');
  await before.load({ changedMeetings: [aMeeting(2)] });
  const lost = (await read(before, kept))?.next ?? null;
  assert.ok(lost !== null && kept !== null && lost.since > kept.since);

  await primary.stop('immediate');
  await replica.start();
  await replicated.onReplica('SELECT pg_promote()');
  const promoted = await openDatabase(replica.url());
  t.after(() => promoted.close());
  const after = storageOver({ database: promoted, stop: async () => {} });
  await after.load({ changedMeetings: [aMeeting(3)] });
  assert.equal(await read(after, lost), null);
  const page = await read(after, kept);
  assert.deepEqual([page?.changes.map(({ id }) => id), page?.next.cuts], [[3], 1]);
  await after.load({ changedMeetings: [aMeeting(4)] });
  assert.deepEqual(
    (await read(after, page?.next ?? null))?.changes.map(({ id }) => id),
    [4],
  );
});

test('a promotion changes the timeline, and what the standby lacked is told apart', {
  timeout: 240_000,
}, async (t) => {
  const replicated = await startReplicatedPostgres();
  t.after(() => replicated.stop());
  const { primary, replica, database } = replicated;
  const before = storageOver({ database, stop: async () => {} });
  await before.load({ organizations: [anOrganization(1)], changedMeetings: [aMeeting(1)] });
  const [kept, lost] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
  const store = (id: string) =>
    database.write(async (sql) => {
      await sql.run(
        `INSERT INTO deliveries (organization_id, event_id, event_name, body, created_at) VALUES (1, ?, 'x', '{}', ?)`,
        [id, new Date(1)],
      );
      await sql.run(
        `INSERT INTO events (organization_id, event_id, event_name, body, created_at) VALUES (1, ?, 'x', '{}', ?)`,
        [id, new Date(1)],
      );
    });
  await store(kept);
  await replicated.waitForRow('SELECT 1 FROM events');
  const atPrimary = historyOf(database);
  const timeline = await atPrimary?.timeline();
  assert.match(String(timeline), /^[0-9A-F]{8}$/);
  await replica.stop('fast');
  await store(lost);
  assert.deepEqual(await atPrimary?.missing([kept, lost]), []);
  assert.equal((await atPrimary?.end())?.lastEvent?.eventId, lost);

  await primary.stop('immediate');
  await replica.start();
  const standby = await openDatabase(replica.url());
  t.after(() => standby.close());
  const promoted = historyOf(standby);
  assert.equal(await promoted?.timeline(), null);
  await replicated.onReplica('SELECT pg_promote()');
  assert.ok(String(await promoted?.timeline()) > String(timeline));
  assert.deepEqual(await promoted?.missing([kept, lost]), [lost]);
  const end = await promoted?.end();
  assert.deepEqual(end?.lastEvent, { eventId: kept, createdAt: new Date(1) });
  assert.ok(end?.lastChangeOfMeetings instanceof Date);
});

test('a server that is only like PostgreSQL has no timeline, and one that is away says so', async () => {
  const failing = (error: Error) =>
    historyOf({
      engine: 'postgres',
      read: { ...never, get: () => Promise.reject(error) },
    });
  assert.equal(await failing(new Error('function pg_walfile_name does not exist'))?.timeline(), null);
  await assert.rejects(async () => failing(new Unavailable('away'))?.timeline(), Unavailable);
});
