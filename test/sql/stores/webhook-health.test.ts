import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { StoragePorts } from '@rollcall/core';
import { anOrganization } from '@rollcall/core/testing';
import { type Database, sqlPorts } from '#adapters/sql/index.js';
import { finish, finished, plenty, registered } from '#core/testing/queued-deliveries.js';
import { aWebhook } from '#core/testing/subscribe.js';
import { startStorage } from '../../support/storage.js';

const at = new Date('2026-11-20T12:00:00.000Z');
/** A success this much later is recorded again. */
const muchLater = new Date('2026-11-20T12:01:00.000Z');
const organizationId = 1;
const notices = { organizationId, steps: [1, 2, 5, 10, 20] };
/** Every statement ends sooner, unless it waits for a transaction that does not end. */
const MAX_WAIT_MS = 5_000;

interface Started {
  readonly database: Database;
  readonly storage: StoragePorts;
}

async function withWebhook(work: (started: Started) => Promise<void>): Promise<void> {
  const { database, storage, load, stop } = await startStorage('postgres');
  assert.ok(database);
  try {
    await load({ organizations: [anOrganization(organizationId)] });
    await storage.webhooks.configure(organizationId, () => aWebhook(at));
    await work({ database, storage });
  } finally {
    await stop();
  }
}

/** The version of the webhook's row. Every update creates a new one. */
async function versionOf({ read }: Database): Promise<string> {
  const row = await read.get<{ version: string }>('SELECT xmin::text AS version FROM webhooks');
  return row?.version ?? '';
}

/** The ports of another instance whose transactions are not committed before `end`. */
function openTransactions({ database }: Started) {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let begun = (): void => {};
  const isOpen = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const storage = sqlPorts({
    ...database,
    write: (work) =>
      database.write(async (sql) => {
        const result = await work(sql);
        begun();
        await ended;
        return result;
      }),
  });
  return { storage, isOpen, end };
}

describe('Finished deliveries of one organization on PostgreSQL', () => {
  for (const state of ['delivered', 'failed'] as const)
    test(`100 that have ${state} after some failures seldom change the row of the webhook`, () =>
      withWebhook(async ({ database, storage }) => {
        for (let number = 1; number <= 30; number += 1) {
          await finished(storage, { number, state: 'failed', finishedAt: at });
          await storage.webhooks.takeFailureNotice(notices);
        }
        const versions = new Set<string>();
        for (let number = 101; number <= 200; number += 1) {
          await finished(storage, { number, state, finishedAt: at });
          if (state === 'failed') assert.equal(await storage.webhooks.takeFailureNotice(notices), null);
          versions.add(await versionOf(database));
        }
        assert.ok(versions.size <= 3, `${versions.size} versions`);
        const { failuresInRow } = await storage.webhooks.health(organizationId);
        assert.equal(failuresInRow, state === 'failed' ? 130 : 0);
      }));

  const changes = [
    ['failed', 'failed'],
    ['failed', 'delivered'],
    ['delivered', 'failed'],
    ['delivered', 'delivered'],
  ] as const;
  for (const [first, second] of changes)
    test(`one that has ${second} does not wait for the open transaction of one that has ${first}`, () =>
      withWebhook(async (started) => {
        const { storage } = started;
        await finished(storage, { number: 1, state: 'failed', finishedAt: at });
        for (const number of [2, 3]) await registered(storage, { number });
        const [one, other] = await storage.outbox.claim({ ...plenty, claim: 'a', at });
        const open = openTransactions(started);
        const slow = finish(open.storage, {
          deliveryId: one?.deliveryId ?? 0,
          claim: 'a',
          state: first,
          at: muchLater,
        });
        await open.isOpen;
        const quick = finish(storage, {
          deliveryId: other?.deliveryId ?? 0,
          claim: 'a',
          state: second,
          at: muchLater,
        });
        const waited = await Promise.race([quick, pause(MAX_WAIT_MS, 'waits', { ref: false })]);
        open.end();
        assert.deepEqual([waited, await slow, await quick], [true, true, true]);

        const expected = { 'failed failed': 3, 'failed delivered': 0, 'delivered failed': 1 };
        const { failuresInRow } = await storage.webhooks.health(organizationId);
        if (first !== second && first === 'failed') assert.ok(failuresInRow <= 1, String(failuresInRow));
        else assert.equal(failuresInRow, { ...expected, 'delivered delivered': 0 }[`${first} ${second}`]);
        await finished(storage, { number: 4, state: 'delivered', finishedAt: muchLater });
        assert.equal((await storage.webhooks.health(organizationId)).failuresInRow, 0);
      }));

  test('outcomes that are counted are deleted, and one that was committed late is counted', () =>
    withWebhook(async (started) => {
      const { database, storage } = started;
      await registered(storage, { number: 1 });
      const [late] = await storage.outbox.claim({ ...plenty, claim: 'a', at });
      const open = openTransactions(started);
      const slow = finish(open.storage, {
        deliveryId: late?.deliveryId ?? 0,
        claim: 'a',
        state: 'failed',
        at,
      });
      await open.isOpen;
      for (let number = 2; number <= 6; number += 1)
        await finished(storage, { number, state: 'failed', finishedAt: at });
      assert.equal((await storage.webhooks.takeFailureNotice(notices))?.failuresInRow, 5);
      assert.deepEqual(await database.read.all('SELECT id FROM webhook_outcomes'), []);
      open.end();
      await slow;
      assert.equal((await storage.webhooks.health(organizationId)).failuresInRow, 6);
      await finished(storage, { number: 7, state: 'delivered', finishedAt: at });
      assert.equal((await storage.webhooks.health(organizationId)).failuresInRow, 0);
      assert.deepEqual(await database.read.all('SELECT id FROM webhook_outcomes'), []);
    }));
});
