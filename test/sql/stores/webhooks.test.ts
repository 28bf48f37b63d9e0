import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { anOrganization } from '@rollcall/core/testing';
import { sqlPorts } from '#adapters/sql/index.js';
import { aWebhook } from '#core/testing/subscribe.js';
import { startStorage } from '../../support/storage.js';

test('A webhook that is configured while its secret is moved to another key keeps the moved secret', async (t) => {
  const { database, load, stop } = await startStorage('postgres');
  assert.ok(database !== null);
  t.after(stop);
  await load({ organizations: [anOrganization(1)] });
  const { webhooks } = sqlPorts(database);
  const at = new Date('2026-11-20T12:00:00.000Z');
  const configure = (url: string) =>
    webhooks.configure(1, (webhook) => ({
      ...{ ...aWebhook(at), url },
      encryptedSecret: webhook?.encryptedSecret ?? 'sealed with the old key',
    }));
  await configure('https://hooks.test/first');
  let configuring: Promise<unknown> = Promise.resolve();
  await database.write(async (sql) => {
    await sql.run(`UPDATE webhooks SET sealed_secret = 'sealed with the new key'`);
    configuring = configure('https://hooks.test/second');
    const waiting = () =>
      database.read.all(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
    while ((await waiting()).length === 0) await pause(5);
  });
  await configuring;
  const webhook = await webhooks.of(1);
  assert.deepEqual(
    [webhook?.url, webhook?.encryptedSecret],
    ['https://hooks.test/second', 'sealed with the new key'],
  );
});
