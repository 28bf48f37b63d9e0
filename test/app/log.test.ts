import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { revision } from '#app/version.js';
import { eventName } from '#core/testing/subscribe.js';
import { tokenOf } from '../support/api.js';
import { freePort, linesOf, type Running, run, start, temporaryDirectory } from '../support/app-cli.js';
import { withDatabase } from '../support/opened-database.js';

const accessKey = '1'.repeat(24);
const env = { SECRET_KEY: 'a secret key of more than 32 characters', LOG_LEVEL: 'debug' };

let directory: ReturnType<typeof temporaryDirectory>;
let cwd: string;
let server: Running | null;

type Line = Readonly<Record<string, unknown>>;

describe('The log of a server', () => {
  beforeEach(() => {
    directory = temporaryDirectory();
    cwd = directory.path;
    server = null;
  });
  afterEach(async () => {
    await server?.discard();
    directory.remove();
  });

  test('has one JSON object per line with time, level and message, and the id of the request or event that it is about', async () => {
    const input = JSON.stringify({ kind: 'organization', id: 1, name: 'Northwind', access_key: accessKey });
    assert.equal((await run(['import', '-'], { cwd, env, input })).code, 0);
    const port = await freePort();
    const running = start(['serve'], { cwd, env: { ...env, PORT: String(port) } });
    server = running;
    await running.see(/"msg":"Listening"/);
    const at = `http://127.0.0.1:${port}`;
    const token = await tokenOf(at, accessKey);
    await withDatabase(`${cwd}/data/rollcall.db`, async (database) => {
      // Two bugs: a webhook whose secret can't be decrypted, and a table that does not exist.
      await database.write(async (sql) => {
        await sql.run(
          `INSERT INTO webhooks (organization_id, url, enabled, events, sealed_secret, created_at, updated_at)
          VALUES (1, 'https://127.0.0.1:1/', true, '["${eventName}"]', 'nonsense', ?, ?)`,
          [new Date(), new Date()],
        );
        await sql.run(
          `INSERT INTO deliveries (organization_id, event_id, event_name, body, created_at)
          VALUES (1, 'the-event', '${eventName}', '{}', ?)`,
          [new Date()],
        );
      });
      await running.see(/"level":50,.*"eventId":"the-event"/);
      await database.write((sql) => sql.run('ALTER TABLE webhooks RENAME TO hidden'));
    });
    const headers = { Authorization: `Bearer ${token}`, 'X-Request-Id': 'trace-1' };
    assert.equal((await fetch(`${at}/api/v2/organizations/1/webhook`, { headers })).status, 500);
    const { stdout, stderr, code } = await running.stop();
    assert.deepEqual([code, stderr], [0, '']);

    const lines = linesOf(stdout).map((line) => JSON.parse(line) as Line);
    const instance = String(lines[0]?.instance);
    assert.match(instance, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    for (const { time, level, msg, ...line } of lines) {
      assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.deepEqual([msg, line.instance, line.revision], [msg, instance, revision()]);
      assert.ok([20, 30, 40, 50, 60].includes(level as number), String(level));
      assert.ok(typeof msg === 'string' && msg !== '');
    }
    const messages = lines.map(({ msg }) => String(msg));
    const expected = [
      'Listening',
      'request',
      'Delivery failed',
      'Stopping: finishing what is under way',
      'Stopped',
    ];
    assert.deepEqual(
      expected.filter((one) => !messages.includes(one)),
      [],
    );
    const about = (field: string, id: string) =>
      lines
        .filter((line) => line[field] === id)
        .map(({ level, operation, msg }) => [level, operation ?? msg])
        .sort();
    assert.deepEqual(about('requestId', 'trace-1'), [
      [50, 'readWebhook'],
      [50, 'request'],
    ]);
    assert.deepEqual(about('eventId', 'the-event'), [
      [40, 'Delivery failed'],
      [50, 'deliver'],
    ]);
  });
});
