import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, openDatabase } from '#adapters/sql/index.js';
import type { PostgresServer } from '../../support/postgres-server.js';
import {
  IS_REPLICA,
  MAX_LAG_MS,
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from '../../support/replicated-postgres.js';
import { slowness } from '../../support/slowness.js';
import { eventually } from '../../support/wait.js';

describe('A replica for exports', () => {
  let started: ReplicatedPostgres;
  let primary: PostgresServer;
  let replica: PostgresServer;
  let database: Database;
  before(
    async () => {
      started = await startReplicatedPostgres();
      ({ primary, replica, database } = started);
    },
    { timeout: 240_000 },
  );
  after(() => started?.stop(), { timeout: 240_000 });

  test('serves snapshots, and nothing else', { timeout: 240_000 }, async () => {
    await started.waitUntilReplicaServes();
    assert.equal(database.replica?.state(), 'serving');
    assert.deepEqual(await database.read.get(IS_REPLICA), { replica: false });
    assert.deepEqual(await database.write((sql) => sql.get(IS_REPLICA)), { replica: false });
  });

  test('serves even if nothing is written for a long time', { timeout: 240_000 }, async () => {
    const seen = started.changes.length;
    await pause(2 * MAX_LAG_MS);
    assert.equal(await started.isServedByReplica(), true);
    assert.equal(started.changes.length, seen);
  });

  test('does not serve while it lags behind more than the limit, and serves again when it has caught up', {
    timeout: 240_000,
  }, async () => {
    await started.waitUntilReplicaServes();
    await started.onReplica('SELECT pg_wal_replay_pause()');
    const seen = started.changes.length;
    const startedAt = performance.now();
    await database.write((sql) => sql.run('INSERT INTO things (id) VALUES (1)'));
    await started.waitUntilPrimaryServes();
    assert.ok(performance.now() - startedAt < (MAX_LAG_MS + 1_000) * slowness());
    assert.equal(database.replica?.state(), 'behind');
    const snapshot = await database.snapshot();
    assert.deepEqual(await snapshot.all('SELECT id FROM things'), [{ id: 1 }]);
    await snapshot.release();
    await started.onReplica('SELECT pg_wal_replay_resume()');
    await started.waitUntilReplicaServes();
    await eventually(() => started.changes.length === seen + 2, `${started.changes}`);
    assert.deepEqual(started.changes.slice(seen), ['behind', 'serving']);
  });

  test('does not serve while it is cut off from the primary, even if it responds', {
    timeout: 240_000,
  }, async () => {
    await started.waitUntilReplicaServes();
    await database.write((sql) => sql.run('ALTER ROLE follower NOLOGIN'));
    await database.read.all('SELECT pg_terminate_backend(pid) FROM pg_stat_replication');
    await database.write((sql) => sql.run('INSERT INTO things (id) VALUES (2)'));
    await started.waitUntilPrimaryServes();
    assert.equal(database.replica?.state(), 'behind');
    await database.write((sql) => sql.run('ALTER ROLE follower LOGIN'));
    await started.waitUntilReplicaServes();
  });

  test('needs no more rights than an ordinary role', { timeout: 240_000 }, async () => {
    await database.write((sql) => sql.run(`CREATE ROLE plain LOGIN PASSWORD 'plain'`));
    const plain = (url: string) => url.replace('rollcall:rollcall@', 'plain:plain@');
    await pause(300);
    const other = await openDatabase(plain(primary.url()), {
      replica: { url: plain(replica.url()), maxLagMs: MAX_LAG_MS },
    });
    try {
      await eventually(() => other.replica?.state() === 'serving', `${other.replica?.state()}`);
    } finally {
      await other.close();
    }
  });

  test('is replaced by the primary as soon as it stops, and serves again when it is back', {
    timeout: 240_000,
  }, async () => {
    await started.waitUntilReplicaServes();
    const seen = started.changes.length;
    await replica.stop('immediate');
    assert.equal(await started.isServedByReplica(), false);
    await eventually(() => started.changes.length === seen + 1, `${started.changes}`);
    assert.equal(database.replica?.state(), 'away');
    await replica.start();
    await started.waitUntilReplicaServes();
    await eventually(() => started.changes.length === seen + 2, `${started.changes}`);
    assert.deepEqual(started.changes.slice(seen), ['away', 'serving']);
  });

  test('is not used if it is unreachable at the start, not a replica, or one of another database', {
    timeout: 240_000,
  }, async () => {
    for (const [url, reason] of [
      [`postgres://me:hidden@127.0.0.1:1/rollcall`, /cannot be reached/],
      [primary.url(), /no replica/],
      [replica.url('template1'), /replica of another database/],
    ] as const) {
      const reasons: unknown[] = [];
      const other = await openDatabase(primary.url(), {
        replica: { url, maxLagMs: MAX_LAG_MS, onChange: (state, reason) => reasons.push(state, reason) },
      });
      try {
        const snapshot = await other.snapshot();
        assert.deepEqual(await snapshot.get(IS_REPLICA), { replica: false });
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
