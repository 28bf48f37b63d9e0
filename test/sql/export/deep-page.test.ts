import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aMeeting, anOrganization } from '@rollcall/core/testing';
import pg from 'pg';
import { openDatabase } from '#adapters/sql/index.js';
import { translation } from '#adapters/sql/postgres/query.js';
import { nodesOf, type PlanNode, pageReader } from '../../support/export-page-runs.js';
import { startPostgresUrl } from '../../support/postgres.js';
import { storageOver } from '../../support/storage.js';

const MEETINGS = 2_000;
const PER_PAGE = 20;
const entry = ['organization_id', 'start_time', 'id'];

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
