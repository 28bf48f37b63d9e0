import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { organization } from '../../support/core/organization.js';
import { startWithRestingDeliveries } from '../../support/core/resting-deliveries.js';

const by = { who: { kind: 'user', userId: 7 }, from: '192.0.2.7' } as const;

describe('dismissFailed', () => {
  test('ends one failed delivery or all of them as skipped, and lists their number', async () => {
    const { core, clock, states, activity } = await startWithRestingDeliveries();
    const before = await activity();
    clock.advance(60_000);
    const at = clock.now();
    const [held, skipped, failed] = (await core.listDeliveries({ organization })).deliveries;
    assert.deepEqual([held?.state, skipped?.state, failed?.state], ['held', 'skipped', 'failed']);
    for (const other of [held, skipped])
      assert.equal(await core.dismissFailed({ organization, deliveryId: other?.id ?? 0, by }), 0);
    assert.equal(
      await core.dismissFailed({ organization: { id: 2 }, deliveryId: failed?.id ?? 0, by }),
      0,
      'it belongs to another organization',
    );
    assert.equal(await core.dismissFailed({ organization, deliveryId: failed?.id ?? 0, by }), 1);
    assert.deepEqual(await states(), ['held', 'skipped', 'skipped', 'delivered']);
    assert.equal(await core.countDeliveries({ organization, states: ['failed'] }), 0);
    const entry = { action: 'deliveries-dismissed', subject: '1', actor: by, at };
    assert.deepEqual(await activity(), [entry, ...before]);
    assert.equal(await core.dismissFailed({ organization, deliveryId: 'all', by }), 0);
  });
});
