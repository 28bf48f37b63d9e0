import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fixedClock } from '@rollcall/core/testing';
import { createLog } from '#adapters/node/system/log.js';
import { type Database, openDatabase, type SqlValue, sqlPorts } from '#adapters/sql/index.js';
import { prune } from '#adapters/sql/maintenance/index.js';
import { createPruner } from '#app/pruner.js';
import { eventName } from '#core/testing/subscribe.js';
import { run, temporaryDirectory } from '../support/app-cli.js';
import { startPostgresDatabase } from '../support/postgres.js';
import { startSqliteDatabase } from '../support/storage.js';

const now = new Date('2026-11-20T12:00:00.000Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const month = { now, deliveryRetentionDays: 30, eventRetentionDays: 30 };
const ago = (milliseconds: number, from = now): Date => new Date(from.getTime() - milliseconds);

/** Rows to keep and rows to prune of each table, each named after its age. */
function rowsAt(at: Date): Readonly<Record<string, readonly Readonly<Record<string, SqlValue>>[]>> {
  const before = (milliseconds: number) => ago(milliseconds, at);
  const session = (hash: string, opened: number, seen: number) => ({
    ...{ hash, user_id: 1, opened_at: before(opened), seen_at: before(seen) },
  });
  const link = (hash: string, created: number, redeemed?: number) => ({
    ...{ hash, organization_id: 1, user_id: 1, created_at: before(created) },
    expires_at: before(created - 5 * MINUTE),
    redeemed_at: redeemed === undefined ? null : before(redeemed),
  });
  const event = (id: string, age: number) => ({
    ...{ organization_id: 1, event_id: id, event_name: eventName, body: '{}', created_at: before(age) },
  });
  const delivery = (id: string, state: string, finished?: number) => ({
    ...{ ...event(id, 400 * DAY), state, finished_at: finished === undefined ? null : before(finished) },
  });
  const deletion = (meeting: number, age: number) => ({
    ...{ meeting_id: meeting, organization_id: 1, changed_at: before(age) },
  });
  const invitation = (email: string, ended: Readonly<Record<string, Date>> = {}) => ({
    ...{ id: email, organization_id: 1, user_uuid: email, email, first_name: 'f', last_name: 'l' },
    ...{ key_id: 'k', created_at: before(900 * DAY), ...ended },
  });
  const entry = (subject: string, age: number) => ({
    ...{ organization_id: 1, at: before(age), who: 'command-line', action: 'webhook-tested', subject },
  });
  return {
    organizations: [{ id: 1, name: 'One', eap: false }],
    users: [{ id: 1, uuid: 'u', email: 'e', first_name: 'f', last_name: 'l', created_at: at }],
    sessions: [
      session('session in use', 11 * HOUR, 29 * MINUTE),
      session('session idle', HOUR, 30 * MINUTE),
      session('session old', 12 * HOUR, MINUTE),
      session('session of last week', 7 * DAY, 7 * DAY),
    ],
    login_links: [
      link('link open', MINUTE),
      link('link expired today', 23 * HOUR),
      link('link expired yesterday', DAY),
      link('link used today', 23 * HOUR, 22 * HOUR),
      link('link used yesterday', DAY + HOUR, DAY),
    ],
    deliveries: [
      delivery('pending', 'pending'),
      delivery('delivered lately', 'delivered', 30 * DAY - 1),
      delivery('delivered', 'delivered', 30 * DAY),
      delivery('failed', 'failed', 31 * DAY),
      delivery('skipped', 'skipped', 300 * DAY),
    ],
    events: [
      event('event of two months ago', 60 * DAY),
      event('event of last month', 30 * DAY),
      event('event of this month', 30 * DAY - 1),
      event('event that was committed after a newer one', 40 * DAY),
    ],
    meeting_tombstones: [deletion(1, 29 * DAY), deletion(2, 30 * DAY), deletion(3, 400 * DAY)],
    invitations: [
      invitation('invitation pending'),
      invitation('invitation accepted this year', { accepted_at: before(365 * DAY - 1) }),
      invitation('invitation accepted', { accepted_at: before(365 * DAY) }),
      invitation('invitation revoked this year', { revoked_at: before(DAY) }),
      invitation('invitation revoked', { revoked_at: before(366 * DAY) }),
    ],
    audit_entries: [
      entry('entry of today', MINUTE),
      entry('entry of this year', 365 * DAY - 1),
      entry('entry of a year ago', 365 * DAY),
      entry('entry of long ago', 900 * DAY),
    ],
  };
}

async function fill(database: Database, at: Date): Promise<void> {
  await database.write(async (sql) => {
    for (const [table, rows] of Object.entries(rowsAt(at)))
      for (const row of rows) {
        const places = Object.keys(row).map(() => '?');
        await sql.run(
          `INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${places.join()})`,
          Object.values(row),
        );
      }
    await sql.run(
      `INSERT INTO attempts (delivery_id, number, started_at, outcome, reason)
      SELECT id, 1, created_at, 'failed', 'it' FROM deliveries WHERE state <> 'pending'`,
    );
  });
}

async function remaining({ read }: Database): Promise<readonly string[]> {
  const rows = await read.all<{ name: string }>(
    `SELECT hash AS name FROM sessions UNION ALL SELECT hash FROM login_links
    UNION ALL SELECT event_id FROM deliveries UNION ALL SELECT subject FROM audit_entries UNION ALL SELECT event_id FROM events
    UNION ALL SELECT email FROM invitations
    UNION ALL SELECT 'meeting ' || meeting_id FROM meeting_tombstones
    UNION ALL SELECT 'attempt of ' || event_id FROM attempts LEFT JOIN deliveries ON id = delivery_id`,
  );
  return rows.map(({ name }) => name).sort();
}

const kept = [
  'attempt of delivered lately',
  'delivered lately',
  'entry of this year',
  'entry of today',
  'event of last month',
  'event of this month',
  'event that was committed after a newer one',
  'invitation accepted this year',
  'invitation pending',
  'invitation revoked this year',
  'link expired today',
  'link open',
  'link used today',
  'meeting 1',
  'pending',
  'session idle',
  'session in use',
];

let started: Awaited<ReturnType<typeof startSqliteDatabase>>;

/** The hooks of each suite. */
function withService(): void {
  beforeEach(async () => {
    started = await startSqliteDatabase();
  });
  afterEach(() => started.stop());
}

describe('Pruning', () => {
  withService();

  test('deletes expired rows to the millisecond, and nothing else', async () => {
    const { database } = started;
    await fill(database, now);
    const all = await remaining(database);
    const counts = {
      sessions: 2,
      loginLinks: 2,
      deliveries: 3,
      events: 1,
      deletions: 2,
      auditEntries: 2,
      invitations: 2,
    };
    const request = { now, deliveryRetentionDays: 30, eventRetentionDays: 60 };
    const feeds = () => database.read.all('SELECT id, position FROM events ORDER BY id');
    const before = await feeds();
    assert.deepEqual(await prune(database, { ...request, dryRun: true }), counts);
    assert.deepEqual(await remaining(database), all);
    assert.deepEqual(await feeds(), before, 'a dry run gives events no positions');

    assert.deepEqual(await prune(database, request), counts);
    assert.deepEqual(await remaining(database), kept);
    const nothing = {
      sessions: 0,
      loginLinks: 0,
      deliveries: 0,
      events: 0,
      deletions: 0,
      auditEntries: 0,
      invitations: 0,
    };
    assert.deepEqual(await prune(database, request), nothing);
  });

  test('a dry run counts the events that are pruned, also those that nobody has read yet', async () => {
    const { database } = started;
    const addEvents = (organizationId: number, ages: readonly number[]) =>
      database.write(async (sql) => {
        for (const [index, age] of ages.entries())
          await sql.run(
            `INSERT INTO events (organization_id, event_id, event_name, body, created_at)
            VALUES (?, ?, '${eventName}', '{}', ?)`,
            [organizationId, `${organizationId}-${age}-${index}`, ago(age)],
          );
      });
    for (const id of [1, 2, 3])
      await database.write((sql) =>
        sql.run(`INSERT INTO organizations (id, name, eap) VALUES (?, 'O', 0)`, [id]),
      );
    const { eventFeed } = sqlPorts(database);
    await addEvents(1, [50 * DAY, 40 * DAY]);
    await addEvents(2, [50 * DAY, 20 * DAY]);
    for (const organizationId of [1, 2])
      await eventFeed.read({ organizationId, after: null, order: 'asc', limit: 10 });
    await addEvents(1, [...Array(600).fill(35 * DAY), DAY, 40 * DAY]);
    await addEvents(2, [40 * DAY]);
    await addEvents(3, [31 * DAY, 33 * DAY]);
    const tried = await prune(database, { ...month, dryRun: true });
    assert.equal(tried.events, 602 + 1 + 2);
    assert.equal((await prune(database, month)).events, tried.events);
  });

  test('keeps deliveries for the configured time', async () => {
    const { database } = started;
    await fill(database, now);
    const { deliveries } = await prune(database, { now, deliveryRetentionDays: 100, eventRetentionDays: 30 });
    assert.equal(deliveries, 1);
  });

  test('lets others write between its batches, and stops early when it is told to', async (t) => {
    const { database, file } = started;
    await fill(database, now);
    await database.write((sql) =>
      sql.run(
        `WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 3000)
        INSERT INTO deliveries (organization_id, event_id, event_name, body, state, created_at, finished_at)
        SELECT 1, 'old ' || n, '${eventName}', '{}', 'delivered', ?, ? FROM counted`,
        [ago(90 * DAY), ago(90 * DAY)],
      ),
    );
    const stopping = new AbortController();
    const other = await openDatabase(`sqlite:${file}`);
    t.after(() => other.close());
    let writes = 0;
    const pruned = prune(database, { ...month, signal: stopping.signal });
    for (let count = 3005; count === 3005 || writes < 3; writes += 1) {
      await other.write((sql) => sql.run(`UPDATE organizations SET name = 'Two'`));
      const row = await other.read.get<{ count: number }>('SELECT count(*) AS count FROM deliveries');
      count = row?.count ?? 0;
      await pause(5);
    }
    stopping.abort();
    const { deliveries } = await pruned;
    assert.ok(deliveries > 0 && deliveries < 3003, `${deliveries} were deleted before it was told to stop`);

    const rest = await prune(database, month);
    assert.equal(deliveries + rest.deliveries, 3003);
  });
});

/** The number of rows that the database returns from now on. */
function countingRows(database: Database): { readonly database: Database; read(): number } {
  let rows = 0;
  const { read } = database;
  return {
    database: {
      ...database,
      read: {
        ...read,
        async all<Row>(...statement: Parameters<typeof read.all>) {
          const found = await read.all<Row>(...statement);
          rows += found.length;
          return found;
        },
      },
    },
    read: () => rows,
  };
}

describe('Pruning a large database', () => {
  withService();

  for (const [engine, start] of Object.entries({
    sqlite: startSqliteDatabase,
    postgres: startPostgresDatabase,
  }))
    test(`over ${engine}: reads only what it deletes, and at most two batches of what stays`, async (t) => {
      const { database, stop } = await start();
      t.after(stop);
      await database.write(async (sql) => {
        await sql.run(`INSERT INTO organizations (id, name, eap) VALUES (1, 'One', ?)`, [false]);
        for (const [age, count] of [
          [60 * DAY, 700],
          [DAY, 6000],
        ] as const) {
          const series = `WITH RECURSIVE counted (n) AS (
            SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${count}
          )`;
          const uuid = `'00000000-0000-4000-8000-' || substr('00000000000' || (n + ${count}), -12)`;
          await sql.run(
            `${series} INSERT INTO deliveries (organization_id, event_id, event_name, body, state, created_at, finished_at)
            SELECT 1, ${database.engine === 'postgres' ? 'gen_random_uuid()' : uuid}, '${eventName}', '{}', 'delivered', ?, ?
            FROM counted`,
            [ago(age), ago(age)],
          );
          await sql.run(
            `${series} INSERT INTO audit_entries (organization_id, at, who, action)
            SELECT 1, ?, 'command-line', 'webhook-tested' FROM counted`,
            [ago(age * 10)],
          );
        }
      });
      const counting = countingRows(database);
      const { deliveries, auditEntries } = await prune(counting.database, month);
      assert.deepEqual([deliveries, auditEntries], [700, 700]);
      // Two batches to the last expired row, and one more, of each table.
      assert.ok(counting.read() <= 2 * 1500 + 10, `${counting.read()} rows were read`);
    });
});

describe('A server', () => {
  withService();

  test('prunes periodically, logs what it deleted, and stops', async () => {
    const { database } = started;
    await fill(database, now);
    const lines: { msg: string }[] = [];
    const log = createLog({
      level: 'debug',
      pretty: false,
      destination: { write: (line) => lines.push(JSON.parse(line)) },
    });
    const reports: unknown[] = [];
    const errorTracker = { report: (error: unknown) => reports.push(error) };
    const clock = fixedClock(now);
    const pruner = createPruner({
      prune: (request) => prune(database, request),
      clock,
      log,
      errorTracker,
      deliveryRetentionDays: 30,
      eventRetentionDays: 30,
      firstAfterMs: 1,
      intervalMs: 20,
    });
    await pruner.start();
    for (let waited = 0; lines.length < 1 && waited < 5000; waited += 20) await pause(20);
    clock.advance(HOUR);
    for (let waited = 0; lines.length < 2 && waited < 5000; waited += 20) await pause(20);
    await pruner.stop();
    const facts = lines.map(({ msg, ...line }) => {
      const { sessions, loginLinks, deliveries } = line as Record<string, unknown>;
      return [msg, sessions, loginLinks, deliveries];
    });
    assert.deepEqual(facts, [
      ['Pruned', 2, 2, 3],
      ['Pruned', 1, 2, 1],
    ]);
    assert.deepEqual(reports, []);
  });
});

describe('rollcall prune', () => {
  withService();

  test('prints what it deletes, or would delete, as text and as JSON', async () => {
    const directory = temporaryDirectory();
    try {
      const cwd = directory.path;
      const env = {
        DATABASE_URL: 'sqlite:rollcall.db',
        SECRET_KEY: 'a secret key of more than 32 characters',
      };
      const database = await openDatabase(`sqlite:${cwd}/rollcall.db`);
      await database.migrate();
      await fill(database, new Date());
      await database.close();
      const command = (...args: readonly string[]) => run(['prune', ...args], { cwd, env });

      const tried = await command('--dry-run');
      assert.deepEqual(
        [tried.code, tried.stderr, tried.stdout],
        [
          0,
          'Would delete:\n',
          'sessions              2\nlogin_links           2\ndeliveries            4\nevents                4\ndeletions             2\naudit_entries         3\ninvitations           3\n',
        ],
      );
      const counts = {
        sessions: 2,
        login_links: 2,
        deliveries: 1,
        events: 1,
        deletions: 2,
        audit_entries: 3,
        invitations: 3,
      };
      const longer = { ...env, DELIVERY_RETENTION_DAYS: '100', EVENT_RETENTION_DAYS: '60' };
      const done = await run(['prune', '--json'], { cwd, env: longer });
      assert.deepEqual([done.code, JSON.parse(done.stdout)], [0, { dry_run: false, ...counts }]);
      // One of them had a millisecond left when it was stored.
      const rest = await command('--json');
      assert.deepEqual(JSON.parse(rest.stdout), {
        dry_run: false,
        sessions: 0,
        login_links: 0,
        deliveries: 3,
        events: 3,
        deletions: 0,
        audit_entries: 0,
        invitations: 0,
      });
    } finally {
      directory.remove();
    }
  });
});
