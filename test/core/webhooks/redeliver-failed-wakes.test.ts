import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startWithFailedDeliveries } from '../../support/core/failed-deliveries.js';

describe('redeliverFailed', () => {
  test('wakes the dispatcher only if there is something to resend', async () => {
    const { core, wakes } = await startWithFailedDeliveries(2);
    const since = new Date(0);
    assert.equal(await core.redeliverFailed({ organization: { id: 1 }, since }), 2);
    assert.equal(wakes(), 1);
    assert.equal(await core.redeliverFailed({ organization: { id: 1 }, since }), 0);
    assert.equal(await core.redeliverFailed({ organization: null, since: new Date('9999-01-01') }), 0);
    assert.equal(wakes(), 1);
  });
});
