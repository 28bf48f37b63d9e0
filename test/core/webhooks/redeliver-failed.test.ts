import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { anOrganization, recordingSender } from '@rollcall/core/testing';
import { configure, deliver, deliveriesTest, register } from '../../support/core/deliveries-service.js';
import { organization } from '../../support/core/organization.js';
import { answered500 } from '../../support/core/webhook-core.js';
import { startTestService } from '../../support/test-service.js';

describe('redeliverFailed', () => {
  deliveriesTest(
    'sends failed deliveries since a given time again, of one organization or of all',
    async () => {
      const failing = await startTestService({
        ports: { webhookSender: recordingSender(() => answered500) },
      });
      try {
        await failing.load({ organizations: [anOrganization(1), anOrganization(2)] });
        await configure(failing);
        for (const name of ['early', 'late']) {
          await register(failing, `${name}@example.test`);
          await deliver(failing);
          failing.clock.advance(60_000);
        }
        const since = new Date(failing.clock.now().getTime() - 60_000);
        const { core } = failing;
        assert.equal(await core.redeliverFailed({ organization: { id: 2 }, since: new Date(0) }), 0);
        assert.equal(await core.redeliverFailed({ organization, since }), 1);
        const states = async () =>
          (await core.listDeliveries({ organization: null })).deliveries.map(({ state }) => state);
        assert.deepEqual(await states(), ['pending', 'failed']);
        assert.equal(await core.redeliverFailed({ organization: null, since: new Date(0) }), 1);
        assert.deepEqual(await states(), ['pending', 'pending']);
        const none = { deliveries: [], older: null };
        assert.deepEqual(await core.listDeliveries({ organization, state: 'failed' }), none);
        assert.equal((await core.listDeliveries({ organization, limit: 0 })).deliveries.length, 1);
        assert.deepEqual(await core.listDeliveries({ organization: { id: 2 } }), none);
      } finally {
        await failing.stop();
      }
    },
  );
});
