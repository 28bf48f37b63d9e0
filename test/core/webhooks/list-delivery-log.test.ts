import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Delivery, ListDeliveryLog } from '@rollcall/core';
import { organization } from '../../support/core/organization.js';
import { refusedAs, startWithWebhook } from '../../support/core/webhook-core.js';

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
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const { items, next } = await list({ states, limit: 1, after });
      seen.push(...items.map(({ state }) => state));
      after = next ?? undefined;
    } while (after !== undefined && seen.length < 5);
    assert.deepEqual(seen, ['pending', 'delivered', 'held']);
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
    await assert.rejects(list({ states: ['lost' as 'held'] }), TypeError);
  });
});
