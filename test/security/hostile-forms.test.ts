import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Secret } from '@rollcall/core';
import { anOrganization, aUser, testUuid } from '@rollcall/core/testing';
import { formFields } from '../support/page/client.js';
import { type Asked, type Bytes, noLimits, type Site, startSite } from '../support/security/site.js';
import { databaseKinds } from '../support/storage.js';
import { type HostileValue, hostileValues } from './hostile-values.js';

const password = 'a good password';
const longestInHead = 12_000;
const form = 'application/x-www-form-urlencoded';
const ownOrigin = { Origin: 'http://localhost:3000', 'Sec-Fetch-Site': 'same-origin' };

let sites: readonly Site[] = [];
before(async () => {
  sites = await Promise.all(
    databaseKinds.map((database) => startSite({ database, ports: { limits: noLimits } })),
  );
  for (const { load, core } of sites) {
    await load({
      organizations: [anOrganization(1, { name: 'Northwind' })],
      users: [
        aUser(1, { email: 'dana@example.test' }),
        aUser(9000, { email: 'admin@example.test' }),
        aUser(9001, { email: 'owner@example.test' }),
      ],
      memberships: [
        { organizationId: 1, userId: 1, role: 'member', idpId: null },
        { organizationId: 1, userId: 9000, role: 'admin', idpId: null },
        { organizationId: 1, userId: 9001, role: 'owner', idpId: null },
      ],
    });
    for (const email of ['dana@example.test', 'admin@example.test', 'owner@example.test'])
      await core.setPassword({ email, password: new Secret(password) });
  }
});
after(() => Promise.all(sites.map((site) => site.stop())));

/** The answer to this request, the same over every database except for random values. */
async function everywhere(act: (site: Site) => Promise<Bytes>): Promise<readonly Bytes[]> {
  const answers = await Promise.all(sites.map(act));
  const [first] = answers;
  assert.ok(first !== undefined);
  for (const answer of answers) assert.deepEqual(comparable(answer), comparable(first));
  return answers;
}

function comparable({ status, headers, text }: Bytes): readonly unknown[] {
  const constant = text
    .replaceAll(/name="form_token" value="[^"]*"/g, 'name="form_token"')
    .replace(/<code>[^<]*<\/code>/, '<code></code>')
    .replaceAll(/\/people\/\d+/g, '/people')
    .replace(/"\/organizations\/\d+\/meetings"/, '')
    .replace(/ \/organizations\/\d+\/meetings/, '');
  return [status, headers.location?.replace(/\d+/, ''), constant];
}

/** A body that is too large or broken is refused before any of its fields is read. */
function isUnreadable({ status }: Bytes, { encoded }: HostileValue): boolean {
  return (status === 413 && encoded.length > 10_000) || (status === 400 && !canDecode(encoded));
}

function canDecode(encoded: string): boolean {
  try {
    return decodeURIComponent(encoded) !== undefined;
  } catch {
    return false;
  }
}

