import assert from 'node:assert/strict';
import type { WebhookRequest } from '@rollcall/core';
import { Webhook } from 'standardwebhooks';
import { deliver, deliveriesTest, register } from '../../support/core/deliveries-service.js';
import { organization } from '../../support/core/organization.js';
import { enabled } from '../../support/core/webhook-core.js';

const verifies = (secret: string, { body, headers }: WebhookRequest): boolean => {
  try {
    new Webhook(secret).verify(body, { ...headers });
    return true;
  } catch {
    return false;
  }
};

deliveriesTest(
  'the library of Standard Webhooks verifies deliveries, also during a rotation',
  async (service) => {
    // The library compares the time of the attempt with the computer's.
    service.clock.set(new Date());
    const rotate = async (overlapHours?: number): Promise<string> => {
      const { secret } = await service.core.configureWebhook({
        organization,
        how: 'change',
        webhook: enabled,
        regenerateSecret: '1',
        overlapHours,
      });
      return secret?.reveal() ?? assert.fail();
    };
    const send = async (name: string): Promise<WebhookRequest> => {
      await register(service, `${name}@example.test`);
      await deliver(service);
      return service.webhookSender.sent.at(-1) ?? assert.fail();
    };

    const first = await rotate();
    const request = await send('zoë');
    assert.ok(verifies(first, request));
    assert.ok(!verifies(first, { ...request, body: `${request.body} ` }));
    assert.ok(!verifies(first, { ...request, headers: { ...request.headers, 'webhook-id': 'another' } }));

    const second = await rotate(1);
    const during = await send('during');
    assert.deepEqual([verifies(first, during), verifies(second, during)], [true, true]);
    await service.core.finishRotation({ organization });
    const after = await send('after');
    assert.deepEqual([verifies(first, after), verifies(second, after)], [false, true]);
  },
);
