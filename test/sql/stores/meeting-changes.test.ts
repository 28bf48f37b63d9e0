import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { ChangeCursor, MeetingChangesPage } from '@rollcall/core';
import { exportColumns } from '@rollcall/core/rules';
import { aMeeting, anOrganization, type Dataset } from '@rollcall/core/testing';
import type { Database } from '#adapters/sql/index.js';
import { prune } from '#adapters/sql/maintenance/index.js';
import { cutHistory } from '#adapters/sql/stores/meeting-clock.js';
import { type StartedDatabase, startStorage } from '../../support/storage.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const columns = exportColumns.filter(({ key }) => key === 'id' || key === 'name');

interface Changes {
  readonly database: Database;
  load(dataset: Dataset): Promise<void>;
  read(after?: ChangeCursor | null, limit?: number): Promise<MeetingChangesPage | null>;
  ids(after?: ChangeCursor | null): Promise<readonly number[] | null>;
  /** Moves the times of everything that changed until now into the past. */
  age(days: number): Promise<void>;
}

for (const engine of ['sqlite', 'postgres'] as const) {
  const changesTest = (name: string, work: (changes: Changes) => Promise<void>) =>
    test(name, async (t) => {
      const started = await startStorage(engine);
      t.after(() => started.stop());
      await started.load({ organizations: [anOrganization(1, { eap: true }), anOrganization(2)] });
      await work(changesOf(started));
    });

  describe(`Deletions that are no longer kept, over ${engine}`, () => {
    changesTest('are pruned after 30 days, and a cursor that needs them is expired', async (changes) => {
      const { database, load, read, ids, age } = changes;
      await load({ changedMeetings: [1, 2, 3, 4].map((id) => aMeeting(id)) });
      const before = await placeAfter(changes);
      const middle = (await read(null, 2))?.next ?? null;
      await load({ deletedMeetings: [2] });
      const after = await placeAfter(changes);
      await age(31);
      await load({ deletedMeetings: [3] });
      const now = new Date();
      const request = { now, deliveryRetentionDays: 30, eventRetentionDays: 30 };
      assert.equal((await prune(database, { ...request, dryRun: true })).deletions, 1);
      assert.deepEqual(await ids(), [1, 4, -2, -3]);
      assert.equal((await prune(database, request)).deletions, 1);
      assert.deepEqual(await ids(), [1, 4, -3]);
      const aged = (place: ChangeCursor | null) => place && shifted(place, 31);
      assert.deepEqual([await ids(aged(before)), await ids(aged(middle))], [null, null]);
      // A reader who knew of the deletion, or who has only just begun, needs nothing that is gone.
      assert.deepEqual(await ids(aged(after)), [-3]);
      const first = await read(null, 1);
      assert.ok(first !== null);
      assert.ok(first.next.changedAt < new Date(now.getTime() - 30 * DAY_MS));
      assert.deepEqual(await ids(first.next), [4, -3]);
    });

    changesTest('are counted in batches, for each organization', async ({ database, load, age }) => {
      const many = Array.from({ length: 1_101 }, (_, index) => index + 1);
      await load({ changedMeetings: many.map((id) => aMeeting(id, { organizationId: 1 + (id % 2) })) });
      await load({ deletedMeetings: many });
      await age(30);
      const request = { now: new Date(), deliveryRetentionDays: 30, eventRetentionDays: 30 };
      assert.equal((await prune(database, { ...request, dryRun: true })).deletions, 1_101);
      assert.equal((await prune(database, request)).deletions, 1_101);
      assert.equal((await prune(database, request)).deletions, 0);
    });

    if (engine === 'postgres')
      changesTest('are pruned without waiting for an import', async ({ database, load, age, ids }) => {
        await load({ changedMeetings: [1, 2].map((id) => aMeeting(id)) });
        await load({ deletedMeetings: [1, 2] });
        await age(31);
        let hasPruned = false;
        await database.write(async (importing) => {
          // What an import does that stores meeting 1 again.
          await importing.run('UPDATE meeting_clock SET last_at = last_at');
          await importing.run('DELETE FROM meeting_tombstones WHERE meeting_id = 1');
          const pruning = prune(database, {
            now: new Date(),
            deliveryRetentionDays: 30,
            eventRetentionDays: 30,
          }).then(({ deletions }) => {
            hasPruned = true;
            assert.equal(deletions, 1);
          });
          await Promise.race([pruning, pause(5_000)]);
          assert.ok(hasPruned);
        });
        assert.deepEqual(await ids(), []);
      });
  });

  describe(`The time of an import, over ${engine}`, () => {
    changesTest(
      'is later than that of the import before, even if the clock was set back',
      async (changes) => {
        const { database, load, ids } = changes;
        const lastAt = async () => {
          const row = await database.read.get<{ last_at: string }>('SELECT last_at FROM meeting_clock');
          return Date.parse(String(row?.last_at));
        };
        const tomorrow = Date.now() + DAY_MS;
        await database.write((sql) =>
          sql.run('UPDATE meeting_clock SET last_at = ?', [new Date(tomorrow).toISOString()]),
        );
        const before = await placeAfter(changes);
        for (const id of [1, 2, 3]) {
          await load({ changedMeetings: [aMeeting(id)] });
          assert.equal(await lastAt(), tomorrow + id);
        }
        assert.deepEqual(await ids(before), [1, 2, 3]);
        await database.write((sql) =>
          sql.run('UPDATE meeting_clock SET last_at = ?', [new Date(0).toISOString()]),
        );
        const from = Date.now();
        await load({ deletedMeetings: [1] });
        const time = await lastAt();
        assert.ok(time >= from && time <= Date.now(), `${from} ${time} ${Date.now()}`);
      },
    );

    changesTest('hides changes with a later time until an import has passed it', async (changes) => {
      const { database, load, ids } = changes;
      await load({ changedMeetings: [aMeeting(1), aMeeting(2)] });
      const before = await placeAfter(changes);
      await database.write((sql) =>
        sql.run('UPDATE meetings SET updated_at = ? WHERE id = 1', [new Date(Date.now() + 5).toISOString()]),
      );
      assert.deepEqual(await ids(before), []);
      await pause(10);
      await load({ changedMeetings: [aMeeting(3)] });
      assert.deepEqual(await ids(before), [1, 3]);
    });
  });
}

