import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import { only } from '#adapters/sql/engine/database.js';
import {
  type Database,
  openDatabase,
  type ReplicaState,
  type Snapshot,
  sqlPorts,
} from '#adapters/sql/index.js';
import { type HttpService, startHttpService, type TestOrganization } from '../../support/http/service.js';
import { type PostgresServer, startPostgresServer } from '../../support/postgres-server.js';

const MAX_LAG = 1_500;
/** Together more than a reader who stops leaves on the way: the server has to wait for him. */
const MEETINGS = 30_000;
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
      await direct.migrate();
      await direct.close();
      replica = await primary.startReplica();
      database = await openDatabase(primary.url(), {
        replica: { url: replica.url(), maxLagMs: MAX_LAG, onChange: (state) => changes.push(state) },
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
      replica: { url: plain(replica.url()), maxLagMs: MAX_LAG },
    });
    try {
      await eventually(() => other.replica?.state() === 'serving', `${other.replica?.state()}`);
    } finally {
      await other.close();
    }
  });

  /** The sessions of exports on a server, and what they wait for. */
  async function copiesOn(server: PostgresServer): Promise<readonly (string | null)[]> {
    const direct = await openDatabase(server.url());
    const rows = await direct.read
      .all<{ readonly waits: string | null }>(
        `SELECT wait_event AS waits FROM pg_stat_activity WHERE query LIKE '%COPY (%' AND pid <> pg_backend_pid()`,
      )
      .finally(() => direct.close());
    return rows.map(({ waits }) => waits);
  }

  interface Exporting extends HttpService {
    /** The database of the exports, which may be as old as the tests like. */
    readonly steady: Database;
    readonly own: TestOrganization;
  }

  /** The interface over memory, whose exports come from the database; it has an organization with many meetings. */
  async function exporting(t: TestContext): Promise<Exporting> {
    const service = await startHttpService();
    t.after(service.stop);
    const steady = await openDatabase(primary.url(), { replica: { url: replica.url(), maxLagMs: 30_000 } });
    t.after(() => steady.close());
    service.replace('meetings', { export: sqlPorts(steady).meetings.export });
    const own = await service.organization();
    await database.write(async (sql) => {
      await sql.run(`INSERT INTO organizations (id, name, eap) VALUES (?, 'Own', false)`, [own.id]);
      await sql.run(
        `INSERT INTO meetings SELECT ? + n, ?, 'Meeting ' || n, 'Group', '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 minute',
          '2027-01-01T00:00:00Z', 60, 'complete', 'Grief', '', 'Dana', 'zoom', NULL, 12, repeat('quiet ', 200),
          NULL, false, false, false, false, false FROM generate_series(1, ${MEETINGS}) AS n`,
        [own.id * 1_000_000, own.id],
      );
    });
    await onReplicaSoon(`SELECT 1 FROM organizations WHERE id = ${own.id}`);
    await eventually(() => steady.replica?.state() === 'serving', 'the replica does not serve');
    return { ...service, steady, own };
  }

  /** Waits until the replica gives a row. */
  async function onReplicaSoon(query: string): Promise<void> {
    const direct = await openDatabase(replica.url());
    try {
      await eventually(async () => (await direct.read.get(query)) !== undefined, query);
    } finally {
      await direct.close();
    }
  }

  function begin({ client, own }: Exporting): Promise<IncomingMessage> {
    const path = `/api/v2/organizations/${own.id}/export_meetings?column=name&column=meeting_description`;
    const headers = { Authorization: `Bearer ${own.token}` };
    return new Promise((resolve, reject) => {
      const options = { port: client.port, path, headers, agent: false, timeout: 30_000 };
      const request = httpRequest({ host: '127.0.0.1', ...options }, resolve);
      request.on('timeout', () => request.destroy(new Error('no answer'))).on('error', reject);
      request.end();
    });
  }

  /** An export that the replica has begun, and waits with until it is read: on a slow machine the primary may. */
  async function beginOnReplica(service: Exporting): Promise<IncomingMessage> {
    for (;;) {
      const response = await begin(service);
      let isThere = false;
      await eventually(async () => {
        isThere = (await copiesOn(replica)).includes('ClientWrite');
        return isThere || (await copiesOn(primary)).includes('ClientWrite');
      }, 'nobody waits');
      if (isThere) return response;
      response.destroy();
      await eventually(async () => (await copiesOn(primary)).length === 0, 'a copy is left');
    }
  }

  async function snapshotOnReplica({ steady }: Exporting): Promise<Snapshot> {
    for (;;) {
      const snapshot = await steady.snapshot();
      if ((await snapshot.get<{ readonly replica: boolean }>(HERE))?.replica === true) return snapshot;
      await snapshot.release();
    }
  }

  /** What comes until the answer or the connection ends. */
  function readUntilEnd(response: IncomingMessage) {
    return new Promise<{ readonly text: string; readonly isComplete: boolean }>((resolve) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
      response.on('error', () => undefined);
      response.on('close', () => resolve({ text, isComplete: response.complete }));
    });
  }

  function namesIn(text: string): readonly string[] {
    const { meetings } = JSON.parse(text) as { readonly meetings: readonly { readonly name: string }[] };
    return meetings.map(({ name }) => name);
  }

  test('serves exports: all rows as they were when the export began', { timeout: 60_000 }, async (t) => {
    const service = await exporting(t);
    const response = await beginOnReplica(service);
    assert.deepEqual(await copiesOn(primary), []);
    const later = service.own.id * 1_000_000;
    await database.write((sql) =>
      sql.run(
        `INSERT INTO meetings SELECT ?, organization_id, 'Later', meeting_type, '2030-01-01T00:00:00Z', '2030-01-02T00:00:00Z',
          duration, status, topic, special_focus, host, location, price, max_attendees, meeting_description, group_leader_id,
          privacy, eap, allow_meeting_donation, invitation_only, wait_list FROM meetings WHERE id = ?`,
        [later, later + 1],
      ),
    );
    await onReplicaSoon(`SELECT 1 FROM meetings WHERE id = ${later}`);
    const { text, isComplete } = await readUntilEnd(response);
    assert.equal(isComplete, true);
    assert.equal(namesIn(text).length, MEETINGS);
    assert.equal(namesIn(text).at(-1), `Meeting ${MEETINGS}`);
    assert.equal(namesIn((await readUntilEnd(await begin(service))).text).at(-1), 'Later');
    await eventually(async () => (await copiesOn(replica)).length === 0, 'a copy is left');
  });

  test('cuts off an export that has to give way to what it replays, with its connection, and never ends it well', {
    timeout: 60_000,
  }, async (t) => {
    const service = await exporting(t);
    await onReplica(`ALTER SYSTEM SET max_standby_streaming_delay = '200ms'`);
    await onReplica('SELECT pg_reload_conf()');
    const response = await beginOnReplica(service);
    await database.write((sql) =>
      sql.run('DELETE FROM meetings WHERE organization_id = ? AND id % 10 = 0', [service.own.id]),
    );
    await database.read.run('VACUUM meetings');
    const { at } = only(
      await database.read.all<{ readonly at: string }>('SELECT pg_current_wal_lsn()::text AS at'),
    );
    // Nothing is read: the server has ended the snapshot, or waits until it can report that.
    await onReplicaSoon(`SELECT 1 WHERE pg_last_wal_replay_lsn() >= '${at}' OR EXISTS (
      SELECT 1 FROM pg_stat_activity WHERE wait_event = 'RecoveryConflictSnapshot')`);
    await pause(400);
    const { text, isComplete } = await readUntilEnd(response);
    assert.equal(isComplete, false);
    assert.match(text, /^\{"success":true,"meetings":\[\{"name":"Meeting 1"/);
    assert.throws(() => namesIn(text), SyntaxError);
    await eventually(() => service.lines.at(-1)?.cutOff === true, JSON.stringify(service.lines.at(-1)));
    assert.equal(service.reports.length, 1);
    await eventually(async () => (await copiesOn(replica)).length === 0, 'a copy is left');
    const whole = await readUntilEnd(await begin(service));
    assert.equal(namesIn(whole.text).length, (MEETINGS * 9) / 10);
    await onReplica('ALTER SYSTEM RESET max_standby_streaming_delay');
    await onReplica('SELECT pg_reload_conf()');
  });

  test('that stops cuts off exports under way; those that have sent nothing are refused, and the primary serves the next try', {
    timeout: 60_000,
  }, async (t) => {
    const service = await exporting(t);
    const response = await beginOnReplica(service);
    const snapshot = await snapshotOnReplica(service);
    await replica.stop('immediate');
    const cutOff = await readUntilEnd(response);
    assert.equal(cutOff.isComplete, false);
    assert.throws(() => namesIn(cutOff.text), SyntaxError);
    await assert.rejects(async () => {
      for await (const rows of snapshot.copy?.('SELECT 1', [], (row) => row) ?? []) assert.fail(`${rows}`);
    }, Unavailable);
    const whole = await readUntilEnd(await begin(service));
    assert.equal(namesIn(whole.text).length, MEETINGS);
    await replica.start();
    await serves();
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
      [`postgres://me:hidden@127.0.0.1:1/rollcall`, /cannot be reached/],
      [primary.url(), /no replica/],
      [replica.url('template1'), /replica of another database/],
    ] as const) {
      const reasons: unknown[] = [];
      const other = await openDatabase(primary.url(), {
        replica: { url, maxLagMs: MAX_LAG, onChange: (state, why) => reasons.push(state, why) },
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
