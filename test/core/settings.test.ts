import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type CoreOptions, createCore } from '@rollcall/core';
import { anOrganization, memoryPorts } from '@rollcall/core/testing';

const links = { invitation: () => '', login: () => '', defaultAvatar: '' };

function coreWith(given: Readonly<Record<string, unknown>>) {
  return createCore(memoryPorts().ports, { links, ...given } as CoreOptions);
}

describe('The settings of the core', () => {
  test('an undefined setting counts as left out: wrong access keys stay limited', async () => {
    const core = coreWith({ failedAuthenticateLimit: undefined });
    const codes: unknown[] = [];
    for (let count = 0; count < 101; count += 1) {
      const attempt = core.authenticate({ accessKey: '1', address: '192.0.2.1' });
      codes.push(await attempt.catch((error) => error.code));
    }
    assert.deepEqual(codes.slice(99), ['invalid-access-key', 'too-many-requests']);
  });

  test('an undefined setting counts as left out: webhooks are sent under the default service name', async () => {
    const { ports, load, webhookSender } = memoryPorts();
    await load({ organizations: [anOrganization(1)] });
    const core = createCore(ports, {
      links,
      serviceName: undefined,
      reportingTimeZone: undefined,
      webhookFailureNotice: undefined,
    });
    const webhook = { url: 'https://partner.test/', enabled: true, events: ['user.registered'] };
    await core.configureWebhook({ organization: { id: 1 }, how: 'set', webhook });
    await core.registerUser({ organizationId: 1, email: 'dana@example.test', firstName: 'D', lastName: 'K' });
    await Promise.all(await core.deliverWebhooks({ limit: 1 }));
    assert.equal(webhookSender.sent[0]?.headers['User-Agent'], 'Service Webhook');
  });

  test('createCore names every mistake at once', () => {
    const wrong = {
      serviceName: 'Acme\r\nX-Evil: 1',
      reportingTimeZone: 'Mars/Olympus',
      failedAuthenticateLimit: -1,
      webhookFailureNotice: 1.5,
      links: { invitation: 'https://a.test/', calendar: null },
    };
    assert.throws(
      () => coreWith(wrong),
      (error) => {
        assert.ok(error instanceof TypeError);
        const named = [...error.message.matchAll(/([\w.]+) must be/g)].map(([, name]) => name);
        assert.deepEqual(named.sort(), [
          'failedAuthenticateLimit',
          'links.calendar',
          'links.defaultAvatar',
          'links.invitation',
          'links.login',
          'reportingTimeZone',
          'serviceName',
          'webhookFailureNotice',
        ]);
        return true;
      },
    );
  });

  const refused: Readonly<Record<string, readonly unknown[]>> = {
    serviceName: ['', ' ', 'a\nb', 'a\u0000', 'Ämter', 'a:b', 'x'.repeat(51), 7, {}],
    reportingTimeZone: ['', '+02:00', 'nowhere', 1, {}],
    failedAuthenticateLimit: [Number.NaN, Number.POSITIVE_INFINITY, '100', 1_000_001, {}],
    webhookFailureNotice: [Number.NaN, '20', -1, {}],
    links: [undefined, {}, 'https://a.test/'],
  };
  for (const [name, values] of Object.entries(refused)) {
    test(`${name}: an invalid value is refused`, () => {
      for (const value of values) {
        assert.throws(() => coreWith({ [name]: value }), TypeError, JSON.stringify(value));
      }
    });
  }

  test('valid values are accepted', () => {
    coreWith({
      serviceName: 'Acme Circles-2',
      reportingTimeZone: 'Europe/Berlin',
      failedAuthenticateLimit: 0,
      webhookFailureNotice: 0,
    });
  });
});
