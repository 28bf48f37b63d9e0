import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { secretMask } from '@rollcall/core/adapters';
import { apiSuite } from '../support/http/api-suite.js';
import type { Json } from '../support/http/reply.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import type { TestOrganization } from '../support/http/service.js';

const url = 'https://hooks.northwind.test/rollcall';
const events = ['user.registered'];
const enabling = { webhook: { url, enabled: true, events } };

apiSuite((service) => {
  const configured = async (
    body: unknown = enabling,
  ): Promise<TestOrganization & { readonly created: Json }> => {
    const organization = await service().organization();
    const { status, json } = await organization.post('/webhook', body);
    assert.equal(status, 200);
    return { ...organization, created: json.webhook };
  };
  const readWebhook = async ({ get }: TestOrganization): Promise<Json> =>
    (await get('/webhook')).json.webhook;

  describe('GET /organizations/:organization_id/webhook (4.5, decision 2)', () => {
    test('nothing configured: null, with the available events', async () => {
      const { get } = await service().organization();
      const { status, json } = await get('/webhook');
      assert.equal(status, 200);
      assert.deepEqual(json, { success: true, webhook: null, available_events: events });
    });

    test('answers the configuration with the secret masked (decision 2)', async () => {
      const organization = await configured();
      const { json } = await organization.get('/webhook');
      assert.deepEqual(json, {
        success: true,
        webhook: { ...organization.created, secret: secretMask },
        available_events: events,
      });
    });
  });

  for (const method of ['post', 'patch'] as const) {
    describe(`${method.toUpperCase()} /organizations/:organization_id/webhook (4.5)`, () => {
      test('creates the webhook and shows its secret once (2.6)', async () => {
        const organization = await service().organization();
        const { status, json } = await organization[method]('/webhook', enabling);
        assert.equal(status, 200);
        const { id, secret } = json.webhook;
        assert.deepEqual(json, {
          success: true,
          webhook: {
            id,
            url,
            enabled: true,
            events,
            secret,
            created_at: '2026-11-20T12:00:00.000Z',
            updated_at: '2026-11-20T12:00:00.000Z',
          },
          available_events: events,
        });
        assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
        const fields = ['id', 'url', 'enabled', 'events', 'secret', 'created_at', 'updated_at'];
        assert.deepEqual(Object.keys(json.webhook), fields);
        assert.equal((await organization[method]('/webhook', enabling)).json.webhook.secret, secretMask);
      });

      test('changes the one configuration, and keeps its id and creation time', async () => {
        const organization = await configured();
        service().clock.advance(1000);
        const other = { webhook: { ...enabling.webhook, url: 'https://other.test/' } };
        const { json } = await organization[method]('/webhook', other);
        assert.deepEqual(json.webhook, {
          ...organization.created,
          url: 'https://other.test/',
          secret: secretMask,
          updated_at: '2026-11-20T12:00:01.000Z',
        });
      });

      test('a URL to which nothing can be sent is saved, with a warning', async (t) => {
        const organization = await service().organization();
        const refusalOf = (text: string) => (text.startsWith('https://10.') ? 'private address' : null);
        const restore = service().replace('webhookSender', { refusalOf });
        t.after(restore);
        const warningFor = async (body: unknown) => {
          const { status, headers } = await organization[method]('/webhook', body);
          return [status, headers['x-warning']];
        };
        const saved = { webhook: { ...enabling.webhook, url: 'https://10.0.0.1/hooks' } };
        const warning = 'Nothing can be sent to this URL: private address';
        assert.deepEqual(await warningFor(saved), [200, warning]);
        assert.equal((await readWebhook(organization)).url, saved.webhook.url);
        assert.deepEqual(await warningFor({ webhook: { enabled: false } }), [200, warning]);
        assert.equal((await organization.get('/webhook')).headers['x-warning'], undefined);
        assert.deepEqual(await warningFor({ webhook: { ...enabling.webhook, events: [] } }), [
          422,
          undefined,
        ]);
        assert.deepEqual(await warningFor(enabling), [200, undefined]);
        assert.deepEqual(await warningFor({ webhook: { url: '', enabled: false } }), [200, undefined]);
      });

      test('an empty URL clears the URL if disabled, and is refused if enabled (decision 4)', async () => {
        const organization = await configured();
        const webhook = { url: '', enabled: true, events };
        const refused = await organization[method]('/webhook', { webhook });
        assert.deepEqual(
          [refused.status, refused.json.errors],
          [422, ['webhook.url is required when webhook.enabled is true']],
        );
        assert.equal((await readWebhook(organization)).url, url);
        const { status, json } = await organization[method]('/webhook', {
          webhook: { url: '', enabled: false },
        });
        assert.deepEqual([status, json.webhook.url, json.webhook.enabled], [200, '', false]);
        assert.equal((await readWebhook(organization)).url, '');
        const { id, secret, ...read } = await readWebhook(organization);
        assert.equal((await organization[method]('/webhook', { webhook: read })).status, 200);
      });

      test('regenerate_secret rotates at once (decision 5)', async () => {
        const organization = await configured();
        const { json } = await organization[method]('/webhook', { ...enabling, regenerate_secret: '1' });
        assert.match(json.webhook.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
        assert.notEqual(json.webhook.secret, organization.created.secret);
        const kept = await organization[method]('/webhook', { ...enabling, regenerate_secret: false });
        assert.equal(kept.json.webhook.secret, secretMask);
      });

      test('422 with every message at once, whatever the body is', async () => {
        const organization = await service().organization();
        const everything = { enabled: 1, url: 'ftp://a', events: ['x'] };
        for (const [body, count] of [
          [undefined, 1],
          [{}, 1],
          [[enabling], 1],
          ['on', 1],
          [null, 1],
          [{ webhook: { enabled: 'true', url, events } }, 1],
          [{ webhook: { enabled: true, url: 'ftp://a', events: [] } }, 2],
          [{ webhook: everything, regenerate_secret: [] }, 4],
        ] as const) {
          const { status, headers, json } = await organization[method]('/webhook', body);
          assert.deepEqual(
            [status, headers['x-error-code'], json.success, json.errors.length],
            [422, 'invalid-webhook', false, count],
          );
        }
        assert.equal(await readWebhook(organization), null);
      });

      test('without webhook, 422 asks for what is always required, and for nothing else', async () => {
        const organization = await service().organization();
        const { json } = await organization[method]('/webhook', { regenerate_secret: '1' });
        assert.deepEqual(json.errors, [
          'webhook must be an object with at least enabled, such as {"enabled":true}',
        ]);
      });

      test('a refused change changes nothing', async () => {
        const organization = await configured();
        await organization[method]('/webhook', {
          webhook: { enabled: true, url: 'http://a.test' },
          regenerate_secret: '1',
        });
        assert.deepEqual(await readWebhook(organization), { ...organization.created, secret: secretMask });
      });
    });
  }

  describe('The difference between POST and PATCH (decision 4)', () => {
    test('PATCH enables the stored webhook again', async () => {
      const organization = await configured();
      await organization.patch('/webhook', { webhook: { enabled: false } });
      const { status, json } = await organization.patch('/webhook', { webhook: { enabled: true } });
      assert.deepEqual([status, json.webhook.url, json.webhook.events], [200, url, events]);
    });

    test('POST needs URL and events in the body, even if they are stored', async () => {
      const { post } = await configured();
      assert.equal((await post('/webhook', { webhook: { enabled: true } })).json.errors.length, 2);
    });
  });
});

testSeenAnswers('webhook');
