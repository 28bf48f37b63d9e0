import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database, Sql } from '#adapters/sql/index.js';
import { type DatasetRecord, importDataset } from '#adapters/sql/maintenance/index.js';
import { startEmptyPostgresDatabase } from '../../support/postgres.js';
import { pick, type Random, randomNumbers } from '../../support/random-numbers.js';
import { startEmptySqliteDatabase } from '../../support/storage.js';
import { insertMeetings } from '../../support/stored-meetings.js';

const starts = { sqlite: startEmptySqliteDatabase, postgres: startEmptyPostgresDatabase } as const;
const at = new Date('2026-11-20T12:00:00.000Z');
const organizations = [1, 2, 3] as const;
const statuses = ['complete', 'complete', 'scheduled', 'cancel'] as const;
const MEETINGS = 40;

const ownerOf = (random: Random): number | null => pick(random, [null, null, ...organizations]);

/** Possible changes to meetings and ties. A change that the schema refuses has no effect. */
const writes: readonly ((sql: Sql, random: Random) => Promise<unknown>)[] = [
  (sql, random) => insertMeeting(sql, random, 1 + random(MEETINGS)),
  (sql, random) => insertMeeting(sql, random, 1 + random(MEETINGS)),
  (sql, random) => tie(sql, 1 + random(MEETINGS), pick(random, organizations)),
  (sql, random) => tie(sql, 1 + random(MEETINGS), pick(random, organizations)),
  (sql, random) =>
    sql.run('UPDATE meetings SET status = ? WHERE id % 3 = ?', [pick(random, statuses), random(3)]),
  (sql, random) => sql.run('UPDATE meetings SET eap = ? WHERE id % 4 = ?', [random(2) === 1, random(4)]),
  (sql, random) =>
    sql.run('UPDATE meetings SET organization_id = ? WHERE id = ?', [ownerOf(random), 1 + random(MEETINGS)]),
  (sql, random) =>
    sql.run('UPDATE meetings SET start_time = ?, end_time = ? WHERE id = ?', [at, at, 1 + random(MEETINGS)]),
  (sql, random) => sql.run('DELETE FROM meetings WHERE id % 7 = ?', [random(7)]),
  (sql, random) =>
    sql.run('DELETE FROM service_meeting_organizations WHERE organization_id = ? AND meeting_id % 2 = ?', [
      pick(random, organizations),
      random(2),
    ]),
];

function insertMeeting(sql: Sql, random: Random, id: number): Promise<unknown> {
  return sql.run(
    `${insertMeetings({
      ...{ id: '?', organization_id: '?', start_time: '?', end_time: '?', status: '?', eap: '?' },
    })} WHERE true
    ON CONFLICT (id) DO UPDATE SET status = excluded.status, eap = excluded.eap,
      organization_id = excluded.organization_id`,
    [id, ownerOf(random), at, at, pick(random, statuses), random(2) === 1],
  );
}

function tie(sql: Sql, meetingId: number, organizationId: number): Promise<unknown> {
  return sql.run(
    `INSERT INTO service_meeting_organizations (meeting_id, organization_id, start_time)
    SELECT id, CAST(? AS BIGINT), start_time FROM meetings WHERE id = ? ON CONFLICT DO NOTHING`,
    [organizationId, meetingId],
  );
}

function records(random: Random): readonly DatasetRecord[] {
  return Array.from({ length: 12 }, () => {
    const id = 1 + random(MEETINGS);
    if (random(4) === 0) return { kind: 'meeting', id, deleted: true } as const;
    const organization_id = ownerOf(random);
    return {
      kind: 'meeting',
      id,
      organization_id,
      name: 'Imported',
      meeting_type: 'Group',
      start_time: at.toISOString(),
      end_time: at.toISOString(),
      duration: 60,
      status: pick(random, statuses),
      location: 'zoom',
      eap: random(2) === 1,
      ...(organization_id === null && {
        eap_organization_ids: organizations.filter(() => random(2) === 1),
      }),
    } as const;
  });
}

async function imports(database: Database, random: Random): Promise<void> {
  const items = records(random).map((record, index) => ({ line: index + 1, record }));
  const source = (async function* () {
    yield items;
  })();
  await importDataset(database, source, { at });
}

const counted: Readonly<Record<string, string>> = {
  complete_meeting_counts: `SELECT organization_id, count(*) AS meetings, sum(CASE WHEN eap THEN 1 ELSE 0 END) AS eap_meetings
    FROM meetings WHERE status = 'complete' AND organization_id IS NOT NULL GROUP BY organization_id ORDER BY 1`,
  tied_meeting_counts: `SELECT ties.organization_id, count(*) AS meetings, sum(CASE WHEN eap THEN 1 ELSE 0 END) AS eap_meetings
    FROM service_meeting_organizations AS ties JOIN meetings ON meetings.id = ties.meeting_id
    WHERE status = 'complete' AND meetings.organization_id IS NULL GROUP BY ties.organization_id ORDER BY 1`,
};

/**
 * Compares the stored counts with fresh ones. Returns the number of rows, so that a test can check that there were
 * some.
 */
async function compareCounts({ read }: Database, after: string): Promise<number> {
  let rows = 0;
  for (const [table, text] of Object.entries(counted)) {
    const kept = await read.all(`SELECT * FROM ${table} WHERE meetings <> 0 OR eap_meetings <> 0 ORDER BY 1`);
    assert.deepEqual(kept, await read.all(text), `${table} after ${after}`);
    rows += kept.length;
  }
  return rows;
}

for (const [engine, start] of Object.entries(starts)) {
  describe(`Counts of meetings over ${engine}`, () => {
    const countsTest = (name: string, work: (database: Database) => Promise<void>) =>
      test(name, { timeout: 240_000 }, async (t) => {
        const { database, stop } = await start();
        t.after(stop);
        await database.write(async (sql) => {
          for (const id of organizations)
            await sql.run('INSERT INTO organizations (id, name, eap) VALUES (?, ?, ?)', [id, 'O', true]);
        });
        await work(database);
      });

    countsTest('equal count(*) after any writes, imports and rollbacks', async (database) => {
      let rows = 0;
      for (let seed = 1; seed <= 70; seed += 1) {
        const random = randomNumbers(seed);
        if (random(4) === 0) await imports(database, random);
        else
          await database.write(async (sql) => {
            for (let step = 0; step < 6; step += 1) await pick(random, writes)(sql, random);
          });
        if (random(5) === 0)
          await assert.rejects(
            database.write(async (sql) => {
              for (const write of writes) await write(sql, random);
              throw new Error('rolled back');
            }),
            /rolled back/,
          );
        rows += await compareCounts(database, `seed ${seed}`);
      }
      assert.ok(rows > 200, `${rows} rows were compared`);
    });

    countsTest('are deleted with their organization', async (database) => {
      await database.write(async (sql) => {
        const random = randomNumbers(7);
        for (let id = 1; id <= MEETINGS; id += 1) {
          await insertMeeting(sql, random, id);
          await tie(sql, id, 1);
        }
        await sql.run('UPDATE meetings SET organization_id = NULL WHERE organization_id = 1');
      });
      assert.ok((await compareCounts(database, 'filling')) > 0);
      await database.write((sql) => sql.run('DELETE FROM organizations WHERE id = 1'));
      await compareCounts(database, 'deleting');
    });
  });
}
