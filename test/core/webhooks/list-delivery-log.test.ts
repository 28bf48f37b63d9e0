import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCore, type Delivery, type ListDeliveryLog } from '@rollcall/core';
import { organization } from '../../support/core/organization.js';
import { startWithRestingDeliveries } from '../../support/core/resting-deliveries.js';
import { links, refusedAs, startWithWebhook } from '../../support/core/webhook-core.js';

/** Deliveries of the organization: held, then delivered, then pending, oldest first. */
async function started() {
  const { core, ports, register, deliver } = await startWithWebhook();
  await register(1);
  await ports.outbox.hold();
  await register(2);
  await deliver();
  await register(3);
  const statesOf = ({ items }: { readonly items: readonly Delivery[] }) => items.map(({ state }) => state);
  const list = (request: Omit<ListDeliveryLog, 'organization'> = {}) =>
    core.listDeliveryLog({ organization, ...request });
  return { core, list, states: async (request = {}) => statesOf(await list(request)) };
}

describe('listDeliveryLog', () => {
  test('lists deliveries in any of the states, in one order', async () => {
    const { states } = await started();
    assert.deepEqual(await states(), ['pending', 'delivered', 'held']);
    assert.deepEqual(await states({ states: ['held', 'pending'] }), ['pending', 'held']);
    assert.deepEqual(await states({ states: ['failed', 'delivered'] }), ['delivered']);
    assert.deepEqual(await states({ states: [] }), []);
  });

  test('continues after the last item, over several states too', async () => {
    const { list } = await started();
    const states = ['held', 'delivered', 'pending'] as const;
    const seen: string[][] = [];
    let after: string | undefined;
    do {
      const { items, next } = await list({ states, limit: 1, after });
      seen.push(items.map(({ state }) => state));
      after = next ?? undefined;
    } while (after !== undefined && seen.length < 5);
    assert.deepEqual(seen, [['pending'], ['delivered'], ['held']]);
  });

  test('finds what happened in a period, and an event by its ID in any case', async () => {
    const { ports, second } = await startWithRestingDeliveries();
    const ids = { uuid: () => ports.ids.uuid().replace(/^0+/, 'abcdef01') };
    const core = createCore({ ...ports, ids }, { links });
    const { eventId } = await core.testWebhook({ organization });
    const states = async (request: Omit<ListDeliveryLog, 'organization'>) =>
      (await core.listDeliveryLog({ organization, ...request })).items.map(({ state }) => state);
    assert.deepEqual(await states({ since: second(1), until: second(3) }), ['skipped', 'failed']);
    assert.equal((await states({ since: new Date(-8.64e15), until: new Date(8.64e15) })).length, 5);
    assert.deepEqual(await states({ eventId: eventId.toUpperCase() }), ['failed']);
    assert.deepEqual(await states({ eventId: 'x' }), []);
  });

  test('lists by the time of the event, also if the clocks of the instances differ', async () => {
    const { core, clock, register, deliver } = await startWithWebhook();
    await register(1);
    await deliver();
    clock.advance(-1);
    await register(2);
    const { items } = await core.listDeliveryLog({ organization, states: ['pending', 'delivered'] });
    assert.deepEqual(
      items.map(({ state }) => state),
      ['delivered', 'pending'],
    );
  });

  test('refuses a cursor that it did not make', async () => {
    const { list } = await started();
    const cursorOf = (...values: readonly unknown[]) =>
      Buffer.from(JSON.stringify(values)).toString('base64url');
    const refused = refusedAs('invalid-request', /^after must be the `next` of an earlier answer$/);
    for (const after of [
      'x',
      '',
      cursorOf('users', 1, 1),
      cursorOf('deliveries', 1),
      cursorOf('deliveries', 1, 0),
      cursorOf('deliveries', 1.5, 1),
      cursorOf('deliveries', 1e15, 1),
      cursorOf('deliveries', 1, 1, 1),
    ])
      await assert.rejects(list({ after }), refused, after);
    assert.deepEqual((await list({ after: cursorOf('deliveries', 1, 1) })).items, []);
  });

  test('an unknown state is a mistake in the program', async () => {
    const { list } = await started();
    await assert.rejects(list({ states: ['lost' as 'held'] }), /^TypeError: states must be one of pending, /);
  });
});
