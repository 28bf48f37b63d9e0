import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { submit } from '#adapters/sql/fast-paths/wire.js';
import { apiSuite } from '../support/http/api-suite.js';
import { exportOf, pastMeeting } from '../support/http/exported-meetings.js';
import { startPostgresUrl } from '../support/postgres.js';

/** Another program's reader of CSV: `npm run test:peers` has more of them. */
function copyCsv(client: pg.Client, table: string, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    submit(client, {
      submit: (wire) => wire.query(`COPY ${table} FROM STDIN WITH (FORMAT csv, HEADER)`),
      handleCopyInResponse(wire) {
        wire.sendCopyFromChunk(Buffer.from(text));
        wire.endCopyFrom();
      },
      handleCommandComplete() {},
      handleReadyForQuery: () => resolve(),
      handleError: reject,
    });
  });
}

apiSuite((service) => {
  test('PostgreSQL reads an export in CSV: types, line breaks, and empty texts apart from missing values', async (t) => {
    const organization = await exportOf(service).holding([
      pastMeeting('2026-10-01T10:00:00', {
        name: 'two\r\n"lines"',
        price: 12.5,
        groupLeaderId: 0,
        description: '',
      }),
      pastMeeting('2026-10-02T10:00:00', { name: 'a;=1+1', price: null, description: null }),
    ]);
    const columns =
      'column=name&column=price&column=start_time&column=group_leader_id&column=meeting_description';
    const headers = { Accept: 'text/csv' };
    const { text } = await organization.get(`/export_meetings?${columns}`, { headers });
    const { url, stop } = await startPostgresUrl({ migrated: false });
    const client = new pg.Client({ connectionString: url });
    t.after(async () => {
      await client.end();
      await stop();
    });
    await client.connect();
    await client.query(
      'CREATE TEMPORARY TABLE meetings (name text, price float, start timestamptz, leader bigint, description text)',
    );
    await copyCsv(client, 'meetings', text);
    const { rows } = await client.query({ text: 'SELECT * FROM meetings', rowMode: 'array' });
    assert.deepEqual(rows, [
      ['two\r\n"lines"', 12.5, new Date('2026-10-01T10:00:00Z'), String(organization.id), ''],
      ["a;'=1+1", 0, new Date('2026-10-02T10:00:00Z'), null, null],
    ]);
  });
});
