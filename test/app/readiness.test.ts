import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReplicaState } from '#adapters/sql/index.js';
import { readinessOf } from '#app/readiness.js';

const writable = { writeProblem: async () => null };

describe('What /readyz answers', () => {
  test('a replica that does not serve is listed, and the service stays ready', async () => {
    let state: ReplicaState = 'serving';
    const ready = readinessOf({
      ...writable,
      pendingMigrations: async () => [],
      replica: { state: () => state },
    });
    const lastCheck = async () => (await ready()).at(-1);
    assert.deepEqual(await lastCheck(), { name: 'replica', state: 'ok', isInformational: true });
    for (const trouble of ['behind', 'away'] as const) {
      state = trouble;
      assert.deepEqual(await lastCheck(), { name: 'replica', state: 'failed', isInformational: true });
    }
  });

  test('a database that does not answer by the deadline has failed', async () => {
    const ready = readinessOf({ ...writable, pendingMigrations: () => new Promise(() => undefined) }, 50);
    assert.deepEqual(await ready(), [
      { name: 'database', state: 'failed' },
      { name: 'migrations', state: 'unknown' },
    ]);
  });
});
