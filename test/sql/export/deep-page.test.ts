import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { MeetingSelection } from '@rollcall/core';
import { chooseColumns } from '@rollcall/core/rules';
import { aMeeting, anOrganization, type DatasetMeeting } from '@rollcall/core/testing';
import pg from 'pg';
import { type Database, openDatabase, sqlPorts } from '#adapters/sql/index.js';
import { translation } from '#adapters/sql/postgres/query.js';
import { nodesOf, type PlanNode, pageReader } from '../../support/export-page-runs.js';
import { startPostgresUrl } from '../../support/postgres.js';
import { SqliteDatabase } from '../../support/sqlite.js';
import { startSqliteDatabase, storageOver } from '../../support/storage.js';

const MEETINGS = 2_000;
const PER_PAGE = 20;
const entry = ['organization_id', 'start_time', 'id'];
const wholeList: MeetingSelection = {
  ...{ organizationId: 2, withServiceMeetings: false, eapOnly: false, state: 'past' },
  ...{ now: new Date(), starts: { from: null, before: null }, updatedSince: null },
};

/** Completed meetings of an organization, of which several begin at the same time. */
function meetingsOf(organizationId: number): readonly DatasetMeeting[] {
  return Array.from({ length: MEETINGS }, (_, index) =>
    aMeeting(10_000 * organizationId + index, {
      ...{ organizationId, status: 'complete' },
      startTime: new Date(Date.UTC(2026, 0, 1 + Math.floor(index / 7))),
    }),
  );
}

/** Starts a database in which meetings of other organizations are on both sides of those of organization 2. */
async function startNeighbors(t: TestContext, url: string): Promise<Database> {
  const database = await openDatabase(url);
  t.after(() => database.close());
  await storageOver({ database, stop: async () => undefined }).load({
    organizations: [anOrganization(1), anOrganization(2), anOrganization(3)],
    meetings: [1, 2, 3].flatMap(meetingsOf),
  });
  return database;
}

async function idsOnPage(database: Database, offset: number): Promise<readonly number[]> {
  const { chunks } = await sqlPorts(database).meetings.export({
    selection: wholeList,
    columns: chooseColumns(['id']),
    form: 'json',
    page: { offset, limit: PER_PAGE },
  });
  let text = '';
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  const rows: readonly { readonly id: number }[] = JSON.parse(`[${text}]`);
  return rows.map(({ id }) => id);
}

describe('A deep page on SQLite', () => {
  const start = async (t: TestContext) => {
    const { file, stop } = await startSqliteDatabase();
    const database = await startNeighbors(t, `sqlite:${file}`);
    t.after(stop);
    return { database, file };
  };

  test('has the same meetings as the list, wherever it is', async (t) => {
    const { database } = await start(t);
    for (let offset = 0; offset <= MEETINGS + PER_PAGE; offset += 50) {
      const length = Math.min(PER_PAGE, Math.max(MEETINGS - offset, 0));
      const expected = Array.from({ length }, (_, index) => 20_000 + offset + index);
      assert.deepEqual(await idsOnPage(database, offset), expected, `offset ${offset}`);
    }
  });

  test('skips entries of the index without a comparison, from either end', async (t) => {
    const { database } = await start(t);
    const { statement } = await pageReader(database, wholeList, PER_PAGE)(MEETINGS / 2);
    const program = await database.read.all<{ opcode: string }>(
      `EXPLAIN ${statement.text}`,
      statement.values,
    );
    const opcodes = program.map(({ opcode }) => opcode);
    for (const step of ['Next', 'Prev']) {
      const loops = opcodes.flatMap((opcode, end) => (opcode === step ? [opcodes.slice(0, end)] : []));
      const skipping = loops.filter((before) => before.lastIndexOf('IfPos') > before.lastIndexOf('SeekGE'));
      assert.ok(skipping.length > 0, step);
    }
    assert.deepEqual(
      opcodes.filter((opcode) => ['IdxGT', 'IdxLT'].includes(opcode)),
      [],
    );
  });

  test('has nothing of another organization, even if the stored count is wrong', async (t) => {
    const { database, file } = await start(t);
    const connection = new SqliteDatabase(file);
    t.after(() => connection.close());
    const setCount = connection.prepare(
      'UPDATE complete_meeting_counts SET meetings = ? WHERE organization_id = 2',
    );
    for (const count of [MEETINGS - 500, 3 * MEETINGS]) {
      setCount.run(count);
      for (let offset = 0; offset <= count + 100; offset += 100)
        for (const id of await idsOnPage(database, offset))
          assert.ok(id >= 20_000 && id < 30_000, `${id} with offset ${offset} of ${count}`);
    }
  });
});

describe('A deep page on PostgreSQL', () => {
  test('skips the entries of the index as they are, from either end', async (t) => {
    const { url, stop } = await startPostgresUrl({ migrated: true });
    const database = await openDatabase(url);
    const client = new pg.Client(url);
    await client.connect();
    t.after(async () => {
      await client.end();
      await database.close();
      await stop();
    });
    await storageOver({ database, stop: async () => undefined }).load({
      organizations: [anOrganization(1)],
      meetings: Array.from({ length: MEETINGS }, (_, index) =>
        aMeeting(index + 1, { organizationId: 1, status: 'complete' }),
      ),
    });
    await client.query('VACUUM (FREEZE, ANALYZE) meetings');
    const readPage = pageReader(
      database,
      {
        ...{ organizationId: 1, withServiceMeetings: false, eapOnly: false, state: 'past' },
        ...{ now: new Date(), starts: { from: null, before: null }, updatedSince: null },
      },
      PER_PAGE,
    );
    const { statement } = await readPage(MEETINGS / 2);
    const { rows } = await client.query(
      `EXPLAIN (VERBOSE, FORMAT JSON) ${translation(statement.text).text}`,
      statement.values as unknown[],
    );
    const [{ Plan }] = rows[0]['QUERY PLAN'] as readonly [{ readonly Plan: PlanNode }];
    const skipping = nodesOf(Plan).filter((node) => node['Index Name'] === 'complete_meetings');
    assert.deepEqual(
      skipping.map((node) => [node['Node Type'], node.Output?.map((column) => column.split('.').at(-1))]),
      [
        ['Index Only Scan', entry],
        ['Index Only Scan', entry],
      ],
    );
  });
});