/** No sent text has become markup. */
function holdsNoMarkup({ headers, text }: Bytes): void {
  assert.doesNotMatch(
    text,
    /<script(?! type="module" src="\/assets\/rollcall\.js)|<img src=x|<svg\/onload|&amp;lt;script/,
  );
  assert.equal(headers['set-cookie']?.some((cookie) => /^session=1/.test(cookie)) ?? false, false);
  assert.match(String(headers['content-type']), /^text\/html; charset=utf-8$/);
  assert.match(String(headers['content-security-policy']), /^default-src 'none';/);
}

/** With `third`, every third value from that one on. */
async function withEach(
  name: string,
  check: (value: HostileValue) => Promise<void>,
  third?: number,
): Promise<void> {
  for (const [number, value] of hostileValues.entries()) {
    if (third !== undefined && (number - third) % 3 !== 0) continue;
    try {
      await check(value);
    } catch (error) {
      throw new Error(`${name}, ${value.name}: ${(error as Error).message}`, { cause: error });
    }
  }
}

const signInPages = new Map<Site, Promise<Bytes>>();

/** One visitor of each site opens the page once: its form can be sent many times. */
function openForm(site: Site, page: string): Promise<Bytes> {
  const known = page === '/sign-in' ? signInPages.get(site) : undefined;
  const opened = known ?? site.ask('GET', page, { headers: { Accept: 'text/html' } });
  if (page === '/sign-in') signInPages.set(site, opened);
  return opened;
}

/** Opens the page with the form and sends the form with these fields, encoded as given. */
async function sendForm(site: Site, { page, action = page, fields, headers = {} }: Sending): Promise<Bytes> {
  const opened = await openForm(site, page);
  const cookies = (opened.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';', 1)[0]);
  const own = Object.entries(formFields(opened.text)).map(([key, value]) => [key, encodeURIComponent(value)]);
  const all = Object.entries({ ...Object.fromEntries(own), ...fields });
  return site.ask('POST', action, {
    headers: {
      Accept: 'text/html',
      Cookie: cookies.join('; '),
      'Content-Type': form,
      ...ownOrigin,
      ...headers,
    },
    body: all.map(([key, value]) => `${key}=${value}`).join('&'),
  });
}

interface Sending {
  readonly page: string;
  readonly action?: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly headers?: Asked['headers'];
}

const escaped = ({ encoded }: HostileValue): string => encoded.replaceAll('&', '%26');

let invited = 0;
/** A new invitation of a new person; the same one on every site. */
async function invitation(): Promise<(site: Site) => Promise<string>> {
  invited += 1;
  const email = `hostile-${invited}@example.test`;
  return async ({ core }) => {
    const person = { email, firstName: 'Dana', lastName: 'Kim' };
    const { invitationUrl } = await core.inviteUser({ organization: { id: 1 }, ...person });
    return new URL(invitationUrl).pathname;
  };
}

