import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { Refusal } from '@rollcall/core';
import { anOrganization, recordingSender } from '@rollcall/core/testing';
import {
  configure,
  deliver,
  deliveriesTest,
  deliveryLog,
  register,
} from '../../support/core/deliveries-service.js';
import { organization } from '../../support/core/organization.js';
import { answered500 } from '../../support/core/webhook-core.js';
import { databaseKinds } from '../../support/storage.js';
import { startTestService } from '../../support/test-service.js';

for (const database of databaseKinds) {
  const serviceTest = deliveriesTest(database);

  describe(`redeliver over ${database}`, () => {
    serviceTest(
      'a failure is recorded and not retried automatically; a redelivery sends the same bytes',
      async (service) => {
        const failing = await startTestService({
          database,
          ports: { webhookSender: recordingSender(() => answered500) },
        });
        try {
          await failing.load({ organizations: [anOrganization(1)] });
          await configure(failing);
          await register(failing);
          const [report] = await deliver(failing);
          assert.deepEqual([report?.state, report?.attempt?.status], ['failed', 500]);
          assert.deepEqual(await deliver(failing), []);

          const [delivery] = await deliveryLog(failing);
          await failing.core.redeliver({ organization, deliveryId: delivery?.id ?? 0 });
          await deliver(failing);
          assert.deepEqual(await deliver(failing), []);
          const [after] = await deliveryLog(failing);
          assert.deepEqual(
            [after?.state, after?.attempts.length, after?.body],
            ['failed', 2, delivery?.body],
          );
        } finally {
          await failing.stop();
        }
        await assert.rejects(service.core.redeliver({ organization, deliveryId: 9 }), Refusal);
      },
    );
  });
}
