import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, openDatabase, type ReplicaState } from '#adapters/sql/index.js';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.js';

const MAX_LAG = 1_500;
const HERE = 'SELECT pg_is_in_recovery() AS replica';

async function eventually(check: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const until = performance.now() + 20_000;
  while (!(await check())) {
    assert.ok(performance.now() < until, what);
    await pause(50);
  }
}

describe('A replica for exports', () => {
  let primary: PostgresServer;
  let replica: PostgresServer;
  let database: Database;
  const changes: ReplicaState[] = [];
  before(
    async () => {
      primary = await startPostgresServer();
      const direct = await openDatabase(primary.url());
      await direct.write((sql) => sql.run('CREATE TABLE things (id bigint PRIMARY KEY)'));
      await direct.close();
      replica = await primary.startReplica();
      database = await openDatabase(primary.url(), {
        replica: { url: replica.url(), maxLag: MAX_LAG, onChange: (state) => changes.push(state) },
      });
    },
    { timeout: 60_000 },
  );
  after(
    async () => {
      await database?.close();
      await replica?.remove();
      await primary?.remove();
    },
    { timeout: 60_000 },
  );

  async function servedByReplica(): Promise<boolean> {
    const begin = performance.now();
    const snapshot = await database.snapshot();
    assert.ok(performance.now() - begin < 2_000);
    try {
      return (await snapshot.get<{ readonly replica: boolean }>(HERE))?.replica === true;
    } finally {
      await snapshot.release();
    }
  }
  const serves = () => eventually(servedByReplica, 'the replica does not serve');
  const servesNot = () => eventually(async () => !(await servedByReplica()), 'the replica serves');
  async function onReplica(statement: string): Promise<void> {
    const direct = await openDatabase(replica.url());
    await direct.read.all(statement).finally(() => direct.close());
  }

  test('serves snapshots, and nothing else', { timeout: 60_000 }, async () => {
    await serves();
    assert.equal(database.replica?.state(), 'serving');
    assert.deepEqual(await database.read.get(HERE), { replica: false });
    assert.deepEqual(await database.write((sql) => sql.get(HERE)), { replica: false });
  });

  test('serves however long nothing is written', { timeout: 60_000 }, async () => {
    const seen = changes.length;
    await pause(2 * MAX_LAG);
    assert.equal(await servedByReplica(), true);
    assert.equal(changes.length, seen);
  });

  test('does not serve what is older than the limit, and serves again when it has come up', {
    timeout: 60_000,
  }, async () => {
    await serves();
    await onReplica('SELECT pg_wal_replay_pause()');
    const seen = changes.length;
    const begin = performance.now();
    await database.write((sql) => sql.run('INSERT INTO things (id) VALUES (1)'));
    await servesNot();
    assert.ok(performance.now() - begin < MAX_LAG + 1_000);
    assert.equal(database.replica?.state(), 'behind');
    const snapshot = await database.snapshot();
    assert.deepEqual(await snapshot.all('SELECT id FROM things'), [{ id: 1 }]);
    await snapshot.release();
    await onReplica('SELECT pg_wal_replay_resume()');
    await serves();
    await eventually(() => changes.length === seen + 2, `${changes}`);
    assert.deepEqual(changes.slice(seen), ['behind', 'serving']);
  });

  test('does not serve what is older where it can follow no more, though it answers', {
    timeout: 60_000,
  }, async () => {
    await serves();
    await database.write((sql) => sql.run('ALTER ROLE follower NOLOGIN'));
    await database.read.all('SELECT pg_terminate_backend(pid) FROM pg_stat_replication');
    await database.write((sql) => sql.run('INSERT INTO things (id) VALUES (2)'));
    await servesNot();
    assert.equal(database.replica?.state(), 'behind');
    await database.write((sql) => sql.run('ALTER ROLE follower LOGIN'));
    await serves();
  });

  test('needs no rights beyond those of an ordinary role', { timeout: 60_000 }, async () => {
    await database.write((sql) => sql.run(`CREATE ROLE plain LOGIN PASSWORD 'plain'`));
    const plain = (url: string) => url.replace('rollcall:rollcall@', 'plain:plain@');
    await pause(300);
    const other = await openDatabase(plain(primary.url()), {
      replica: { url: plain(replica.url()), maxLag: MAX_LAG },
    });
    try {
      await eventually(() => other.replica?.state() === 'serving', `${other.replica?.state()}`);
    } finally {
      await other.close();
    }
  });

  test('is replaced at once when it stops, and taken up when it comes back', {
    timeout: 60_000,
  }, async () => {
    await serves();
    const seen = changes.length;
    await replica.stop('immediate');
    assert.equal(await servedByReplica(), false);
    await eventually(() => changes.length === seen + 1, `${changes}`);
    assert.equal(database.replica?.state(), 'away');
    await replica.start();
    await serves();
    await eventually(() => changes.length === seen + 2, `${changes}`);
    assert.deepEqual(changes.slice(seen), ['away', 'serving']);
  });

  test('that is away at the start, no replica, or one of another database is not read', {
    timeout: 60_000,
  }, async () => {
    for (const [url, reason] of [
      [`postgres://me:hidden@127.0.0.1:1/rollcall`, /can not be reached/],
      [primary.url(), /no replica/],
      [replica.url('template1'), /replica of another database/],
    ] as const) {
      const reasons: unknown[] = [];
      const other = await openDatabase(primary.url(), {
        replica: { url, maxLag: MAX_LAG, onChange: (state, why) => reasons.push(state, why) },
      });
      try {
        const snapshot = await other.snapshot();
        assert.deepEqual(await snapshot.get(HERE), { replica: false });
        await snapshot.release();
        assert.equal(reasons[0], 'away');
        assert.match(String(reasons[1]), reason);
        assert.equal(reasons.length, 2);
      } finally {
        await other.close();
      }
    }
  });
});
