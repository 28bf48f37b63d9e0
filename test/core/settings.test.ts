import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type CoreOptions, createCore } from '@rollcall/core';
import { anOrganization, memoryPorts } from '@rollcall/core/testing';
import { defaultSettings } from '#core/settings.js';
import { answered500, startWithWebhook } from '../support/core/webhook-core.js';
import { webhookAt } from '../support/webhook-at.js';

const links = { invitation: () => '', login: () => '', defaultAvatar: '' };

function coreWith(given: Readonly<Record<string, unknown>>) {
  return createCore(memoryPorts().ports, { links, ...given } as CoreOptions);
}

describe('The settings of the core', () => {
  test('each has a default', () => {
    assert.deepEqual(defaultSettings, {
      serviceName: 'Service',
      reportingTimeZone: 'UTC',
      failedAuthenticateLimit: 100,
      webhookFailureNotice: 20,
    });
  });

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
    const webhook = webhookAt('https://partner.test/');
    await core.configureWebhook({ organization: { id: 1 }, how: 'set', webhook });
    await core.registerUser({ organizationId: 1, email: 'dana@example.test', firstName: 'D', lastName: 'K' });
    await Promise.all(await core.deliverWebhooks({ limit: 1 }));
    assert.equal(webhookSender.sent[0]?.headers['User-Agent'], 'Service Webhook');
  });

  test('the last notice of a failing webhook is sent at its 20th failure, unless set otherwise', async () => {
    const { register, deliver } = await startWithWebhook({ send: async () => answered500 });
    const last = [];
    for (let number = 1; number <= 20; number += 1) {
      await register(number);
      for (const { notice } of await deliver()) if (notice?.isLast) last.push(notice.failuresInRow);
    }
    assert.deepEqual(last, [20]);
  });

  test('createCore names every mistake at once', () => {
    const wrong = {
      serviceName: 'Acme\r\nX-Evil: 1',
      reportingTimeZone: 'Mars/Olympus',
      failedAuthenticateLimit: -1,
      webhookFailureNotice: 1.5,
      links: { invitation: 'https://a.test/', passwordReset: 5, webhook: 5, calendar: null, activity: 5 },
    };
    const ofToken = 'must be a function that makes a URL of a token';
    const ofOrganization = 'must be a function that makes a URL of the id of an organization, or left out';
    const count = 'must be a whole number from 0 to 1000000; 0 is no';
    assert.throws(
      () => coreWith(wrong),
      (error) => {
        assert.ok(error instanceof TypeError);
        const [, mistakes = ''] = /^createCore cannot start\. (.*)\.$/.exec(error.message) ?? [];
        assert.deepEqual(mistakes.split(/; (?=\S+ must)/).sort(), [
          `failedAuthenticateLimit ${count} limit`,
          `links.activity ${ofOrganization}`,
          `links.calendar ${ofToken}, or left out`,
          'links.defaultAvatar must be a string: the URL of a picture',
          `links.invitation ${ofToken}`,
          `links.login ${ofToken}`,
          `links.passwordReset ${ofToken}, or left out`,
          `links.webhook ${ofOrganization}`,
          'reportingTimeZone must be an IANA time zone such as Europe/Berlin or UTC',
          'serviceName must be a name of at most 50 letters (A to Z), digits, spaces and hyphens',
          `webhookFailureNotice ${count} notices`,
        ]);
        return true;
      },
    );
  });

  const refused: Readonly<Record<string, readonly unknown[]>> = {
    serviceName: ['', ' ', 'a ', ' a', '-', 'a\nb', 'a\u0000', 'Ämter', 'a:b', 'x'.repeat(51), 7, {}],
    reportingTimeZone: ['', '+02:00', 'nowhere', 'PST', 1, {}],
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
    for (const serviceName of ['A', '42', 'A - B', 'x'.repeat(50), null]) coreWith({ serviceName });
    coreWith({
      failedAuthenticateLimit: 1_000_000,
      webhookFailureNotice: 1_000_000,
      reportingTimeZone: null,
    });
    coreWith({ links: { ...links, passwordReset: undefined, webhook: () => '', calendar: () => '' } });
  });
});
