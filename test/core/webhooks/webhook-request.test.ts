import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventName } from '#core/testing/subscribe.js';
import { webhookRequest } from '#core/webhooks/webhook-request.js';

describe('webhookRequest', () => {
  test('has the documented headers, with the name of the service', () => {
    const delivery = { eventId: 'id', eventName: eventName, body: '{}' } as const;
    const request = (serviceName: string) =>
      webhookRequest({
        delivery,
        url: 'https://partner.test/',
        signature: 'abc',
        timestamp: '1796040000',
        standardSignatures: ['new', 'old'],
        serviceName,
      });
    assert.deepEqual(request('Service'), {
      url: 'https://partner.test/',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Service Webhook',
        'X-Service-Signature': 'sha256=abc',
        'X-Service-Event': eventName,
        'X-Service-Event-Id': 'id',
        'webhook-id': 'id',
        'webhook-timestamp': '1796040000',
        'webhook-signature': 'v1,new v1,old',
      },
      body: '{}',
    });
    const branded = Object.keys(request('Grief Circle').headers);
    assert.deepEqual(branded.slice(2, 5), [
      'X-Grief-Circle-Signature',
      'X-Grief-Circle-Event',
      'X-Grief-Circle-Event-Id',
    ]);
    assert.equal(request('Grief Circle').headers['User-Agent'], 'Grief Circle Webhook');
  });
});
