import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Database, type DatasetRecord, importDataset, type Sql } from '#adapters/sql/index.js';
import { startPostgresDatabase } from '../../support/postgres.js';
import { startSqliteDatabase } from '../../support/storage.js';

const starts = { sqlite: startSqliteDatabase, postgres: startPostgresDatabase } as const;
const at = new Date('2026-11-20T12:00:00.000Z');
const organizations = [1, 2, 3] as const;
const statuses = ['complete', 'complete', 'scheduled', 'cancel'] as const;
const MEETINGS = 40;

/** The same sequence for a seed: numbers from 0 to below `most`. */
function turns(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

type Turn = ReturnType<typeof turns>;

const picked = <Value>(turn: Turn, values: readonly Value[]): Value => values[turn(values.length)] as Value;
const ownerOf = (turn: Turn): number | null => picked(turn, [null, null, ...organizations]);

/** What anybody may do to meetings and ties; what is refused by the schema changes nothing. */
const writes: readonly ((sql: Sql, turn: Turn) => Promise<unknown>)[] = [
  (sql, turn) => insertMeeting(sql, turn, 1 + turn(MEETINGS)),
  (sql, turn) => insertMeeting(sql, turn, 1 + turn(MEETINGS)),
  (sql, turn) => tie(sql, 1 + turn(MEETINGS), picked(turn, organizations)),
  (sql, turn) => tie(sql, 1 + turn(MEETINGS), picked(turn, organizations)),
  (sql, turn) =>
    sql.run('UPDATE meetings SET status = ? WHERE id % 3 = ?', [picked(turn, statuses), turn(3)]),
  (sql, turn) => sql.run('UPDATE meetings SET eap = ? WHERE id % 4 = ?', [turn(2) === 1, turn(4)]),
  (sql, turn) =>
    sql.run('UPDATE meetings SET organization_id = ? WHERE id = ?', [ownerOf(turn), 1 + turn(MEETINGS)]),
  (sql, turn) =>
    sql.run('UPDATE meetings SET start_time = ?, end_time = ? WHERE id = ?', [at, at, 1 + turn(MEETINGS)]),
  (sql, turn) => sql.run('DELETE FROM meetings WHERE id % 7 = ?', [turn(7)]),
  (sql, turn) =>
    sql.run('DELETE FROM service_meeting_organizations WHERE organization_id = ? AND meeting_id % 2 = ?', [
      picked(turn, organizations),
      turn(2),
    ]),
];

function insertMeeting(sql: Sql, turn: Turn, id: number): Promise<unknown> {
  return sql.run(
    `INSERT INTO meetings (id, organization_id, name, meeting_type, start_time, end_time, duration, status, topic,
      special_focus, host, location, max_attendees, privacy, eap, allow_meeting_donation, invitation_only, wait_list)
    VALUES (?, ?, 'Meeting', 'Group', ?, ?, 60, ?, '', '', '', 'zoom', 12, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET status = excluded.status, eap = excluded.eap,
      organization_id = excluded.organization_id`,
    [id, ownerOf(turn), at, at, picked(turn, statuses), false, turn(2) === 1, false, false, false],
  );
}

function tie(sql: Sql, meetingId: number, organizationId: number): Promise<unknown> {
  return sql.run(
    `INSERT INTO service_meeting_organizations (meeting_id, organization_id, start_time)
    SELECT id, CAST(? AS BIGINT), start_time FROM meetings WHERE id = ? ON CONFLICT DO NOTHING`,
    [organizationId, meetingId],
  );
}

function records(turn: Turn): readonly DatasetRecord[] {
  return Array.from({ length: 12 }, () => {
    const id = 1 + turn(MEETINGS);
    if (turn(4) === 0) return { kind: 'meeting', id, deleted: true } as const;
    const organization_id = ownerOf(turn);
    return {
      kind: 'meeting',
      id,
      organization_id,
      name: 'Imported',
      meeting_type: 'Group',
      start_time: at.toISOString(),
      end_time: at.toISOString(),
      duration: 60,
      status: picked(turn, statuses),
      location: 'zoom',
      eap: turn(2) === 1,
      ...(organization_id === null && {
        eap_organization_ids: organizations.filter(() => turn(2) === 1),
      }),
    } as const;
  });
}

async function imports(database: Database, turn: Turn): Promise<void> {
  const items = records(turn).map((record, index) => ({ line: index + 1, record }));
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

/** How many of the tables' rows there were, so that nobody compares nothing with nothing. */
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
      test(name, { timeout: 120_000 }, async () => {
        const { database, stop } = await start();
        try {
          await database.write(async (sql) => {
            for (const id of organizations)
              await sql.run('INSERT INTO organizations (id, name, eap) VALUES (?, ?, ?)', [id, 'O', true]);
          });
          await work(database);
        } finally {
          await stop();
        }
      });

    countsTest(
      'are those of count(*) after whatever was written, imported and rolled back',
      async (database) => {
        let rows = 0;
        for (let seed = 1; seed <= 60; seed += 1) {
          const turn = turns(seed);
          if (turn(4) === 0) await imports(database, turn);
          else
            await database.write(async (sql) => {
              for (let step = 0; step < 6; step += 1) await picked(turn, writes)(sql, turn);
            });
          if (turn(5) === 0)
            await assert.rejects(
              database.write(async (sql) => {
                for (const write of writes) await write(sql, turn);
                throw new Error('rolled back');
              }),
              /rolled back/,
            );
          rows += await compareCounts(database, `seed ${seed}`);
        }
        assert.ok(rows > 200, `${rows} rows were compared`);
      },
    );

    countsTest('go with their organization', async (database) => {
      await database.write(async (sql) => {
        const turn = turns(7);
        for (let id = 1; id <= MEETINGS; id += 1) {
          await insertMeeting(sql, turn, id);
          await tie(sql, id, 1);
        }
        await sql.run('UPDATE meetings SET organization_id = NULL WHERE organization_id = 1');
      });
      assert.ok((await compareCounts(database, 'filling')) > 0);
      await database.write((sql) => sql.run('DELETE FROM organizations WHERE id = 1'));
      await compareCounts(database, 'deleting');
    });

    countsTest('of ties come with their migration', async (database) => {
      await database.write(async (sql) => {
        const turn = turns(3);
        for (let id = 1; id <= MEETINGS; id += 1) {
          await insertMeeting(sql, turn, id);
          await tie(sql, id, picked(turn, organizations));
        }
      });
      await database.write(async (sql) => {
        for (const statement of before0006[engine] ?? []) await sql.run(statement);
      });
      assert.deepEqual(await database.migrate(), ['0006-tied-counts']);
      assert.ok((await compareCounts(database, 'migrating')) > 2);
    });
  });
}

const triggers = [
  ['ties_counted_in', 'service_meeting_organizations'],
  ['ties_counted_out', 'service_meeting_organizations'],
  ['tied_meetings_in', 'meetings'],
  ['tied_meetings_out', 'meetings'],
  ['tied_meetings_changed', 'meetings'],
] as const;

/** What 0006-tied-counts adds, taken away again. */
const before0006: Readonly<Record<string, readonly string[]>> = {
  sqlite: [
    ...triggers.map(([name]) => `DROP TRIGGER ${name}`),
    'DROP TABLE tied_meeting_counts',
    `DELETE FROM knex_migrations WHERE name = '0006-tied-counts'`,
  ],
  postgres: [
    ...triggers.flatMap(([name, table]) => [`DROP TRIGGER ${name} ON ${table}`, `DROP FUNCTION ${name}`]),
    'DROP TABLE tied_meeting_counts',
    `DELETE FROM knex_migrations WHERE name = '0006-tied-counts'`,
  ],
};
