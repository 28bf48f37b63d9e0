import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { exportColumns } from '@rollcall/core/rules';
import { aMeeting, anOrganization, aUser, countedIds } from '@rollcall/core/testing';
import { type Database, openDatabase } from '#adapters/sql/index.js';
import { eventName } from '#core/testing/subscribe.js';
import type { Sent } from '../../support/http/client.js';
import { securedCalls } from '../../support/http/operations.js';
import { startHttpService } from '../../support/http/service.js';
import { runOnServer } from '../../support/postgres-client.js';
import { type PostgresServer, startPostgresServer } from '../../support/postgres-server.js';
import { slowness } from '../../support/slowness.js';
import { startSqliteDatabase } from '../../support/storage.js';
import { startTransactionPooler } from '../../support/transaction-pooler.js';
import { wrongKeyLimit } from '../../support/wrong-key-limit.js';

const everyColumn = exportColumns.map(({ key }) => `column=${key}`).join('&');
/** Texts with every character that SQL, JSON, CSV or COPY gives a meaning. */
const texts = [`'a\\"b', "\\n" \\\\`, '=1+1;\t\r\n\v\b\f', 'Zoë Ōno 漢字 😀 \\u0041', '%_!\\%', ''];
const at = (text: string): Date => new Date(text);

const calls: readonly (readonly [path: string, accept: string])[] = [
  ...['application/json', 'text/csv', 'application/x-ndjson'].flatMap((accept) =>
    ['', '&per_page=2&page=2', '&per_page=2&page=1'].map(
      (page) => [`/export_meetings?${everyColumn}&reporting_days=all_past${page}`, accept] as const,
    ),
  ),
  ...[
    `/meeting_changes?${everyColumn}`,
    `/meeting_changes?${everyColumn}&limit=2`,
    '/export_meetings?column=name&reporting_days=all_upcoming',
    '/users?search=zo%C3%AB',
    '/users?limit=2',
    '/events?limit=2',
    '/webhook/deliveries?state=delivered&limit=1',
    '/webhook/deliveries',
  ].map((path) => [path, 'application/json'] as const),
];

/**
 * Fills an empty database, calls every operation that needs a token, exports in all forms, and delivers webhooks. Returns
 * what was answered and sent, without values that differ each time.
 */
async function answersOf(database: Database): Promise<readonly string[]> {
  const service = await startHttpService({
    database,
    settings: wrongKeyLimit(0),
    ports: { ids: countedIds() },
  });
  const answers: string[] = [];
  try {
    await service.load({
      organizations: [anOrganization(1, { name: `O'Neil \\ "Sons"` })],
      users: [91, 92, 93].map((id) => aUser(id, { firstName: 'Zoë', lastName: texts[0] ?? '' })),
      memberships: [91, 92, 93].map((id) => ({
        organizationId: 1,
        userId: id,
        role: 'member' as const,
        idpId: `idp-${id - 90}`,
      })),
      meetings: texts.flatMap((text, index) => [
        aMeeting(index + 1, {
          ...{ name: text, topic: text, description: text, price: 0.1 * index, groupLeaderId: 91 },
          ...{ startTime: at('2026-10-25T00:59:59.001Z'), endTime: at('2026-10-25T01:59:59.999Z') },
          status: 'complete',
        }),
        aMeeting(index + 101, {
          ...{
            name: text,
            startTime: at('2026-12-01T18:00:00.000Z'),
            endTime: at('2026-12-01T19:00:00.000Z'),
          },
        }),
      ]),
      registrations: [{ meetingId: 101, userId: 91, registeredAt: at('2026-11-01T10:00:00.000Z') }],
      waitingPlaces: [],
    });
    const { get, post, patch, remove } = await service.signIn(1);
    const called = async (method: string, path: string, { json, ...sent }: Sent): Promise<void> => {
      const send = { GET: get, DELETE: remove }[method] ?? null;
      const withBody = method === 'POST' ? post : patch;
      const { status, text } = await (send === null ? withBody(path, json, sent) : send(path, sent));
      answers.push(`${method} ${path} ${status} ${text.replace(generated, '…')}`);
    };
    const deliver = async (): Promise<void> => {
      await Promise.all(await service.core.deliverWebhooks({ limit: 10 }));
    };
    const webhook = { url: 'https://hooks.northwind.test/x', enabled: true, events: [eventName] };
    await called('POST', '/webhook', { json: { webhook } });
    for (const [index, lastName] of ['Ōno 漢字 😀 \\u0041', `O'Neil \\%_!`, 'Kim'].entries()) {
      const person = { email: `new-${index}@example.test`, firstName: 'Zoë', lastName };
      await service.core.registerUser({ organizationId: 1, ...person });
      await deliver();
    }
    for (const [path, accept] of calls) await called('GET', path, { headers: { Accept: accept } });
    for (const { method, path, sent } of securedCalls) await called(method, path, sent);
    await deliver();
    answers.push(...service.webhookSender.sent.map(({ body }) => String(body)));
    assert.deepEqual(service.reports, []);
  } finally {
    await service.stop();
  }
  return answers;
}

/** Generated secrets, signatures made with them, and cursors of changes, which contain the time of the import. */
const generated =
  /whsec_[\w+/]+=*|(?<=\/(?:login|invitations)\/)[\w.-]{20,}|(?<=[Ss]ignature":")[^"]+|(?<="next":")WyJtZWV0aW5nLWNoYW5nZXMi\w+/g;

/** Milliseconds: on a loaded machine, a connection needs longer until its settings are ours. */
const short = String(Math.round(1_000 * slowness()));

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
  statement_timeout: short,
  lock_timeout: short,
  idle_in_transaction_session_timeout: short,
  idle_session_timeout: short,
  transaction_timeout: short,
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
const patient = (url: string): string =>
  `${url}?options=-c%20transaction_timeout%3D0%20-c%20idle_session_timeout%3D0`;

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
    test(`${way}, every answer is the same as on SQLite, byte for byte`, async (t) => {
      const name = `answers_${way.length}`;
      await runOnServer(patient(server.url()), `CREATE DATABASE ${name} TEMPLATE template0`);
      const plain = await startSqliteDatabase();
      t.after(() => plain.stop());
      const expected = await answersOf(plain.database);
      await open(server.url(name), async (database) => {
        await database.migrate();
        const found = await answersOf(database);
        for (const [index, answer] of found.entries()) assert.equal(answer, expected[index]);
        assert.equal(found.length, expected.length);
      });
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
        const loaded = await database.bulk((bulk) =>
          bulk.write(async () => {
            // Longer than the time limits of the server.
            await bulk.run(`SELECT pg_sleep(${(1.5 * Number(short)) / 1000})`);
            return bulk.get(READ_FIXED);
          }),
        );
        assert.deepEqual(loaded, isolated('read committed'));
        const snapshot = await database.snapshot();
        assert.deepEqual(await snapshot.get(READ_FIXED), isolated('repeatable read'));
        await snapshot.release();
      });
    });
  }
});
