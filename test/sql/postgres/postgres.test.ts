import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import { type Database, openDatabase, type Snapshot, type SqlValue } from '#adapters/sql/index.js';
import { migrationNames } from '#adapters/sql/migrations/index.js';
import { copiedWith } from '../../support/copied-rows.js';
import { listen } from '../../support/listen.js';
import { startPostgresDatabase, startPostgresUrl } from '../../support/postgres.js';
import { slowness } from '../../support/slowness.js';

/** Whether the error means that the database is unavailable, rather than a bug. */
function isUnavailable(error: unknown): boolean {
  return error instanceof Unavailable;
}

const decoded = (row: string): string => Buffer.from(row, 'latin1').toString();

/** Copies rows as COPY encodes them. */
function copied(
  { copy }: Snapshot,
  text: string,
  values: readonly SqlValue[] = [],
): AsyncGenerator<Uint8Array> {
  assert.ok(copy !== undefined);
  return copy(text, values, copiedWith(''));
}

async function allCopied(...parameters: Parameters<typeof copied>): Promise<string> {
  let text = '';
  for await (const chunk of copied(...parameters)) text += decoded(Buffer.from(chunk).toString('latin1'));
  return text;
}

describe('A PostgreSQL database', () => {
  let started: Awaited<ReturnType<typeof startPostgresDatabase>>;
  let database: Database;
  before(async () => {
    started = await startPostgresDatabase();
    database = started.database;
    await database.write(async (sql) => {
      await sql.run(
        'CREATE TABLE things (id bigint PRIMARY KEY, at timestamptz, is_good boolean, note text)',
      );
    });
  });
  after(() => started.stop());
  afterEach(() => database.write((sql) => sql.run('DELETE FROM things')));

  test('returns values in the common form of both engines', async () => {
    const at = new Date('2026-11-20T18:00:00.120Z');
    const note = 'a question? “”  😀 \\ \' " \u0001';
    await database.write((sql) =>
      sql.run('INSERT INTO things VALUES (?, ?, ?, ?)', [2 ** 53 - 1, at, true, note]),
    );
    assert.deepEqual(await database.read.all('SELECT * FROM things'), [
      { id: 2 ** 53 - 1, at: '2026-11-20T18:00:00.120Z', is_good: true, note },
    ]);
    await assert.rejects(database.read.get('SELECT 9007199254740993::bigint'), /is too large/);
  });

  test('a statement that has failed can run again with the same text', async () => {
    const whole = 'SELECT ?::bigint AS n, NULL AS nothing';
    await assert.rejects(database.read.get(whole, ['x']), { code: '22P02' });
    assert.deepEqual(await database.read.get(whole, ['5']), { n: 5, nothing: null });
    await assert.rejects(database.read.rows(whole, ['9007199254740993']), /is too large/);
    assert.deepEqual(await database.read.rows(whole, ['6']), [[6, null]]);
    const wrong = 'SELECT nothing FROM nowhere WHERE 1 = ?';
    for (let time = 0; time < 2; time += 1)
      await assert.rejects(database.read.all(wrong, [1]), { code: '42P01' });
    assert.deepEqual(await database.read.all(`SELECT 1 AS one WHERE ?::text = 'no'`, ['x']), []);
  });

  test('counts the changed rows of a statement, whether it returns rows or not', async () => {
    const counts = await database.write(async (sql) => [
      await sql.run('INSERT INTO things (id) VALUES (?), (?)', [1, 2]),
      await sql.run('UPDATE things SET note = ? WHERE id > ?', ['x', 1]),
      await sql.run('DELETE FROM things WHERE id > ? RETURNING id', [9]),
      await sql.run('LOCK TABLE things'),
    ]);
    assert.deepEqual(counts, [{ changes: 2 }, { changes: 1 }, { changes: 0 }, { changes: 0 }]);
  });

  test('stores nothing of a transaction with a failed statement, even if the error was caught', async () => {
    const failing = database.write(async (sql) => {
      await sql.run('INSERT INTO things (id) VALUES (1)');
      await sql.run('INSERT INTO things (id) VALUES (1)').catch(() => undefined);
    });
    await assert.rejects(failing, /could not be committed: a statement had failed/);
    assert.deepEqual(await database.read.all('SELECT id FROM things'), []);
  });

  test('refuses a handle whose transaction has ended', async () => {
    const leaked = await database.write(async (sql) => sql);
    await assert.rejects(leaked.get('SELECT 1'), /has ended/);
  });

  test('two long reads of an organization run at a time, and those of another do not wait for them', async () => {
    const running = 'SELECT count(*)::int AS count FROM pg_stat_activity WHERE query LIKE ? AND state = ?';
    const sleep = 'SELECT pg_sleep(0.4), 1 AS slept';
    const own = Array.from({ length: 5 }, () => database.readAside(1).get<{ slept: number }>(sleep));
    await pause(100);
    assert.deepEqual(await database.read.get(running, ['SELECT pg_sleep(0.4)%', 'active']), { count: 2 });
    const startedAt = performance.now();
    assert.deepEqual(await database.readAside(2).rows('SELECT 1'), [[1]]);
    const elapsedMs = performance.now() - startedAt;
    assert.ok(elapsedMs < 250 * slowness(), `another organization waited ${Math.round(elapsedMs)} ms`);
    const slept = await Promise.all(own);
    assert.deepEqual(
      slept.map((row) => row?.slept),
      [1, 1, 1, 1, 1],
    );
  });

  test('long reads of an organization are unavailable at once when a hundred wait, and those of others are not', async () => {
    const reads = Array.from({ length: 103 }, () =>
      database
        .readAside(1)
        .get('SELECT pg_sleep(0.01)')
        .then(
          () => 'read',
          (error: unknown) => (isUnavailable(error) ? 'unavailable' : error),
        ),
    );
    assert.equal(await reads[102], 'unavailable');
    assert.deepEqual(await database.readAside(2).all('SELECT 1 AS one'), [{ one: 1 }]);
    assert.deepEqual(new Set(await Promise.all(reads.slice(0, 102))), new Set(['read']));
  });

  test('a snapshot sees one state, and is released if it is not read for too long', async (t) => {
    const stallTimeoutMs = Math.ceil(200 * slowness());
    const hasty = await openDatabase(started.url, { stallTimeoutMs });
    t.after(() => hasty.close());
    await database.write((sql) => sql.run('INSERT INTO things (id) VALUES (1)'));
    const snapshot = await hasty.snapshot();
    assert.equal((await snapshot.all('SELECT id FROM things')).length, 1);
    await database.write((sql) => sql.run('INSERT INTO things (id) VALUES (2)'));
    assert.equal((await snapshot.all('SELECT id FROM things')).length, 1);
    await assert.rejects(snapshot.run('INSERT INTO things (id) VALUES (3)'), isUnavailable);
    await pause(1.5 * stallTimeoutMs);
    await assert.rejects(snapshot.all('SELECT id FROM things'), /was released/);
    await snapshot.release();
  });

  test('a snapshot that is released during a read ends at once', async () => {
    const snapshot = await database.snapshot();
    const reading = assert.rejects(snapshot.all('SELECT pg_sleep(20)'), isUnavailable);
    await pause(50);
    const startedAt = performance.now();
    await snapshot.release();
    await reading;
    assert.ok(performance.now() - startedAt < 1000 * slowness());
    assert.deepEqual(await database.read.all('SELECT 1 AS one'), [{ one: 1 }]);
  });

  test('a command is alone until a service uses the database', async () => {
    const { url, stop } = await startPostgresUrl({ migrated: false });
    const command = await openDatabase(url, { serves: false });
    try {
      const isAlone = () => command.bulk((bulk) => bulk.isAlone());
      await command.read.get('SELECT 1');
      assert.equal(await isAlone(), true);
      const server = await openDatabase(url, {});
      await server.read.get('SELECT 1');
      assert.equal(await isAlone(), false);
      await server.close();
      for (let left = 50; left > 0 && !(await isAlone()); left -= 1) await pause(20);
      assert.equal(await isAlone(), true);
      const named = await openDatabase(`${url}?application_name=theirs`);
      await named.read.get('SELECT 1');
      assert.equal(await isAlone(), false, 'even if the URL sets another application_name');
      await named.close();
    } finally {
      await command.close();
      await stop();
    }
  });

  test('no connection can stay idle in a transaction', async () => {
    const query = `SELECT current_setting('idle_in_transaction_session_timeout') AS timeout`;
    const snapshot = await database.snapshot();
    assert.deepEqual(
      [
        await database.read.get(query),
        await database.write((sql) => sql.get(query)),
        await snapshot.get(query),
        await database.bulk((bulk) => bulk.get(query)),
      ],
      ['30s', '30s', '2min', '15min'].map((timeout) => ({ timeout })),
    );
    await snapshot.release();
    const limit = `SELECT current_setting('statement_timeout')`;
    assert.equal(
      await allCopied(await database.snapshot(), limit, []),
      '65min',
      'longer than any export may take',
    );
  });

  test('copied rows come in order and from one state, and the connection is used again', async () => {
    const snapshot = await database.snapshot();
    assert.deepEqual(await allCopied(snapshot, 'SELECT count(*) FROM things', []), '0');
    const other = await database.snapshot();
    const numbers = 'SELECT n FROM generate_series(1, 100000) AS n WHERE n > ?';
    assert.equal(await allCopied(other, numbers, [99_998]), '99999100000');
    const rows = 'SELECT ?::text, ?::timestamptz, ?::boolean, ?::text';
    const values = ["it's \\ $1", new Date('2026-11-20T18:00:00.120Z'), true, null];
    assert.equal(
      await allCopied(await database.snapshot(), rows, values),
      "it's \\\\ $1\t2026-11-20 18:00:00.12+00\tt\t\\N",
    );
    assert.equal(database.poolStates().find(({ role }) => role === 'exporter')?.used, 0);
  });

  test('a copy ends with its reader, with an error of the server, and with the snapshot', async () => {
    const endless = 'SELECT repeat(?, 1000), generate_series(1, 10000000)';
    for await (const _ of copied(await database.snapshot(), endless, ['x'])) break;
    const failing = copied(
      await database.snapshot(),
      'SELECT 1 / (n - 2000) FROM generate_series(1, 5000) AS n',
    );
    await assert.rejects(failing.next(), { code: '22012' });
    const snapshot = await database.snapshot();
    const rows = copied(snapshot, endless, ['x']);
    await rows.next();
    await snapshot.release();
    await assert.rejects(rows.next(), /was released/);
    const hasty = await openDatabase(started.url, { stallTimeoutMs: 1_500 });
    try {
      const forgotten = copied(await hasty.snapshot(), endless, ['x']);
      await forgotten.next();
      await pause(2_000);
      await assert.rejects(forgotten.next(), /was released/);
      const late = copied(await hasty.snapshot(), 'SELECT pg_sleep(4)');
      await assert.rejects(late.next(), isUnavailable);
    } finally {
      await hasty.close();
    }
    assert.equal(database.poolStates().find(({ role }) => role === 'exporter')?.used, 0);
    const left = `SELECT count(*) AS copying FROM pg_stat_activity WHERE query LIKE '%COPY%' AND state = 'active'
      AND pid <> pg_backend_pid() AND datname = current_database()`;
    const until = performance.now() + 10_000;
    const copying = async () => (await database.read.get<{ copying: number }>(left))?.copying;
    while ((await copying()) !== 0 && performance.now() < until) await pause(50);
    assert.equal(await copying(), 0);
  });

  test('waits for a lock or a connection no longer than its timeout, and is then unavailable', async (t) => {
    const hasty = await openDatabase(started.url, { timeoutMs: 1_000 });
    t.after(() => hasty.close());
    await database.write((sql) => sql.run('INSERT INTO things (id) VALUES (1)'));
    await database.write(async (sql) => {
      await sql.run('UPDATE things SET note = ?', ['held']);
      const startedAt = performance.now();
      const waiting = Array.from({ length: 12 }, () =>
        assert.rejects(
          hasty.write((other) => other.run('UPDATE things SET note = ?', ['late'])),
          isUnavailable,
        ),
      );
      await Promise.all(waiting);
      assert.ok(performance.now() - startedAt < 3_500 * slowness());
    });
    assert.deepEqual(await hasty.read.all('SELECT note FROM things'), [{ note: 'held' }]);
  });

  test('a connection that the server closes counts as unavailable, and the next one works', async () => {
    const statement = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'rollcall' AND pid <> pg_backend_pid()`;
    const reading = assert.rejects(database.read.get('SELECT pg_sleep(4)'), isUnavailable);
    await pause(100);
    const other = await openDatabase(started.url);
    await other.read.all(statement);
    await other.close();
    await reading;
    // Until all connections that earlier tests have left are closed.
    await pause(200);
    assert.deepEqual(await database.read.all('SELECT 1 AS one'), [{ one: 1 }]);
  });

  test('runs each migration once, even if several processes start at the same time', async () => {
    const empty = await startPostgresUrl({ migrated: false });
    const all = await Promise.all(Array.from({ length: 5 }, () => openDatabase(empty.url)));
    try {
      assert.deepEqual(await all[0]?.pendingMigrations(), [...migrationNames]);
      const applied = await Promise.all(all.map((one) => one.migrate()));
      assert.deepEqual(applied.flat(), [...migrationNames]);
      assert.deepEqual(await all[0]?.pendingMigrations(), []);
    } finally {
      await Promise.all(all.map((one) => one.close()));
      await empty.stop();
    }
  });
});

describe('An unreachable PostgreSQL database', () => {
  let sockets: Set<Socket>;
  let server: ReturnType<typeof createServer>;
  let url: string;
  beforeEach(async () => {
    sockets = new Set();
    server = createServer((socket) => sockets.add(socket));
    url = `postgres://me:hidden@127.0.0.1:${await listen(server)}/rollcall`;
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  test('is unavailable after the timeout if the server accepts connections but never responds', async () => {
    const startedAt = performance.now();
    await assert.rejects(openDatabase(url, { timeoutMs: 300 }), isUnavailable);
    assert.ok(performance.now() - startedAt < 2_000 * slowness());
  });

  test('is unavailable at once if the server refuses connections', async () => {
    server.close();
    await assert.rejects(openDatabase(url), isUnavailable);
  });

  test('is unavailable if the client requires TLS and the server has none, or if the login or database is wrong', async () => {
    const { url: plain, stop } = await startPostgresUrl({ migrated: false });
    try {
      await assert.rejects(openDatabase(`${plain}?sslmode=require`), isUnavailable);
      for (const mode of ['disable', 'prefer'])
        await (await openDatabase(`${plain}?sslmode=${mode}`)).close();
      await assert.rejects(openDatabase(plain.replace(':rollcall@', ':wrong@')), isUnavailable);
      await assert.rejects(openDatabase(plain.replace(/\/rollcall_[^/]*$/, '/missing')), isUnavailable);
    } finally {
      await stop();
    }
  });

  test('is unavailable within the timeout while the server hangs, and works again afterwards', async () => {
    const real = await startPostgresUrl({ migrated: false });
    const { port } = new URL(real.url);
    let hangs = false;
    const { connect } = await import('node:net');
    const proxy = createServer((near) => {
      const far = connect(Number(port), '127.0.0.1');
      sockets.add(near).add(far);
      near.on('data', (data) => hangs || far.write(data)).on('error', () => far.destroy());
      far.on('data', (data) => hangs || near.write(data)).on('error', () => near.destroy());
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
    });
    const through = real.url.replace(port, String(await listen(proxy)));
    const database = await openDatabase(through, { timeoutMs: 1_000 });
    try {
      assert.deepEqual(await database.read.all('SELECT 1 AS one'), [{ one: 1 }]);
      hangs = true;
      const startedAt = performance.now();
      await assert.rejects(database.read.all('SELECT 1'), isUnavailable);
      await assert.rejects(
        database.write((sql) => sql.run('SELECT 1')),
        isUnavailable,
      );
      assert.ok(performance.now() - startedAt < 4_000 * slowness());
      hangs = false;
      assert.deepEqual(await database.read.all('SELECT 2 AS two'), [{ two: 2 }]);
    } finally {
      await database.close();
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await real.stop();
    }
  });
});
