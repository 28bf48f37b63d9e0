import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportColumns } from '@rollcall/core/rules';
import { aMeeting, anOrganization } from '@rollcall/core/testing';
import { openDatabase } from '#adapters/sql/index.js';
import { startReplicatedPostgres } from '../../support/replicated-postgres.js';
import { storageOver } from '../../support/storage.js';

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
