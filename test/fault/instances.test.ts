import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { killInstances } from '../support/fault/instances.js';
import { crashTheDatabase, fillThePool, freezeTheDatabase } from '../support/fault/outage.js';
import { restartInTurn } from '../support/fault/rolling.js';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.js';

/** The counts are small; `npm run test:soak` has the full ones. */
const timeout = 300_000;
let server: PostgresServer;
before(async () => {
  server = await startPostgresServer({ durable: true });
});
after(() => server.remove());

describe('Three instances on one PostgreSQL', () => {
  test('lose no registration and no event while one of them is killed repeatedly, and record every repeated request', {
    timeout,
  }, async (t) => {
    const { counts, problems } = await killInstances({ server, people: 90, kills: 2, waits: false });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });
});

describe('A PostgreSQL server', () => {
  test('that crashes under load leads to 503 in time, and requests succeed once it is back', {
    timeout,
  }, async (t) => {
    const { counts, problems } = await crashTheDatabase({ server, outagesMs: [3000], waits: false });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });

  test('that hangs under load leads to 503 in time, and requests succeed once it answers', {
    timeout,
  }, async (t) => {
    const { counts, problems } = await freezeTheDatabase({ server, outagesMs: [7000], waits: false });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });

  test('whose connections all wait leads to 503 in time, and requests succeed afterwards', {
    timeout,
  }, async (t) => {
    const { counts, problems } = await fillThePool({ server, heldMs: 7000 });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });
});

describe('Three instances that are restarted in turn', () => {
  for (const pollsReadiness of [true, false]) {
    const proxy = pollsReadiness
      ? 'polls /readyz and repeats nothing'
      : 'tries the next instance when one refuses';
    test(`fail no request, behind a proxy that ${proxy}`, { timeout }, async (t) => {
      const { counts, problems } = await restartInTurn({ server, rounds: 1, perSecond: 30, pollsReadiness });
      t.diagnostic(JSON.stringify(counts));
      assert.deepEqual(problems, []);
    });
  }
});
