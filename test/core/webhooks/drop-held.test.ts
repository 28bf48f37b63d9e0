import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { organization } from '../../support/core/organization.js';
import { startWithRestingDeliveries } from '../../support/core/resting-deliveries.js';

const by = { who: { kind: 'command-line' }, from: '192.0.2.7' } as const;

describe('dropHeld', () => {
  test('ends the held deliveries of a period as skipped, and lists their number', async () => {
    const { core, clock, second, states, activity } = await startWithRestingDeliveries();
    const before = await activity();
    clock.advance(60_000);
    const at = clock.now();
    assert.equal(await core.dropHeld({ organization, since: second(3.001), by }), 0);
    assert.equal(await core.dropHeld({ organization, until: second(3), by }), 0);
    const period = { since: second(3), until: new Date(8.64e15) };
    assert.equal(await core.dropHeld({ organization, ...period, by }), 1);
    assert.deepEqual(await states(), ['skipped', 'skipped', 'failed', 'delivered']);
    const [{ isDropped, finishedAt } = {}] = (await core.listDeliveries({ organization })).deliveries;
    assert.deepEqual({ isDropped, finishedAt }, { isDropped: true, finishedAt: at });
    const entry = { action: 'deliveries-dropped', subject: '1', actor: by, at };
    assert.deepEqual(await activity(), [entry, ...before]);
    assert.equal(await core.dropHeld({ organization: null, by }), 1);
    assert.deepEqual((await activity(2)).map(({ action }) => action)[0], 'deliveries-dropped');
  });
});
