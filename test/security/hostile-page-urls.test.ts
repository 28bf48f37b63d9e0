import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  assertNoMarkup,
  canBeHeader,
  escaped,
  form,
  MAX_HEAD_LENGTH,
  ownOrigin,
  session,
  useHostilePages,
  withEach,
} from '../support/security/hostile-pages.js';
import type { HostileValue } from '../support/security/hostile-values.js';
import type { Site } from '../support/security/site.js';

const { sites, everywhere, testNoFailure } = useHostilePages();

describe('Hostile values in the search for people', () => {
  const owners = new Map<Site, string>();
  before(async () => {
    for (const site of sites()) owners.set(site, await session(site, 'owner@example.test'));
  });

  test('finds something or nothing, or is refused with a message', () =>
    withEach('search', async (value) => {
      const path = `/organizations/1/people?search=${escaped(value)}`;
      if (path.length > MAX_HEAD_LENGTH) return;
      const answers = await everywhere((site) =>
        site.send('GET', path, { headers: { Accept: 'text/html', Cookie: owners.get(site) } }),
      );
      for (const answer of answers) {
        assert.ok([200, 422].includes(answer.status), `${answer.status}`);
        assertNoMarkup(answer);
        const sent = new URLSearchParams(`search=${escaped(value)}`).get('search') ?? '';
        if (sent.trim().length > 320) assert.match(answer.text, /must have at most 300 characters/);
      }
    }));
});

describe('Hostile values in every URL of the pages', () => {
  const addresses: Readonly<Record<string, (encoded: string) => string>> = {
    invitation: (encoded) => `/invitations/${encoded}`,
    'login link': (encoded) => `/login/${encoded}`,
    organization: (encoded) => `/organizations/${encoded}/meetings`,
    calendar: (encoded) => `/calendar/${encoded}.ics`,
    meeting: (encoded) => `/organizations/1/meetings/${encoded}.ics`,
    asset: (encoded) => `/assets/${encoded}`,
    page: (encoded) => `/organizations/1/meetings?page=${encoded}`,
    next: (encoded) => `/sign-in?next=${encoded}`,
    version: (encoded) => `/assets/favicon.svg?v=${encoded}`,
    path: (encoded) => `/${encoded}`,
  };
  /** The statuses of URLs in which some hostile values are valid, such as the number of organization 1. */
  const allowedStatuses: Readonly<Record<string, readonly number[]>> = {
    organization: [200, 303, 404],
    page: [200],
    next: [200, 303],
    version: [200],
    path: [303, 404],
  };

  for (const [name, address] of Object.entries(addresses)) {
    for (const method of ['GET', 'POST']) {
      test(`${method} with it as ${name} gets a page that does not repeat it`, async () => {
        const cookies = new Map(
          await Promise.all(sites().map(async (site) => [site, await session(site)] as const)),
        );
        await withEach(name, async ({ encoded }) => {
          const path = address(encoded.replaceAll('?', '%3F').replaceAll('#', '%23').replaceAll('&', '%26'));
          if (path.length > MAX_HEAD_LENGTH) return;
          const answers = await everywhere((site) => {
            const Cookie = cookies.get(site);
            const headers = { Accept: 'text/html', Cookie, 'Content-Type': form, ...ownOrigin };
            return method === 'POST'
              ? site.send('POST', path, { headers, body: 'x=1' })
              : site.send(method, path, { headers });
          });
          for (const answer of answers) {
            const allowed = method === 'GET' ? (allowedStatuses[name] ?? [404]) : [403, 404, 405];
            assert.ok(allowed.includes(answer.status), `${answer.status} ${path.slice(0, 80)}`);
            if (!String(answer.headers['content-type']).startsWith('image/svg')) assertNoMarkup(answer);
            assert.match(answer.headers.location ?? '/', /^\/[a-z]*$/);
          }
        });
      });
    }
  }

  for (const cookie of ['session', 'visitor', 'notice', 'shown-once', 'email']) {
    test(`with it as the cookie ${cookie} no session is valid, and the page does not repeat it`, () => {
      const check = async ({ text }: HostileValue) => {
        const bytes = Buffer.from(text).toString('latin1');
        if (!canBeHeader(bytes)) return;
        const headers = { Accept: 'text/html', Cookie: `3000-${cookie}=${bytes}` };
        for (const [path, status] of [
          ['/meetings', 303],
          ['/sign-in', 200],
        ] as const) {
          for (const answer of await everywhere((site) => site.send('GET', path, { headers }))) {
            assert.equal(answer.status, status);
            assertNoMarkup(answer);
          }
        }
      };
      return withEach(cookie, check);
    });
  }
});

testNoFailure();
