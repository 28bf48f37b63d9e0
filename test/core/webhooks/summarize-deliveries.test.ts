import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { organization } from '../../support/core/organization.js';
import { startWithRestingDeliveries } from '../../support/core/resting-deliveries.js';

describe('summarizeDeliveries', () => {
  test('counts the latest hours of the clock, by default 48 with the current one', async () => {
    const { core, clock } = await startWithRestingDeliveries();
    const hour = new Date('2026-11-20T12:00:00Z');
    const counted = async (count?: number) => {
      const { hours } = await core.summarizeDeliveries({ organization, hours: count });
      const last = new Date(Math.floor(clock.now().getTime() / 3_600_000) * 3_600_000);
      assert.deepEqual([hours.length, hours.at(-1)?.from], [count ?? 48, last]);
      return hours.flatMap((one, index) => (one.delivered + one.failed > 0 ? [{ index, ...one }] : []));
    };
    const ended = { from: hour, delivered: 1, failed: 1 };
    assert.deepEqual(
      [await counted(), await counted(1)],
      [[{ index: 47, ...ended }], [{ index: 0, ...ended }]],
    );
    clock.advance(47.9 * 3_600_000);
    assert.deepEqual([await counted(), await counted(47)], [[{ index: 0, ...ended }], []]);
    clock.advance(0.1 * 3_600_000);
    assert.deepEqual([await counted(), await counted(49)], [[], [{ index: 0, ...ended }]]);
  });

  test('refuses a number of hours that it does not count', async () => {
    const { core } = await startWithRestingDeliveries();
    for (const hours of [0, 169, 1.5, Number.NaN])
      await assert.rejects(core.summarizeDeliveries({ organization, hours }), RangeError);
  });
});

describe('neighboringDeliveries', () => {
  test('are those of the same organization', async () => {
    const { core } = await startWithRestingDeliveries();
    const ids = (await core.listDeliveries({ organization })).deliveries.map(({ id }) => id);
    const of = (deliveryId = 0, id = 1) => core.neighboringDeliveries({ organization: { id }, deliveryId });
    assert.deepEqual(await of(ids[0]), { newer: null, older: ids[1] });
    assert.deepEqual(await of(ids[3]), { newer: ids[2], older: null });
    assert.deepEqual(await of(ids[0], 2), { newer: null, older: null });
  });
});
