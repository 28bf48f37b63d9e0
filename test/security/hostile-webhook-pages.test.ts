import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { eventName } from '#core/testing/subscribe.js';
import { formFields } from '../support/page/client.js';
import {
  assertNoMarkup,
  escaped,
  form,
  isUnreadable,
  MAX_HEAD_LENGTH,
  ownOrigin,
  session,
  useHostilePages,
  withEach,
} from '../support/security/hostile-pages.js';
import type { HostileValue } from '../support/security/hostile-values.js';
import type { Site } from '../support/security/site.js';
import { webhookAt } from '../support/webhook-at.js';

const { sites, everywhere, testNoFailure } = useHostilePages();

describe('Hostile values in every field of the webhook’s pages', () => {
  const page = '/organizations/1/webhooks';
  const admins = new Map<Site, { readonly Cookie: string; readonly token: string }>();
  before(async () => {
    const webhook = webhookAt('https://partner.test/');
    for (const site of sites()) {
      await site.core.configureWebhook({ organization: { id: 1 }, how: 'set', webhook });
      const Cookie = await session(site, 'admin@example.test');
      const { text } = await site.send('GET', page, { headers: { Accept: 'text/html', Cookie } });
      admins.set(site, { Cookie, token: formFields(text).form_token ?? '' });
    }
  });

  const log = (value: string) =>
    ['state', 'since', 'until', 'person', 'event', 'older', 'resent']
      .map((field) => `${field}=${value}`)
      .join('&');
  const addresses: Readonly<Record<string, (value: string) => string>> = {
    'the search': (value) => `?${log(value)}`,
    'the time since which to resend': (value) => `/redeliver?since=${value}`,
    'the number of a delivery': (value) => `/deliveries/${value}`,
  };
  for (const [name, address] of Object.entries(addresses)) {
    test(`opening a page with it as ${name} gets a page`, () => {
      const check = async ({ encoded }: HostileValue) => {
        const path = `${page}${address(encoded.replaceAll(/[?#&/]/g, encodeURIComponent))}`;
        if (path.length > MAX_HEAD_LENGTH) return;
        const answers = await everywhere((site) => {
          const { Cookie = '' } = admins.get(site) ?? {};
          return site.send('GET', path, { headers: { Accept: 'text/html', Cookie } });
        });
        for (const answer of answers) {
          const expected = path.includes('/deliveries/') ? [404] : [200, 422];
          // Where nothing is undelivered, to the log, which says so.
          if (path.includes('/redeliver')) expected.push(303);
          assert.ok(expected.includes(answer.status), `${answer.status} ${path.slice(0, 80)}`);
          assertNoMarkup(answer);
        }
      };
      return withEach(name, check);
    });
  }

  const forms: Readonly<Record<string, readonly [path: string, fields: string, ...allowed: number[]]>> = {
    url: [`${page}/settings`, `enabled=1&event.${eventName}=1`, 303, 422],
    unchanged_since: [`${page}/secret`, '', 409],
    ends_at: [`${page}/secret/finish`, '', 303, 400],
    since: [`${page}/redeliver`, '', 303, 400],
    delivery: [`${page}/dismiss`, '', 303, 404],
    count: [`${page}/dismiss`, '', 303],
  };
  for (const [field, [path, fields, ...allowed]] of Object.entries(forms)) {
    test(`sending it as ${field} to ${path} is accepted as text, or refused with a message`, () => {
      const check = async (value: HostileValue) => {
        const answers = await everywhere((site) => {
          const { Cookie, token } = admins.get(site) ?? { Cookie: '', token: '' };
          const headers = { Accept: 'text/html', Cookie, 'Content-Type': form, ...ownOrigin };
          const body = `form_token=${token}&${fields}&${field}=${escaped(value)}`;
          return site.send('POST', path, { headers, body });
        });
        for (const answer of answers) {
          assert.ok(allowed.includes(answer.status) || isUnreadable(answer, value), `${answer.status}`);
          if (answer.status !== 303) assertNoMarkup(answer);
        }
      };
      return withEach(field, check);
    });
  }
});

testNoFailure();
