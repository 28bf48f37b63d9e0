import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { configure, deliveriesTest, deliveryLog, register } from '../../support/core/deliveries-service.js';
import { organization } from '../../support/core/organization.js';

describe('recoverDeliveries', () => {
  deliveriesTest(
    'a delivery that a crash interrupted is sent again with the same event, three times at most',
    async (service) => {
      await configure(service);
      await register(service);
      for (const [again, failed] of [
        [1, 0],
        [1, 0],
        [0, 1],
      ]) {
        await service.ports.outbox.claim({
          limit: 1,
          perOrganization: 4,
          claim: 'crashed',
          at: service.clock.now(),
        });
        service.clock.advance(1000);
        assert.deepEqual(await service.core.recoverDeliveries({ olderThanMs: null }), {
          again,
          failed,
        });
      }
      const [delivery] = await deliveryLog(service);
      assert.equal(delivery?.state, 'failed');
      const interrupted = {
        duration: null,
        outcome: 'interrupted',
        phase: null,
        status: null,
        reason: 'cut off before an outcome was known',
        request: null,
        response: null,
      };
      const { attempts } = await service.core.readDelivery({ organization, deliveryId: delivery?.id ?? 0 });
      assert.deepEqual(
        attempts.map(({ startedAt, ...attempt }) => attempt),
        [1, 2, 3].map((number) => ({ number, ...interrupted })),
      );
    },
  );
});
