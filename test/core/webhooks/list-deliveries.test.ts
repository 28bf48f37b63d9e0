import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCore, type ListDeliveries } from '@rollcall/core';
import { maxListedDeliveries } from '@rollcall/core/rules';
import { organization } from '../../support/core/organization.js';
import { startWithRestingDeliveries } from '../../support/core/resting-deliveries.js';
import { links, startWithWebhook } from '../../support/core/webhook-core.js';

describe('listDeliveries', () => {
  test('lists 50 deliveries without a limit, and otherwise at least one and at most 1000', async () => {
    const { core, register } = await startWithWebhook();
    for (let number = 1; number <= 55; number += 1) await register(number);
    const count = async (limit?: number) =>
      (await core.listDeliveries({ organization: null, limit })).deliveries.length;
    assert.deepEqual([await count(), await count(0), await count(54), await count(9999)], [50, 1, 54, 55]);
    assert.equal(maxListedDeliveries, 1000);
  });

  test('returns page after page to the end, and the first page for an invalid cursor', async () => {
    const { core, register } = await startWithWebhook();
    for (let number = 1; number <= 6; number += 1) await register(number);
    const page = async (olderThan: string | null) =>
      core.listDeliveries({ organization, olderThan, limit: 2 });
    const first = await page(null);
    const second = await page(first.older);
    const third = await page(second.older);
    assert.deepEqual(
      [first, second, third].map(({ deliveries }) => deliveries.length),
      [2, 2, 2],
    );
    assert.equal(third.older, null);
    const all = [first, second, third].flatMap(({ deliveries }) => deliveries.map(({ id }) => id));
    assert.equal(new Set(all).size, 6);
    const others = ['x1-1', '1-0', `1-${'1'.padStart(17, '0')}`];
    for (const nonsense of [
      '',
      'x',
      '1',
      '-',
      '1-',
      "1-1'",
      '1-99999999999999999',
      `${'9'.repeat(16)}-1`,
      ...others,
    ]) {
      assert.deepEqual(await page(nonsense), first);
    }
    assert.equal((await page('999999999999999-9007199254740991')).deliveries.length, 2);
  });

  test('finds an event by its ID in any case; an invalid ID finds nothing', async () => {
    const { ports } = await startWithWebhook();
    const ids = { uuid: () => ports.ids.uuid().replace(/^0+/, 'abcdef01') };
    const core = createCore({ ...ports, ids }, { links });
    await core.testWebhook({ organization });
    const { eventId } = await core.testWebhook({ organization });
    const found = async (id: string) =>
      (await core.listDeliveries({ organization, eventId: id })).deliveries.map((one) => one.eventId);
    assert.deepEqual(await found(eventId.toUpperCase()), [eventId]);
    for (const none of ['', 'x', `${eventId} `, "'"]) assert.deepEqual(await found(none), []);
  });

  test('lists deliveries in each state, and those of a period', async () => {
    const { core, clock, second, register } = await startWithRestingDeliveries();
    clock.advance(1000);
    await register(5);
    const idsOf = async (request: Partial<ListDeliveries>) =>
      (await core.listDeliveries({ organization, ...request })).deliveries.map(({ id }) => id);
    const all = await idsOf({});
    const states = ['pending', 'held', 'skipped', 'failed', 'delivered'] as const;
    for (const [index, state] of states.entries()) assert.deepEqual(await idsOf({ state }), [all[index]]);
    assert.deepEqual(await idsOf({ state: 'sending' }), []);
    assert.deepEqual(await idsOf({ since: second(1), until: second(3) }), all.slice(2, 4));
    await assert.rejects(idsOf({ state: 'lost' as 'held' }), /^TypeError: state must be one of pending, /);
  });

  test('lists only tests or leaves them out, and accepts times beyond the range of the database', async () => {
    const { core, register } = await startWithWebhook();
    await register(1);
    await core.testWebhook({ organization });
    const tests = async (isTest: boolean | undefined) =>
      (await core.listDeliveries({ organization, isTest })).deliveries.map((one) => one.isTest);
    assert.deepEqual([await tests(true), await tests(false)], [[true], [false]]);
    assert.equal((await tests(undefined)).length, 2);
    const { deliveries } = await core.listDeliveries({
      organization,
      since: new Date(-8.64e15),
      until: new Date(8.64e15),
    });
    assert.equal(deliveries.length, 2);
    assert.equal(await core.redeliverFailed({ organization, since: new Date(8.64e15) }), 0);
  });
});
