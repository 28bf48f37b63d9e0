import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { before, describe } from 'node:test';
import { eventName } from '#core/testing/subscribe.js';
import type { Bytes } from '../support/http/client.js';
import { formFields } from '../support/page/client.js';
import { assertNoMarkup, isUnreadable, useHostilePages } from '../support/security/hostile-pages.js';
import { headerBytes, MAX_HEAD_LENGTH } from '../support/security/hostile-values.js';
import type { Site } from '../support/security/site.js';
import { webhookAt } from '../support/webhook-at.js';

const { sites, headersOf, testEach, testNoFailure } = useHostilePages();

const member = 'dana@example.test';
const admin = 'admin@example.test';
const owner = 'owner@example.test';
const webhooks = '/organizations/1/webhooks';

function assertPage(answer: Bytes, allowed: readonly number[]): void {
  assert.ok(allowed.includes(answer.status), `${answer.status}`);
  if (!String(answer.headers['content-type']).startsWith('image/svg')) assertNoMarkup(answer);
}

describe('Hostile values in every URL of the pages', () => {
  /** The form tokens of the admin. */
  const tokens = new Map<Site, string>();
  before(async () => {
    const webhook = webhookAt('https://partner.test/');
    for (const site of sites()) {
      await site.core.configureWebhook({ organization: { id: 1 }, how: 'set', webhook });
      const { text } = await site.send('GET', webhooks, { headers: await headersOf(site, admin) });
      tokens.set(site, formFields(text).form_token ?? '');
    }
  });

  /** Adds a test that requests the address. */
  const testAddress = (
    [method, who]: readonly [method: string, who: string],
    address: (encoded: string) => string,
    allowed: readonly number[],
    check?: (answer: Bytes, encoded: string) => void,
  ) =>
    testEach(`${method} ${address(':value')} gets a page that does not repeat it`, {
      act: (site, { encoded }) => {
        const path = address(encoded);
        if (path.length > MAX_HEAD_LENGTH) return null;
        const body = method === 'POST' ? 'x=1' : undefined;
        return headersOf(site, who).then((headers) => site.send(method, path, { headers, body }));
      },
      check(answer, { encoded }) {
        assertPage(answer, allowed);
        check?.(answer, encoded);
      },
    });

  /** Some hostile values are valid in some of them, such as the number of organization 1. */
  for (const [address, ...allowed] of [
    [(value) => `/invitations/${value}`, 404],
    [(value) => `/login/${value}`, 404],
    [(value) => `/organizations/${value}/meetings`, 200, 303, 404],
    [(value) => `/calendar/${value}.ics`, 404],
    [(value) => `/organizations/1/meetings/${value}.ics`, 404],
    [(value) => `/assets/${value}`, 404],
    [(value) => `/organizations/1/meetings?page=${value}`, 200],
    [(value) => `/sign-in?next=${value}`, 200, 303],
    [(value) => `/assets/favicon.svg?v=${value}`, 200],
    [(value) => `/${value}`, 303, 404],
  ] as readonly (readonly [(value: string) => string, ...number[]])[]) {
    const leadsNowhere = ({ headers }: Bytes) => assert.match(headers.location ?? '/', /^\/[a-z]*$/);
    testAddress(['GET', member], address, allowed, leadsNowhere);
    testAddress(['POST', member], address, [403, 404, 405], leadsNowhere);
  }

  testAddress(
    ['GET', owner],
    (value) => `/organizations/1/people?search=${value}`,
    [200, 422],
    ({ text }, encoded) => {
      const sent = new URLSearchParams(`search=${encoded}`).get('search') ?? '';
      if (sent.trim().length > 320) assert.match(text, /must have at most 300 characters/);
    },
  );

  const log = ['state', 'since', 'until', 'person', 'event', 'older', 'resent'];
  const searched = (value: string) => `${webhooks}?${log.map((field) => `${field}=${value}`).join('&')}`;
  testAddress(['GET', admin], searched, [200, 422]);
  // Where nothing is undelivered, to the log, which says so.
  testAddress(['GET', admin], (value) => `${webhooks}/redeliver?since=${value}`, [200, 303, 422]);
  testAddress(['GET', admin], (value) => `${webhooks}/deliveries/${value}`, [404]);

  const forms: Readonly<Record<string, readonly [path: string, fields: string, ...allowed: number[]]>> = {
    url: ['/settings', `enabled=1&event.${eventName}=1`, 303, 422],
    unchanged_since: ['/secret', '', 409],
    ends_at: ['/secret/finish', '', 303, 400],
    since: ['/redeliver', '', 303, 400],
    delivery: ['/dismiss', '', 303, 404],
    count: ['/dismiss', '', 303],
  };
  for (const [field, [path, fields, ...allowed]] of Object.entries(forms))
    testEach(`sending it as ${field} to ${path} is accepted as text, or refused with a message`, {
      act: async (site, { encoded }) => {
        const body = `form_token=${tokens.get(site)}&${fields}&${field}=${encoded}`;
        return site.send('POST', `${webhooks}${path}`, { headers: await headersOf(site, admin), body });
      },
      check(answer, tried) {
        assert.ok(allowed.includes(answer.status) || isUnreadable(answer, tried), `${answer.status}`);
        if (answer.status !== 303) assertNoMarkup(answer);
      },
    });

  for (const cookie of ['session', 'visitor', 'notice', 'shown-once', 'email'])
    for (const [path, status] of [
      ['/meetings', 303],
      ['/sign-in', 200],
    ] as const)
      testEach(`with it as the cookie ${cookie} no session is valid, and ${path} does not repeat it`, {
        act: (site, { value }) => {
          const bytes = headerBytes(value);
          if (bytes === null) return null;
          const headers = { Accept: 'text/html', Cookie: `3000-${cookie}=${bytes}` };
          return site.send('GET', path, { headers });
        },
        check: (answer) => assertPage(answer, [status]),
      });
});

testNoFailure();
