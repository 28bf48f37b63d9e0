import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Database, openDatabase } from '#adapters/sql/index.js';
import { answersOf } from '../../support/answers-of.js';
import { type PostgresServer, startPostgresServer } from '../../support/postgres-server.js';
import { runOnServer } from '../../support/postgres-template.js';
import { startSqliteDatabase } from '../../support/storage.js';
import { startTransactionPooler } from '../../support/transaction-pooler.js';

/** Every setting that a role may change and that could change a result, turned the other way. */
const hostile: Readonly<Record<string, string>> = {
  TimeZone: 'Asia/Kolkata',
  DateStyle: 'German, DMY',
  IntervalStyle: 'iso_8601',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  standard_conforming_strings: 'off',
  backslash_quote: 'off',
  escape_string_warning: 'on',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  transform_null_equals: 'on',
  array_nulls: 'off',
  xmloption: 'document',
  client_encoding: 'LATIN1',
  client_min_messages: 'debug1',
  exit_on_error: 'on',
  plan_cache_mode: 'force_generic_plan',
  statement_timeout: '200',
  lock_timeout: '200',
  idle_in_transaction_session_timeout: '200',
  idle_session_timeout: '200',
  transaction_timeout: '200',
  quote_all_identifiers: 'on',
  row_security: 'off',
  default_tablespace: 'pg_default',
  default_table_access_method: 'heap',
  enable_indexscan: 'off',
  enable_hashjoin: 'off',
  debug_parallel_query: 'on',
  lc_numeric: 'C',
  timezone_abbreviations: 'India',
  default_text_search_config: 'pg_catalog.german',
};

/** What some of them must be, in each kind of transaction. */
const fixed = [
  'standard_conforming_strings',
  'TimeZone',
  'bytea_output',
  'extra_float_digits',
  'transaction_isolation',
];
const READ_FIXED = `SELECT ${fixed.map((name) => `current_setting('${name}')`).join(" || ' ' || ")} AS text`;

/** For statements of the test itself: on a busy machine they take longer than the server allows. */
const patient = (url: string): string => `${url}?options=-c%20transaction_timeout%3D0`;

describe('On a PostgreSQL server with other settings', () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgresServer({
      small: true,
      settings: Object.entries(hostile).map(([name, value]) => `${name}=${value}`),
    });
  });
  after(() => server.remove());

  const withDatabase = async (url: string, work: (database: Database) => Promise<void>): Promise<void> => {
    const database = await openDatabase(url);
    try {
      await work(database);
    } finally {
      await database.close();
    }
  };
  const throughPooler = async (url: string, work: (database: Database) => Promise<void>): Promise<void> => {
    // The connections of a pooler must not end.
    const pooler = await startTransactionPooler(`${url}?options=-c%20idle_session_timeout%3D0`);
    try {
      await withDatabase(pooler.url, work);
    } finally {
      await pooler.stop();
    }
  };
  const ways = { directly: withDatabase, 'through a pooler': throughPooler };

  for (const [way, open] of Object.entries(ways)) {
    test(`${way}, every answer is the same as on SQLite, byte for byte`, async () => {
      const name = `answers_${way.length}`;
      await runOnServer(patient(server.url()), `CREATE DATABASE ${name} TEMPLATE template0`);
      const plain = await startSqliteDatabase();
      try {
        const expected = await answersOf(plain.database);
        await open(server.url(name), async (database) => {
          await database.migrate();
          const found = await answersOf(database);
          for (const [index, answer] of found.entries()) assert.equal(answer, expected[index]);
          assert.equal(found.length, expected.length);
        });
      } finally {
        await plain.stop();
      }
    });

    test(`${way}, settings of the role, the database or the URL change nothing`, async () => {
      const set = Object.entries(hostile).map(([name, value]) => [name, value] as const);
      await runOnServer(patient(server.url()), `CREATE ROLE other_${way.length} LOGIN PASSWORD 'rollcall'`);
      for (const [name, value] of set)
        await runOnServer(patient(server.url()), `ALTER ROLE other_${way.length} SET ${name} = '${value}'`);
      const url = new URL(server.url());
      url.username = `other_${way.length}`;
      if (way === 'directly') url.searchParams.set('options', '-c TimeZone=Asia/Tokyo');
      await open(url.href, async (database) => {
        const isolated = (isolation: string) => ({ text: `on UTC hex 1 ${isolation}` });
        assert.deepEqual(await database.read.get(READ_FIXED), isolated('read committed'));
        assert.deepEqual(await database.write((sql) => sql.get(READ_FIXED)), isolated('read committed'));
        const loaded = await database.bulk((bulk) => bulk.write(() => bulk.get(READ_FIXED)));
        assert.deepEqual(loaded, isolated('read committed'));
        const snapshot = await database.snapshot();
        assert.deepEqual(await snapshot.get(READ_FIXED), isolated('repeatable read'));
        await snapshot.release();
      });
    });
  }
});
