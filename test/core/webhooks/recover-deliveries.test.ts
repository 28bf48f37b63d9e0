import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { configure, deliveriesTest, deliveryLog, register } from '../../support/core/deliveries-service.js';
import { databaseKinds } from '../../support/storage.js';

for (const database of databaseKinds) {
  const serviceTest = deliveriesTest(database);

  describe(`recoverDeliveries over ${database}`, () => {
    serviceTest(
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
        assert.deepEqual(
          delivery?.attempts.map(({ outcome }) => outcome),
          ['interrupted', 'interrupted', 'interrupted'],
        );
      },
    );
  });
}
