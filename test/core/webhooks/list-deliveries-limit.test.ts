import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { maxListedDeliveries } from '@rollcall/core/rules';
import { startWithFailedDeliveries } from '../../support/core/failed-deliveries.js';

describe('The limit of listDeliveries', () => {
  test('lists 50 deliveries without a limit, and otherwise at least one and at most 1000', async () => {
    const { core } = await startWithFailedDeliveries(55);
    const count = async (limit?: number) =>
      (await core.listDeliveries({ organization: null, limit })).deliveries.length;
    assert.deepEqual([await count(), await count(0), await count(54), await count(9999)], [50, 1, 54, 55]);
    assert.equal(maxListedDeliveries, 1000);
  });
});
