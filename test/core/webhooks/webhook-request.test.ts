import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { webhookRequest } from '#core/webhooks/webhook-request.js';

describe('webhookRequest', () => {
  test('has the documented headers, with the name of the service', () => {
    const delivery = { eventId: 'id', eventName: 'user.registered', body: '{}' } as const;
    const request = (serviceName: string) =>
      webhookRequest({ delivery, url: 'https://partner.test/', signature: 'abc', serviceName });
    assert.deepEqual(request('Service'), {
      url: 'https://partner.test/',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Service Webhook',
        'X-Service-Signature': 'sha256=abc',
        'X-Service-Event': 'user.registered',
        'X-Service-Event-Id': 'id',
      },
      body: '{}',
    });
    const branded = Object.keys(request('Grief Circle').headers);
    assert.deepEqual(branded.slice(2), [
      'X-Grief-Circle-Signature',
      'X-Grief-Circle-Event',
      'X-Grief-Circle-Event-Id',
    ]);
    assert.equal(request('Grief Circle').headers['User-Agent'], 'Grief Circle Webhook');
  });
});
