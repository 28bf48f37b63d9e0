import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventName } from '#core/testing/subscribe.js';
import { linesOf } from '../support/app-cli.js';
import { startReceiver } from '../support/receiver.js';
import { accessKey, prepareServedApp, type ServedApp } from '../support/served-app.js';

let app: ServedApp;

describe('rollcall serve and its webhooks', () => {
  beforeEach(async () => {
    app = await prepareServedApp();
  });
  afterEach(() => app.stop());

  async function withReceiver(answer: Parameters<typeof startReceiver>[0]) {
    const receiver = await startReceiver(answer);
    writeFileSync(join(app.cwd, 'ca.pem'), receiver.authority);
    const env = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32', WEBHOOK_CA_FILE: 'ca.pem' };
    await app.importPeople();
    const server = await app.serve([], env);
    const { post } = await app.signedIn();
    const { webhook } = await post('/webhook', {
      webhook: { url: `${receiver.url}/hook`, enabled: true, events: [eventName] },
    });
    return { receiver, env, server, secret: webhook.secret };
  }

  /** Waits until this many requests have arrived. */
  async function received(requests: readonly unknown[], count: number): Promise<void> {
    for (let waited = 0; requests.length < count; waited += 20) {
      assert.ok(waited < 60_000, `${requests.length} of ${count} requests arrived`);
      await pause(20);
    }
  }

  test('on SIGTERM, and not on SIGHUP, finishes a delivery in progress and writes its outcome', async (t) => {
    const { receiver, server } = await withReceiver({
      answer: (_request, response) => setTimeout(() => response.end('late'), 1000),
    });
    t.after(() => receiver.stop());
    server.child.kill('SIGHUP');
    await server.see(/"msg":"SIGHUP ignored/);
    await app.register('ada@example.test');
    await received(receiver.requests, 1);
    const { code } = await server.stop();
    assert.equal(code, 0);
    const delivered = linesOf(server.stdout())
      .map((line) => JSON.parse(line))
      .find(({ msg }) => msg === 'Delivered');
    assert.deepEqual([delivered?.organizationId, delivered?.phase, delivered?.status], [1, 'answer', 200]);
  });

  test('logs a failed delivery as a warning with its details, and never a secret', async (t) => {
    const { receiver, server, secret } = await withReceiver({
      answer: (_request, response) => response.writeHead(500).end(),
    });
    t.after(() => receiver.stop());
    await app.register('ada@example.test');
    await server.see(/"msg":"Delivery failed"/);
    const failed = linesOf(server.stdout())
      .map((line) => JSON.parse(line))
      .find(({ msg }) => msg === 'Delivery failed');
    const { event_id } = JSON.parse(receiver.requests[0]?.body.toString('utf8') ?? '{}');
    assert.deepEqual(
      [failed?.level, failed?.eventId, failed?.organizationId, failed?.phase, failed?.status],
      [40, event_id, 1, 'answer', 500],
    );
    assert.ok(
      typeof failed?.duration === 'number' &&
        typeof failed?.reason === 'string' &&
        typeof failed?.deliveryId === 'number',
    );
    await server.stop();
    for (const text of [secret, accessKey]) assert.ok(!server.stdout().includes(text));
  });
});