describe('Every hostile value in every field of every form', () => {
  for (const field of ['email', 'password', 'next']) {
    test(`signing in with it as ${field} does not sign in, and gets a page`, () =>
      withEach(field, async (value) => {
        const fields = { email: 'dana%40example.test', password: 'wrong+one', [field]: escaped(value) };
        const answers = await everywhere((site) => sendForm(site, { page: '/sign-in', fields }));
        for (const answer of answers) {
          assert.ok(answer.status === 422 || isUnreadable(answer, value), `${answer.status} ${answer.text}`);
          assert.equal(answer.headers['set-cookie'], undefined);
          holdsNoMarkup(answer);
        }
      }));
  }

  test('signing in with it as the next page does not redirect to another site', () =>
    withEach('next', async (value) => {
      const fields = { email: 'dana%40example.test', password: encodeURIComponent(password) };
      const answers = await everywhere((site) =>
        sendForm(site, { page: '/sign-in', fields: { ...fields, next: escaped(value) } }),
      );
      for (const answer of answers) {
        if (isUnreadable(answer, value)) continue;
        assert.deepEqual([answer.status, answer.headers.location], [303, '/meetings']);
      }
    }));

  for (const field of ['form_token', 'unknown_field']) {
    test(`sending it as ${field} is refused or ignored`, () =>
      withEach(field, async (value) => {
        const answers = await everywhere((site) =>
          sendForm(site, {
            page: '/sign-in',
            fields: { email: 'x', password: 'y', [field]: escaped(value) },
          }),
        );
        const expected = field === 'form_token' ? 403 : 422;
        for (const answer of answers) {
          assert.ok(answer.status === expected || isUnreadable(answer, value), `${answer.status}`);
          holdsNoMarkup(answer);
        }
      }));
  }

  for (const field of ['first_name', 'last_name']) {
    test(`accepting with it as ${field} shows it as text again, or says next to the field what is allowed`, () =>
      withEach(field, async (value) => {
        const path = await invitation();
        const fields = { password: encodeURIComponent(password), [field]: escaped(value) };
        const answers = await everywhere(async (site) => sendForm(site, { page: await path(site), fields }));
        for (const [index, answer] of answers.entries()) {
          if (answer.status === 303) await isShown(sites[index], answer, { field, value });
          else if (answer.status === 422) {
            assert.match(
              answer.text,
              new RegExp(`id="${field}-hint">(First|Last) name (must (not|have) |is required<)`),
            );
          } else assert.ok(isUnreadable(answer, value), `${answer.status}`);
          holdsNoMarkup(answer);
        }
      }));
  }

  test('after accepting with it as the password, exactly this password signs in, or the page says what is allowed', () =>
    withEach('password', async (value) => {
      const path = await invitation();
      const email = `hostile-${invited}@example.test`;
      const fields = { password: escaped(value) };
      const answers = await everywhere(async (site) => sendForm(site, { page: await path(site), fields }));
      for (const [index, answer] of answers.entries()) {
        holdsNoMarkup(answer);
        if (answer.status !== 303) {
          assert.ok(answer.status === 422 || isUnreadable(answer, value), `${answer.status}`);
          continue;
        }
        const signIn = { page: '/sign-in', fields: { email, ...fields } };
        const site = sites[index];
        assert.equal(site && (await sendForm(site, signIn)).status, 303);
        const other = { ...signIn, fields: { email, password: `${escaped(value)}x` } };
        assert.equal(site && (await sendForm(site, other)).status, 422);
      }
    }));

  test('redeeming with it in the form does not change the link', () =>
    withEach('redeem', async (value) => {
      const link = async (site: Site): Promise<string> => {
        const { url } = await site.core.issueLoginLink({ organization: { id: 1 }, uuid: testUuid(1) });
        return new URL(url).pathname;
      };
      const answers = await everywhere(async (site) =>
        sendForm(site, { page: await link(site), fields: { organization: escaped(value) } }),
      );
      for (const answer of answers) {
        if (isUnreadable(answer, value)) continue;
        assert.deepEqual([answer.status, answer.headers.location], [303, '/organizations/1/meetings']);
      }
    }));

  for (const header of ['Origin', 'Sec-Fetch-Site', 'Content-Type', 'Cookie']) {
    test(`a form with it as ${header} is refused`, () =>
      withEach(header, async ({ text }) => {
        const bytes = Buffer.from(text).toString('latin1');
        // biome-ignore lint/suspicious/noControlCharactersInRegex: characters that a header must not contain
        if (bytes.length > longestInHead || /[\0-\x08\n-\x1f\x7f]/.test(bytes)) return;
        const answers = await everywhere((site) =>
          sendForm(site, {
            page: '/sign-in',
            fields: { email: 'x', password: 'y' },
            headers: { [header]: bytes },
          }),
        );
        const expected = header === 'Content-Type' ? 415 : 403;
        for (const answer of answers) {
          assert.equal(answer.status, expected);
          holdsNoMarkup(answer);
        }
      }));
  }
});

/** The page after accepting shows the names exactly as given. */
async function isShown(
  site: Site | undefined,
  { headers }: Bytes,
  { field, value }: { readonly field: string; readonly value: HostileValue },
): Promise<void> {
  assert.ok(site !== undefined);
  const Cookie = headers['set-cookie']?.map((cookie) => cookie.split(';', 1)[0]).join('; ');
  const page = await site.ask('GET', String(headers.location), { headers: { Accept: 'text/html', Cookie } });
  holdsNoMarkup(page);
  const sent = new URLSearchParams(`x=${escaped(value)}`).get('x') ?? '';
  assert.doesNotMatch(sent, /\p{Cc}/u);
  const names = { first_name: 'Dana', last_name: 'Kim', [field]: sent };
  assert.deepEqual(
    [
      textIn(page.text, /<h1>Hello, <bdi>(.*?)<\/bdi>/s),
      textIn(page.text, /class="person"[^>]*><bdi>(.*?)<\/bdi>/s),
    ],
    [names.first_name, `${names.first_name} ${names.last_name}`],
  );
}

