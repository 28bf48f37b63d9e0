import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '#adapters/sql/index.js';
import { readinessOf } from '#app/readiness.js';
import { freePort } from '../../support/free-port.js';
import { startReplicatedPostgres } from '../../support/replicated-postgres.js';
import { slowness } from '../../support/slowness.js';
import { startTcpProxy } from '../../support/tcp-proxy.js';
import { eventually } from '../../support/wait.js';

const MAX_HEALING_MS = 2_000;
/** Statements are given up after 5 s. Then the server is asked for their processes after 1 s, 2 s and more. */
const WITHOUT_PRIMARY_MS = 13_000;

test('writes go on after a promotion, though the proxy keeps the connections to a machine that is frozen', {
  timeout: 240_000,
}, async (t) => {
  const replicated = await startReplicatedPostgres();
  t.after(() => replicated.stop());
  const { primary, replica } = replicated;
  const proxy = await startTcpProxy(primary.port);
  t.after(() => proxy.stop());
  const url = new URL(primary.url());
  url.port = String(proxy.port);
  const database = await openDatabase(url.href);
  t.after(() => database.close());
  const ready = readinessOf(database);
  const states = async () => (await ready()).map(({ name, state }) => `${name} ${state}`);
  let id = 0;
  const write = async (): Promise<boolean> => {
    id += 1;
    const own = id;
    return database
      .write((sql) => sql.run('INSERT INTO things (id) VALUES (?)', [own]))
      .then(() => true)
      .catch(() => false);
  };
  const writes = async () => Promise.all(Array.from({ length: 12 }, write));
  assert.ok((await writes()).every(Boolean));
  await replicated.waitForRow('SELECT 1 FROM things WHERE id = 12');
  assert.deepEqual(await states(), ['database ok', 'migrations ok']);

  proxy.freeze();
  proxy.leadTo(await freePort());
  const startedAt = performance.now();
  while (performance.now() - startedAt < WITHOUT_PRIMARY_MS) {
    assert.ok(!(await writes()).some(Boolean));
    await pause(50);
  }
  assert.deepEqual(await states(), ['database failed', 'migrations unknown']);
  await replicated.onReplica('SELECT pg_promote()');
  proxy.leadTo(replica.port);
  const ledAt = performance.now();
  await eventually(async () => (await writes()).every(Boolean), 'writes do not go on');
  const healedAfterMs = performance.now() - ledAt;
  t.diagnostic(`healed after ${Math.round(healedAfterMs)} ms`);
  assert.ok(healedAfterMs < MAX_HEALING_MS * slowness());
  assert.deepEqual(await states(), ['database ok', 'migrations ok']);
  const promoted = await openDatabase(replica.url());
  t.after(() => promoted.close());
  const row = await promoted.read.get<{ readonly count: number }>(
    'SELECT count(*)::int AS count FROM things WHERE id <= 12',
  );
  assert.equal(row?.count, 12);
  const last = await promoted.read.get('SELECT 1 FROM things WHERE id = ?', [id]);
  assert.notEqual(last, undefined, 'a write that was acknowledged is not on the new primary');
});
