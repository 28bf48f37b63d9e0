import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { secretMask } from '@rollcall/core/adapters';
import { apiSuite } from '../support/http/api-suite.js';
import type { Reply } from '../support/http/reply.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import type { TestOrganization } from '../support/http/service.js';
import { webhookAt } from '../support/webhook-at.js';

const webhook = webhookAt('https://hooks.northwind.test/rollcall');
const rotating = { webhook: { enabled: true }, regenerate_secret: '1' };

apiSuite((service) => {
  const configured = async (): Promise<TestOrganization & { readonly secret: string }> => {
    const organization = await service().organization();
    const { json } = await organization.post('/webhook', { webhook });
    return { ...organization, secret: json.webhook.secret };
  };
  /** The `X-Service-Signature` of a test with this secret. */
  const isSignedWith = async (organization: TestOrganization, secret: string): Promise<boolean> => {
    const { deliveryId } = await service().core.testWebhook({ organization: { ...organization, name: 'A' } });
    const { request } = await service().core.readDelivery({ organization, deliveryId });
    const digest = createHmac('sha256', secret)
      .update(request?.body ?? '')
      .digest('hex');
    return request?.headers['X-Service-Signature'] === `sha256=${digest}`;
  };

  describe('overlap_hours (rotation without a dropped event)', () => {
    for (const method of ['post', 'patch'] as const) {
      test(`${method.toUpperCase()}: the answer shows the new secret and when the old one ends`, async () => {
        const organization = await configured();
        const body = { webhook, regenerate_secret: '1', overlap_hours: 24 };
        const { status, json } = await organization[method]('/webhook', body);
        assert.equal(status, 200);
        assert.match(json.webhook.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
        assert.deepEqual(Object.keys(json), ['success', 'webhook', 'available_events', 'rotation']);
        const endsAt = new Date(service().clock.now().getTime() + 24 * 3_600_000);
        assert.deepEqual(json.rotation, { ends_at: endsAt.toISOString() });
      });
    }

    test('without overlap_hours, the answer has no more fields than before', async () => {
      const organization = await configured();
      await organization.patch('/webhook', { ...rotating, overlap_hours: '1' });
      for (const body of [{ webhook: { enabled: true } }, rotating]) {
        const { json } = await organization.patch('/webhook', body);
        assert.deepEqual(Object.keys(json), ['success', 'webhook', 'available_events']);
      }
      const { json } = await organization.get('/webhook');
      assert.deepEqual(Object.keys(json), ['success', 'webhook', 'available_events']);
    });

    test('a webhook that had no secret gets its first one, and rotation is null', async () => {
      const { post } = await service().organization();
      const { json } = await post('/webhook', { webhook, regenerate_secret: '1', overlap_hours: 1 });
      assert.equal(json.rotation, null);
    });

    const invalid: readonly (readonly [string, unknown, readonly string[]])[] = [
      ...[0, '169', null, [24]].map(
        (hours) =>
          [
            JSON.stringify(hours),
            { ...rotating, overlap_hours: hours },
            ['overlap_hours must be a whole number from 1 to 168'],
          ] as const,
      ),
      [
        'no rotation',
        { webhook: { enabled: true }, overlap_hours: 24 },
        ['overlap_hours is only allowed in a request that rotates the secret'],
      ],
      [
        'other mistakes too',
        { webhook: { enabled: true, url: 'http://a.test' }, regenerate_secret: 'yes', overlap_hours: 0 },
        [
          'webhook.url must be a valid HTTPS URL such as https://example.com/hooks',
          'regenerate_secret must be "1", 1 or true to rotate the secret, or "0", 0 or false',
          'overlap_hours must be a whole number from 1 to 168',
        ],
      ],
    ];
    for (const [name, body, errors] of invalid) {
      test(`422, and nothing changes: ${name}`, async () => {
        const organization = await configured();
        const reply = await organization.patch('/webhook', body);
        assert.deepEqual(refusal(reply), [422, 'invalid-webhook', errors]);
        assert.ok(await isSignedWith(organization, organization.secret));
      });
    }

    test('422 while another rotation is under way; one without overlap_hours is not refused', async () => {
      const organization = await configured();
      const overlapping = { ...rotating, overlap_hours: 24 };
      const first = await organization.patch('/webhook', overlapping);
      assert.equal(first.status, 200);
      const again = await organization.patch('/webhook', overlapping);
      assert.deepEqual(refusal(again), [
        422,
        'invalid-webhook',
        [
          'overlap_hours is not allowed while the secret of an earlier rotation is still in use: finish that rotation first',
        ],
      ]);
      assert.ok(await isSignedWith(organization, organization.secret));
      const { json } = await organization.patch('/webhook', rotating);
      assert.ok(await isSignedWith(organization, json.webhook.secret));
    });
  });

  describe('POST /organizations/:organization_id/webhook/finish_rotation', () => {
    test('from now on only the new secret signs', async () => {
      const organization = await configured();
      const { json } = await organization.patch('/webhook', { ...rotating, overlap_hours: 168 });
      assert.ok(await isSignedWith(organization, organization.secret));
      service().clock.advance(1000);
      const finished = await organization.post('/webhook/finish_rotation');
      assert.equal(finished.status, 200);
      assert.deepEqual(finished.json, {
        success: true,
        finished: true,
        webhook: {
          ...json.webhook,
          secret: secretMask,
          updated_at: service().clock.now().toISOString(),
        },
      });
      assert.ok(await isSignedWith(organization, json.webhook.secret));
    });

    test('GET webhook says when a rotation ends, as long as it is under way', async () => {
      const organization = await configured();
      const shown = async () => (await organization.get('/webhook')).json;
      assert.deepEqual(Object.keys(await shown()), ['success', 'webhook', 'available_events']);
      const { json } = await organization.patch('/webhook', { ...rotating, overlap_hours: 2 });
      assert.deepEqual((await shown()).rotation, json.rotation);
      service().clock.advance(2 * 3_600_000 - 1);
      assert.deepEqual((await shown()).rotation, json.rotation);
      service().clock.advance(1);
      assert.ok(!('rotation' in (await shown())));
      await organization.patch('/webhook', { ...rotating, overlap_hours: 1 });
      await organization.post('/webhook/finish_rotation');
      assert.ok(!('rotation' in (await shown())));
    });

    test('without a rotation under way, nothing changes', async () => {
      const organization = await configured();
      const before = await organization.get('/webhook');
      service().clock.advance(1000);
      const { status, json } = await organization.post('/webhook/finish_rotation');
      assert.deepEqual(
        [status, json],
        [200, { success: true, finished: false, webhook: before.json.webhook }],
      );
      assert.deepEqual((await organization.get('/webhook')).json, before.json);
    });

    test('without a webhook, it is null', async () => {
      const { post } = await service().organization();
      const { status, json } = await post('/webhook/finish_rotation');
      assert.deepEqual([status, json], [200, { success: true, finished: false, webhook: null }]);
    });

    test('an unknown query parameter is refused', async () => {
      const { post } = await service().organization();
      const { status, json } = await post('/webhook/finish_rotation?fields=1');
      assert.deepEqual(
        [status, json],
        [400, { error: 'fields is not a parameter of this operation, which has none' }],
      );
    });
  });
});

function refusal({ status, headers, json }: Reply): readonly unknown[] {
  return [status, headers['x-error-code'], json.errors];
}

testSeenAnswers('webhook-rotation');