for (const engine of ['sqlite', 'postgres'] as const)
  test(`A place in a history that was cut off is expired, also when others have overtaken it, over ${engine}`, async (t) => {
    const started = await startStorage(engine);
    t.after(() => started.stop());
    await started.load({ organizations: [anOrganization(1)] });
    const changes = changesOf(started);
    const { database, load, read, ids } = changes;
    await load({ changedMeetings: [aMeeting(1), aMeeting(2)] });
    const kept = await placeAfter(changes);
    const clock = await database.read.get<{ last_at: string }>('SELECT last_at FROM meeting_clock');
    await pause(5);
    await load({ changedMeetings: [aMeeting(3), aMeeting(4)] });
    const lost = await placeAfter(changes);
    const middle = { ...lost, meetingId: 3, since: kept.since };
    // As a backup from before has it.
    await database.write(async (sql) => {
      await sql.run('DELETE FROM meetings WHERE id > 2');
      await sql.run('UPDATE meeting_clock SET last_at = ?', [clock?.last_at ?? '']);
      await cutHistory(sql);
    });
    assert.deepEqual([await ids(lost), await ids(middle), await ids(kept)], [null, null, []]);
    await pause(5);
    await load({ changedMeetings: [aMeeting(5)] });
    assert.deepEqual([await ids(lost), await ids(middle), await ids(kept)], [null, null, [5]]);
    const next = (await read(kept))?.next ?? null;
    assert.equal(next?.cuts, 1);
    assert.equal(await ids({ ...kept, cuts: 2 }), null, 'of a history with a later cut');
    await load({ changedMeetings: [aMeeting(6)] });
    assert.deepEqual(await ids(next), [6]);
    // A second one, at which nothing was lost.
    const whole = await placeAfter(changes);
    await database.write((sql) => cutHistory(sql));
    await load({ changedMeetings: [aMeeting(7)] });
    assert.deepEqual([await ids(whole), await ids(kept), await ids(lost)], [[7], [5, 6, 7], null]);
  });

async function placeAfter({ read }: Changes): Promise<ChangeCursor> {
  const page = await read();
  assert.ok(page !== null && !page.hasMore);
  return page.next;
}

function shifted({ changedAt, since, ...place }: ChangeCursor, days: number): ChangeCursor {
  const earlier = (time: Date) => new Date(time.getTime() - days * DAY_MS);
  return { ...place, changedAt: earlier(changedAt), since: earlier(since) };
}

function changesOf({ database, storage, load }: StartedDatabase): Changes {
  assert.ok(database !== null);
  const read: Changes['read'] = (after = null, limit = 1000) =>
    storage.meetings.changes({ organizationId: 1, after, limit, columns });
  return {
    database,
    load,
    read,
    async ids(after) {
      const page = await read(after);
      return page === null ? null : page.changes.map(({ id, row }) => (row === null ? -id : id));
    },
    async age(days) {
      for (const [table, column] of [
        ['meetings', 'updated_at'],
        ['service_meeting_organizations', 'updated_at'],
        ['meeting_tombstones', 'changed_at'],
        ['meeting_clock', 'last_at'],
      ]) {
        const earlier =
          database.engine === 'sqlite'
            ? `strftime('%Y-%m-%dT%H:%M:%fZ', ${column}, '-${days} days')`
            : `${column} - interval '${days * 24} hours'`;
        await database.write((sql) => sql.run(`UPDATE ${table} SET ${column} = ${earlier}`));
      }
    },
  };
}
