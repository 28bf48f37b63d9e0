import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { freezeBeforeSending } from '../support/fault/frozen.js';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.js';

let server: PostgresServer;
before(async () => {
  server = await startPostgresServer();
});
after(() => server.remove());

describe('An instance that is frozen between claiming an event and sending it', () => {
  test('does not send it once another one has sent it', { timeout: 150_000 }, async (t) => {
    const { counts, problems } = await freezeBeforeSending({ server });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });
});
