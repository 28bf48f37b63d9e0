import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { killInstances } from '../support/fault/instances.js';
import { crashTheDatabase, fillThePool, freezeTheDatabase } from '../support/fault/outage.js';
import { restartInTurn } from '../support/fault/rolling.js';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.js';

/** Small; `npm run test:soak` has the full counts. */
const timeout = 90_000;
let server: PostgresServer;
before(async () => {
  server = await startPostgresServer({ durable: true });
});
after(() => server.remove());

describe('Three instances on one PostgreSQL', () => {
  test('lose no registration and no event while one of them is killed again and again, and record every repeated request', {
    timeout,
  }, async (t) => {
    const { counts, problems } = await killInstances({ server, people: 200, kills: 3, waits: false });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });
});

describe('A PostgreSQL', () => {
  test('that crashes under load is a 503 in time, and all goes on when it is back', {
    timeout,
  }, async (t) => {
    const { counts, problems } = await crashTheDatabase({ server, outagesMs: [3000, 3000], waits: false });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });

  test('that hangs under load is a 503 in time, and all goes on when it answers', { timeout }, async (t) => {
    const { counts, problems } = await freezeTheDatabase({ server, outagesMs: [8000], waits: false });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });

  test('whose connections all wait is a 503 in time, and all goes on afterwards', { timeout }, async (t) => {
    const { counts, problems } = await fillThePool({ server, heldMs: 8000 });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });
});

describe('Three instances that are restarted in turn', () => {
  for (const pollsReadiness of [true, false]) {
    const proxy = pollsReadiness ? 'polls /readyz and repeats nothing' : 'goes on to the next when refused';
    test(`fail no request, behind a proxy that ${proxy}`, { timeout }, async (t) => {
      const { counts, problems } = await restartInTurn({ server, rounds: 1, perSecond: 60, pollsReadiness });
      t.diagnostic(JSON.stringify(counts));
      assert.deepEqual(problems, []);
    });
  }
});
