import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { failTheDatabase, fillThePool } from '../support/fault/outage.js';
import { restartInTurn } from '../support/fault/rolling.js';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.js';
import { slowness } from '../support/slowness.js';

/** The counts are small; `npm run test:soak` has the full ones. `histories` kills instances under load. */
const timeout = 300_000;
let server: PostgresServer;
before(async () => {
  server = await startPostgresServer({ durable: true });
});
after(() => server.remove());

describe('A PostgreSQL server', () => {
  test('that crashes or hangs under load leads to 503 in time, and requests succeed once it is back', {
    timeout,
  }, async (t) => {
    const { counts, problems } = await failTheDatabase({
      server,
      outages: [
        { kind: 'crash', ms: 1500 },
        { kind: 'hang', ms: 7000 },
      ],
      waits: false,
    });
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

describe('Two instances that are restarted in turn', () => {
  test('fail no request, behind a proxy that polls /readyz and one that tries the next instance', {
    timeout,
  }, async (t) => {
    // As many as the machine can answer now: more would wait for longer than the service lets them.
    const perSecond = Math.max(1, Math.round(10 / slowness()));
    const { counts, problems } = await restartInTurn({ server, instances: 2, rounds: 1, perSecond });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });
});