function textIn(html: string, pattern: RegExp): string {
  const [, found = 'nothing'] = pattern.exec(html) ?? [];
  assert.doesNotMatch(found, /</);
  return found
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

async function session(site: Site, email = 'dana@example.test'): Promise<string> {
  const opened = await site.core.signIn({ email, password: new Secret(password), address: 'a test' });
  return `session=${opened.session.reveal()}`;
}

describe('Every hostile value in every field of the webhook’s pages', () => {
  const page = '/organizations/1/webhooks';
  const admins = new Map<Site, { readonly Cookie: string; readonly token: string }>();
  before(async () => {
    const webhook = { url: 'https://partner.test/', enabled: true, events: ['user.registered'] };
    for (const site of sites) {
      await site.core.configureWebhook({ organization: { id: 1 }, how: 'set', webhook });
      const Cookie = await session(site, 'admin@example.test');
      const { text } = await site.ask('GET', page, { headers: { Accept: 'text/html', Cookie } });
      admins.set(site, { Cookie, token: formFields(text).form_token ?? '' });
    }
  });

  const forms: Readonly<Record<string, readonly [path: string, fields: string, ...allowed: number[]]>> = {
    url: [page, 'enabled=1&event.user.registered=1', 303, 422],
    unchanged_since: [`${page}/secret`, '', 409],
    since: [`${page}/redeliver`, '', 303, 400],
  };
  for (const [index, [field, [path, fields, ...allowed]]] of Object.entries(forms).entries()) {
    test(`sending it as ${field} to ${path} is accepted as text, or refused with a message`, () => {
      const check = async (value: HostileValue) => {
        const answers = await everywhere((site) => {
          const { Cookie, token } = admins.get(site) ?? { Cookie: '', token: '' };
          const headers = { Accept: 'text/html', Cookie, 'Content-Type': form, ...ownOrigin };
          const body = `form_token=${token}&${fields}&${field}=${escaped(value)}`;
          return site.ask('POST', path, { headers, body });
        });
        for (const answer of answers) {
          assert.ok(allowed.includes(answer.status) || isUnreadable(answer, value), `${answer.status}`);
          if (answer.status !== 303) holdsNoMarkup(answer);
        }
      };
      return withEach(field, check, field === 'url' ? undefined : index);
    });
  }

  const log = (value: string) =>
    ['state', 'since', 'until', 'event', 'older'].map((field) => `${field}=${value}`).join('&');
  const addresses: Readonly<Record<string, (value: string) => string>> = {
    'the search': (value) => `?${log(value)}`,
    'the moment to send again from': (value) => `/redeliver?since=${value}`,
    'the number of a delivery': (value) => `/deliveries/${value}`,
  };
  for (const [index, [name, address]] of Object.entries(addresses).entries()) {
    test(`asking with it as ${name} gets a page`, () => {
      const check = async ({ encoded }: HostileValue) => {
        const path = `${page}${address(encoded.replaceAll(/[?#&/]/g, encodeURIComponent))}`;
        if (path.length > longestInHead) return;
        const answers = await everywhere((site) => {
          const { Cookie = '' } = admins.get(site) ?? {};
          return site.ask('GET', path, { headers: { Accept: 'text/html', Cookie } });
        });
        for (const answer of answers) {
          const expected = path.includes('/deliveries/') ? [404] : [200, 422];
          assert.ok(expected.includes(answer.status), `${answer.status} ${path.slice(0, 80)}`);
          holdsNoMarkup(answer);
        }
      };
      return withEach(name, check, index === 0 ? undefined : index);
    });
  }
});

describe('Every hostile value in the search for people', () => {
  const owners = new Map<Site, string>();
  before(async () => {
    for (const site of sites) owners.set(site, await session(site, 'owner@example.test'));
  });

  test('finds the same over every database, or is refused with a message', () =>
    withEach('search', async (value) => {
      const path = `/organizations/1/people?search=${escaped(value)}`;
      if (path.length > longestInHead) return;
      const answers = await everywhere((site) =>
        site.ask('GET', path, { headers: { Accept: 'text/html', Cookie: owners.get(site) } }),
      );
      for (const answer of answers) {
        assert.ok([200, 422].includes(answer.status), `${answer.status}`);
        holdsNoMarkup(answer);
        const sent = new URLSearchParams(`search=${escaped(value)}`).get('search') ?? '';
        if (sent.trim().length > 320) assert.match(answer.text, /must have at most 300 characters/);
      }
    }));
});

describe('Every hostile value in every URL of the pages', () => {
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
  /** The valid values: the number of organization 1, and what its member may open. */
  const fine: Readonly<Record<string, readonly number[]>> = {
    organization: [200, 303, 404],
    page: [200],
    next: [200, 303],
    version: [200],
    path: [303, 404],
  };

  for (const [index, [name, address]] of Object.entries(addresses).entries()) {
    for (const method of ['GET', 'POST']) {
      test(`${method} with it as ${name} gets a page that does not repeat it`, async () => {
        const cookies = new Map(
          await Promise.all(sites.map(async (site) => [site, await session(site)] as const)),
        );
        await withEach(
          name,
          async ({ encoded }) => {
            const path = address(
              encoded.replaceAll('?', '%3F').replaceAll('#', '%23').replaceAll('&', '%26'),
            );
            if (path.length > longestInHead) return;
            const answers = await everywhere((site) =>
              site.ask(method, path, {
                headers: {
                  Accept: 'text/html',
                  Cookie: cookies.get(site),
                  'Content-Type': form,
                  ...ownOrigin,
                },
                body: method === 'POST' ? 'x=1' : undefined,
              }),
            );
            for (const answer of answers) {
              const allowed = method === 'GET' ? (fine[name] ?? [404]) : [403, 404, 405];
              assert.ok(allowed.includes(answer.status), `${answer.status} ${path.slice(0, 80)}`);
              if (!String(answer.headers['content-type']).startsWith('image/svg')) holdsNoMarkup(answer);
              assert.match(answer.headers.location ?? '/', /^\/[a-z]*$/);
            }
          },
          method === 'POST' ? index % 3 : undefined,
        );
      });
    }
  }

  for (const cookie of ['session', 'visitor', 'notice']) {
    test(`with it as the cookie ${cookie} no session is valid, and the page does not repeat it`, () =>
      withEach(cookie, async ({ text }) => {
        const bytes = Buffer.from(text).toString('latin1');
        // biome-ignore lint/suspicious/noControlCharactersInRegex: characters that a header must not contain
        if (bytes.length > longestInHead || /[\0-\x08\n-\x1f\x7f]/.test(bytes)) return;
        const headers = { Accept: 'text/html', Cookie: `${cookie}=${bytes}` };
        for (const [path, status] of [
          ['/meetings', 303],
          ['/sign-in', 200],
        ] as const) {
          for (const answer of await everywhere((site) => site.ask('GET', path, { headers }))) {
            assert.equal(answer.status, status);
            holdsNoMarkup(answer);
          }
        }
      }));
  }
});

test('afterwards the pages still answer, and there was no unexpected failure', async () => {
  const fields = { email: 'dana%40example.test', password: encodeURIComponent(password) };
  const answers = await everywhere((site) => sendForm(site, { page: '/sign-in', fields }));
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 303),
  );
  assert.deepEqual(
    sites.map(({ reports }) => reports),
    sites.map(() => []),
  );
});
