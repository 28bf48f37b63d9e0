import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import { only } from '#adapters/sql/engine/database.js';
import { type Database, openDatabase, type Snapshot, sqlPorts } from '#adapters/sql/index.js';
import { copiedWith } from '../../support/copied-rows.js';
import { type HttpService, startHttpService, type TestOrganization } from '../../support/http/service.js';
import type { PostgresServer } from '../../support/postgres-server.js';
import {
  IS_REPLICA,
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from '../../support/replicated-postgres.js';
import { insertMeetings } from '../../support/stored-meetings.js';
import { eventually } from '../../support/wait.js';

/** Together they exceed the network buffers, so the server must wait for a reader who stops. */
const MEETINGS = 15_000;

describe('Exports from a replica', () => {
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

  /** The wait events of the sessions that export on a server. */
  async function copiesOn(server: PostgresServer): Promise<readonly (string | null)[]> {
    const direct = await openDatabase(server.url());
    const rows = await direct.read
      .all<{ readonly waits: string | null }>(
        `SELECT wait_event AS waits FROM pg_stat_activity WHERE query LIKE '%COPY (%' AND pid <> pg_backend_pid()`,
      )
      .finally(() => direct.close());
    return rows.map(({ waits }) => waits);
  }

  interface ExportService extends HttpService {
    /** Exports from the replica even if that lags behind by up to 30 seconds. */
    readonly exportDatabase: Database;
    readonly own: TestOrganization;
  }

  /** Starts an API over memory whose exports come from the database, with an organization that has many meetings. */
  async function startExportService(t: TestContext): Promise<ExportService> {
    const service = await startHttpService();
    t.after(service.stop);
    const exportDatabase = await openDatabase(primary.url(), {
      replica: { url: replica.url(), maxLagMs: 30_000 },
    });
    t.after(() => exportDatabase.close());
    service.replace('meetings', { export: sqlPorts(exportDatabase).meetings.export });
    const own = await service.organization();
    await database.write(async (sql) => {
      await sql.run(`INSERT INTO organizations (id, name, eap) VALUES (?, 'Own', false)`, [own.id]);
      await sql.run(
        `${insertMeetings({
          ...{ id: '? + n', organization_id: '?', name: `'Meeting ' || n` },
          start_time: `'2026-01-01T00:00:00Z'::timestamptz + n * interval '1 minute'`,
          ...{ end_time: `'2027-01-01T00:00:00Z'`, meeting_description: `repeat('quiet ', 200)` },
        })} FROM generate_series(1, ${MEETINGS}) AS n`,
        [own.id * 1_000_000, own.id],
      );
    });
    await started.waitForRow(`SELECT 1 FROM organizations WHERE id = ${own.id}`);
    await eventually(() => exportDatabase.replica?.state() === 'serving', 'the replica does not serve');
    return { ...service, exportDatabase, own };
  }

  function requestExport({ client, own }: ExportService): Promise<IncomingMessage> {
    const path = `/api/v2/organizations/${own.id}/export_meetings?column=name&column=meeting_description`;
    const headers = { Authorization: `Bearer ${own.token}` };
    return new Promise((resolve, reject) => {
      const options = { port: client.port, path, headers, agent: false, timeout: 30_000 };
      const request = httpRequest({ host: '127.0.0.1', ...options }, resolve);
      request.on('timeout', () => request.destroy(new Error('no response'))).on('error', reject);
      request.end();
    });
  }

  /**
   * Requests an export that waits on the replica until it is read. On a slow machine the primary may serve it, and the
   * request is repeated.
   */
  async function requestExportFromReplica(service: ExportService): Promise<IncomingMessage> {
    for (;;) {
      const response = await requestExport(service);
      let isOnReplica = false;
      await eventually(async () => {
        isOnReplica = (await copiesOn(replica)).includes('ClientWrite');
        return isOnReplica || (await copiesOn(primary)).includes('ClientWrite');
      }, 'no export waits');
      if (isOnReplica) return response;
      response.destroy();
      await eventually(async () => (await copiesOn(primary)).length === 0, 'an export is still running');
    }
  }

  async function snapshotOnReplica({ exportDatabase }: ExportService): Promise<Snapshot> {
    for (;;) {
      const snapshot = await exportDatabase.snapshot();
      if ((await snapshot.get<{ readonly replica: boolean }>(IS_REPLICA))?.replica === true) return snapshot;
      await snapshot.release();
    }
  }

  /** Reads until the response or the connection ends. */
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

  test('contain all rows as they were when the export started', { timeout: 240_000 }, async (t) => {
    const service = await startExportService(t);
    const response = await requestExportFromReplica(service);
    assert.deepEqual(await copiesOn(primary), []);
    const later = service.own.id * 1_000_000;
    await database.write((sql) =>
      sql.run(
        insertMeetings({
          ...{ id: '?', organization_id: '?', name: `'Later'` },
          ...{ start_time: `'2030-01-01T00:00:00Z'`, end_time: `'2030-01-02T00:00:00Z'` },
        }),
        [later, service.own.id],
      ),
    );
    await started.waitForRow(`SELECT 1 FROM meetings WHERE id = ${later}`);
    const { text, isComplete } = await readUntilEnd(response);
    assert.equal(isComplete, true);
    assert.equal(namesIn(text).length, MEETINGS);
    assert.equal(namesIn(text).at(-1), `Meeting ${MEETINGS}`);
    assert.equal(namesIn((await readUntilEnd(await requestExport(service))).text).at(-1), 'Later');
    await eventually(async () => (await copiesOn(replica)).length === 0, 'an export is still running');
  });

  test('are cut off with their connection if the replica must cancel them for the replay', {
    timeout: 240_000,
  }, async (t) => {
    const service = await startExportService(t);
    await started.onReplica(`ALTER SYSTEM SET max_standby_streaming_delay = '200ms'`);
    await started.onReplica('SELECT pg_reload_conf()');
    const response = await requestExportFromReplica(service);
    await database.write((sql) =>
      sql.run('DELETE FROM meetings WHERE organization_id = ? AND id % 10 = 0', [service.own.id]),
    );
    await database.read.run('VACUUM meetings');
    const { at } = only(
      await database.read.all<{ readonly at: string }>('SELECT pg_current_wal_lsn()::text AS at'),
    );
    // The response is not read meanwhile: the server has canceled the export, or waits to report that.
    await started.waitForRow(`SELECT 1 WHERE pg_last_wal_replay_lsn() >= '${at}' OR EXISTS (
      SELECT 1 FROM pg_stat_activity WHERE wait_event = 'RecoveryConflictSnapshot')`);
    await pause(400);
    const { text, isComplete } = await readUntilEnd(response);
    assert.equal(isComplete, false);
    assert.match(text, /^\{"success":true,"meetings":\[\{"name":"Meeting 1"/);
    assert.throws(() => namesIn(text), SyntaxError);
    await eventually(() => service.lines.at(-1)?.cutOff === true, JSON.stringify(service.lines.at(-1)));
    assert.equal(service.reports.length, 1);
    await eventually(async () => (await copiesOn(replica)).length === 0, 'an export is still running');
    const whole = await readUntilEnd(await requestExport(service));
    assert.equal(namesIn(whole.text).length, (MEETINGS * 9) / 10);
    await started.onReplica('ALTER SYSTEM RESET max_standby_streaming_delay');
    await started.onReplica('SELECT pg_reload_conf()');
  });

  test('are cut off if the replica stops, or refused if they have sent nothing; the primary serves the next one', {
    timeout: 240_000,
  }, async (t) => {
    const service = await startExportService(t);
    const response = await requestExportFromReplica(service);
    const snapshot = await snapshotOnReplica(service);
    await replica.stop('immediate');
    const cutOff = await readUntilEnd(response);
    assert.equal(cutOff.isComplete, false);
    assert.throws(() => namesIn(cutOff.text), SyntaxError);
    await assert.rejects(async () => {
      for await (const rows of snapshot.copy?.('SELECT 1', [], copiedWith('')) ?? []) assert.fail(`${rows}`);
    }, Unavailable);
    const whole = await readUntilEnd(await requestExport(service));
    assert.equal(namesIn(whole.text).length, MEETINGS);
    await replica.start();
    await started.waitUntilReplicaServes();
  });
});
