import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Role } from '@rollcall/core';
import type { Answer, PageClient, SendForm } from '#test/support/page/client.js';
import {
  guidePaths,
  referencePaths,
  sampleOf,
  startFullSite,
  tokenOf,
  users,
} from '#test/support/page/routes.js';
import type { PageSite } from '#test/support/page/site.js';

/**
 * Who may open the pages of an organization, by their path, also with the method, or by its first segment. Every page
 * must be listed.
 */
const organizationAccess: Readonly<Record<string, Role>> = {
  '': 'admin',
  'access-key': 'owner',
  activity: 'owner',
  'activity.csv': 'owner',
  calls: 'owner',
  directory: 'owner',
  'first-steps': 'owner',
  name: 'owner',
  settings: 'owner',
  'second-factor': 'owner',
  'setup-link': 'owner',
  'sign-on': 'owner',
  people: 'admin',
  'people.csv': 'admin',
  'people/:userId': 'admin',
  'post people/:userId': 'owner',
  'people/:userId/idp-id': 'owner',
  'people/:userId/name': 'owner',
  'people/:userId/remove': 'owner',
  'people/:userId/login-link': 'admin',
  'people/:userId/login-link/new': 'admin',
  'people/:userId/sign-out': 'owner',
  'people/:userId/unlink': 'owner',
  export: 'admin',
  invitations: 'admin',
  'invitations.csv': 'admin',
  webhooks: 'admin',
  'all-meetings': 'admin',
  calendar: 'member',
  meetings: 'member',
};

/** Who may open the other pages: everyone, people who are signed in, or only with a password. */
const otherAccess: Readonly<Record<string, 'everyone' | 'signed-in' | 'password'>> = {
  '/': 'signed-in',
  '/account': 'password',
  '/account/name': 'password',
  '/account/second-factor': 'password',
  '/account/second-factor/app': 'password',
  '/account/second-factor/app/remove': 'password',
  '/account/second-factor/passkey': 'password',
  '/account/second-factor/passkeys/:passkey/name': 'password',
  '/account/second-factor/passkeys/:passkey/remove': 'password',
  '/account/second-factor/recovery-codes': 'password',
  '/account/second-factor/recovery-codes/new': 'password',
  '/account/sessions': 'password',
  '/account/sessions/:session/sign-out': 'password',
  '/account/sessions/sign-out-others': 'password',
  '/account/stay-signed-in': 'password',
  '/assets/:name': 'everyone',
  '/calendar/:token.ics': 'everyone',
  ...Object.fromEntries(
    [...referencePaths, '/docs/guide', ...guidePaths].map((path) => [path, 'everyone'] as const),
  ),
  '/forgot-password': 'everyone',
  '/forgot-password/sent': 'everyone',
  '/invitations/:token': 'everyone',
  '/login/:token': 'everyone',
  '/meetings': 'signed-in',
  '/reset-password/:token': 'everyone',
  '/session': 'signed-in',
  '/setup/:token': 'everyone',
  '/sign-in': 'everyone',
  '/sign-in/organizations/:id': 'everyone',
  '/sign-in/organizations/:id/backchannel_logout': 'everyone',
  '/sign-in/organizations/:id/callback': 'everyone',
  '/sign-in/organizations/:id/confirm': 'everyone',
  '/sign-in/organizations/:id/confirm/mail': 'everyone',
  '/sign-in/organizations/:id/start': 'everyone',
  '/sign-in/second-factor': 'everyone',
  '/sign-out': 'signed-in',
};

type Access = Role | 'everyone' | 'signed-in' | 'password';

function accessOf(path: string, method = 'get'): Access {
  const [, inside] = /^\/organizations\/:id\/?(.*)$/.exec(path) ?? [];
  const known =
    inside === undefined ? undefined : [`${method} ${inside}`, inside, inside.replace(/\/.*/, '')];
  const access =
    known === undefined ? otherAccess[path] : known.map((name) => organizationAccess[name]).find(Boolean);
  assert.ok(access !== undefined, `list in ${import.meta.filename} who may open ${path}`);
  return access;
}

/** Everyone who may try to open a page. */
const visitors = {
  stranger: async ({ visitor }) => visitor(),
  member: (started) => started.signedIn(users.member),
  admin: (started) => started.signedIn(users.admin),
  owner: (started) => started.signedIn(users.owner),
  'an owner who signed in by a link': (started) => started.signedInByLink(users.owner),
  'the owner of another organization': (started) => started.signedIn(users.elsewhere),
} satisfies Record<string, (site: PageSite) => Promise<PageClient>>;

type Visitor = keyof typeof visitors;
const everyone = Object.keys(visitors) as readonly Visitor[];

type Outcome = 'open' | 'to the sign-in' | 'not found' | 'refused';

const ranks: readonly Role[] = ['member', 'admin', 'owner'];

/** What each visitor must get from each page. */
function expected(visitor: Visitor, access: Access): Outcome {
  if (access === 'everyone') return 'open';
  if (visitor === 'stranger') return 'to the sign-in';
  if (visitor === 'an owner who signed in by a link')
    return access === 'member' || access === 'signed-in' ? 'open' : 'refused';
  if (access === 'signed-in' || access === 'password') return 'open';
  if (visitor === 'the owner of another organization') return 'not found';
  return ranks.indexOf(visitor) >= ranks.indexOf(access) ? 'open' : 'not found';
}

function outcomeOf({ status, location }: Answer): Outcome {
  if (status === 404) return 'not found';
  if (status === 403) return 'refused';
  if (status === 303 && /^\/sign-in(?:\?|$)/.test(location ?? '')) return 'to the sign-in';
  assert.ok(status < 500, `${status}`);
  return 'open';
}

/** Sends a form without fields, as this visitor could send it from one of our pages. */
async function sendEmptyForm(client: PageClient, path: string): Promise<Answer> {
  return client.send({ path, fields: { form_token: await tokenOf(client) } });
}

type Forge = (tokens: { readonly form_token: string; readonly other: string }) => Partial<SendForm>;

/** What programs send, without a token. Its own test says what it accepts. */
const sentByPrograms = '/sign-in/organizations/:id/backchannel_logout';

/** The ways to forge a form that would be accepted as it is. */
const forgeries: Readonly<Record<string, Forge>> = {
  'without its token': () => ({ fields: {} }),
  'with an empty token': () => ({ fields: { form_token: '' } }),
  'with the token of another session': ({ other }) => ({ fields: { form_token: other } }),
  'without any cookie': () => ({ headers: { Cookie: '' } }),
  'from a foreign origin': () => ({ headers: { Origin: 'https://evil.example' } }),
  'from our host by another scheme': () => ({ headers: { Origin: 'ftp://127.0.0.1' } }),
  'from our host at another port': () => ({ headers: { Origin: 'http://127.0.0.1:1' } }),
  'from the origin null': () => ({ headers: { Origin: 'null' } }),
  'as cross-site according to the browser': () => ({ headers: { 'Sec-Fetch-Site': 'cross-site' } }),
  'as cross-site without an origin': () => ({
    headers: { Origin: undefined, 'Sec-Fetch-Site': 'cross-site' },
  }),
  'from a sibling site': () => ({ headers: { 'Sec-Fetch-Site': 'same-site' } }),
};

describe('Every page', () => {
  test('opens only for those for whom it is listed as open', async (t) => {
    const started = await startFullSite(t);
    for (const visitor of everyone) {
      const client = await visitors[visitor](started);
      for (const { path, methods } of started.routes) {
        if (!methods.includes('get')) continue;
        const sample = await sampleOf(started, path);
        for (const method of visitor === 'owner' ? ['GET', 'HEAD'] : ['GET']) {
          const answer = await client.open(sample, { method });
          const about = `${visitor}: ${method} ${path}`;
          assert.equal(outcomeOf(answer), expected(visitor, accessOf(path)), about);
          // Search engines list nothing else.
          const robots = /^\/docs(?:\/|$)/.test(path) ? null : 'noindex';
          assert.equal(answer.headers.get('x-robots-tag'), robots, about);
        }
      }
    }
    assert.deepEqual(started.reports, []);
  });

  test('refuses forms of people who may not send them, and changes nothing', async (t) => {
    const started = await startFullSite(t);
    for (const visitor of everyone) {
      const client = await visitors[visitor](started);
      for (const { path, methods } of started.routes) {
        if (!methods.includes('post') || expected(visitor, accessOf(path, 'post')) === 'open') continue;
        const sample = await sampleOf(started, path);
        const before = [...started.changes];
        const answer = await sendEmptyForm(client, sample);
        const about = `${visitor}: POST ${path}`;
        assert.equal(outcomeOf(answer), expected(visitor, accessOf(path, 'post')), about);
        assert.deepEqual(started.changes, before, about);
      }
    }
  });

  test('accepts the forms of people who may send them', async (t) => {
    const started = await startFullSite(t);
    const visitorsOf: Partial<Record<Access, Visitor>> = {
      admin: 'admin',
      member: 'member',
      everyone: 'stranger',
    };
    // The person who is removed must still be there for the other forms.
    const forms = started.routes.filter(({ methods }) => methods.includes('post'));
    const removesLast = forms.toSorted(
      (one, other) => Number(/remove/.test(one.path)) - Number(/remove/.test(other.path)),
    );
    for (const { path } of removesLast) {
      const client = await visitors[visitorsOf[accessOf(path, 'post')] ?? 'owner'](started);
      const answer = await sendEmptyForm(client, await sampleOf(started, path));
      const outcome = path === '/sign-out' ? 'to the sign-in' : 'open';
      assert.equal(outcomeOf(answer), outcome, `POST ${path}: ${answer.status}`);
    }
  });

  test('that gets a form after the session has ended leads back to a page, by way of signing in', async (t) => {
    const started = await startFullSite(t);
    const owner = await visitors.owner(started);
    const form_token = await tokenOf(owner);
    started.clock.advance(30 * 60_000);
    const again = await visitors.owner(started);
    for (const { path, methods } of started.routes) {
      if (!methods.includes('post') || path === '/sign-out' || accessOf(path) === 'everyone') continue;
      const sent = await owner.send({ path: await sampleOf(started, path), fields: { form_token } });
      // A form that is given back names its author.
      if (sent.status === 403) continue;
      assert.equal(outcomeOf(sent), 'to the sign-in', path);
      const next = new URLSearchParams(sent.location?.split('?')[1]).get('next');
      if (next !== null) assert.notEqual((await again.open(next)).status, 405, `${path}: ${next}`);
      else assert.match(path, /^\/account\/(?:stay-signed-in$|sessions\/)/);
    }
  });

  test('refuses every form that is forged, and changes nothing', async (t) => {
    const started = await startFullSite(t);
    const owner = await visitors.owner(started);
    const form_token = await tokenOf(owner);
    const other = await tokenOf(await visitors.owner(started));
    for (const { path, methods } of started.routes) {
      if (!methods.includes('post') || path === sentByPrograms) continue;
      const sample = await sampleOf(started, path);
      const before = [...started.changes];
      for (const [how, forge] of Object.entries(forgeries)) {
        const forged = forge({ form_token, other });
        const { status, words } = await owner.send({ path: sample, fields: { form_token }, ...forged });
        assert.equal(status, 403, `${path} ${how}`);
        assert.match(words, /Nothing was changed/, path);
        assert.deepEqual(started.changes, before, `${path} ${how}`);
      }
    }
  });

  test('refuses every form that is malformed, and changes nothing', async (t) => {
    const started = await startFullSite(t);
    const owner = await visitors.owner(started);
    const form_token = await tokenOf(owner);
    const body = new URLSearchParams({ form_token }).toString();
    const Cookie = [...owner.cookies()].map(([name, value]) => `${name}=${value}`).join('; ');
    const form = 'application/x-www-form-urlencoded';
    for (const { path, methods } of started.routes) {
      if (!methods.includes('post') || path === sentByPrograms) continue;
      const sample = await sampleOf(started, path);
      const maxBytes = path.endsWith('/many') ? 1_000_000 : 20 * 1024;
      const before = [...started.changes];
      const malformed: readonly (readonly [
        status: number,
        body: string,
        headers?: Record<string, string>,
      ])[] = [
        [400, `${body}&form_token=again`],
        [400, `${body}&password=a&password=b`],
        [413, `${body}${'&x=1'.repeat(1000)}`],
        [413, `${body}&padding=${'x'.repeat(maxBytes)}`],
        [415, JSON.stringify({ form_token }), { 'Content-Type': 'application/json' }],
        [415, '--x--', { 'Content-Type': 'multipart/form-data; boundary=x' }],
        [415, body, { 'Content-Type': 'text/plain' }],
        [415, body, { 'Content-Encoding': 'gzip' }],
        [403, ''],
      ];
      for (const [status, sent, headers] of malformed) {
        const answer = await fetch(`${started.url}${sample}`, {
          ...{ method: 'POST', body: sent, redirect: 'manual' },
          headers: { Accept: 'text/html', Cookie, 'Content-Type': form, ...headers },
        });
        assert.equal(answer.status, status, `${path}: ${sent.slice(0, 40)}`);
      }
      assert.deepEqual(started.changes, before, path);
    }
  });

  test('of another organization is byte for byte that of an organization that does not exist', async (t) => {
    const started = await startFullSite(t);
    await started.addUser({ id: 104, organizations: [1, 2], role: 'owner' });
    const everyVisitor = {
      ...visitors,
      'an owner of both who signed in by a link of one': () => started.signedInByLink(104),
    };
    for (const [visitor, other] of [
      ['stranger', '1'],
      ['the owner of another organization', '1'],
      ['owner', '2'],
      ['an owner who signed in by a link', '2'],
      ['an owner of both who signed in by a link of one', '2'],
    ] as const) {
      const client = await everyVisitor[visitor](started);
      const shown = ({ status, text, location }: Answer, id: string) => {
        const written = new RegExp(`organizations(/|%2F)${id}\\b`, 'g');
        return [
          status,
          ...[text, String(location)].map((one) => one.replaceAll(written, 'organizations$1ID')),
        ];
      };
      for (const { path, methods } of started.routes) {
        if (!path.startsWith('/organizations/:id') || !methods.includes('get')) continue;
        for (const ask of [
          (address: string) => client.open(address),
          (address: string) => client.open(address, { method: 'PUT' }),
          (address: string) => sendEmptyForm(client, address),
        ]) {
          const [foreign, missing] = [
            await ask(await sampleOf(started, path, other)),
            await ask(await sampleOf(started, path, '999')),
          ];
          assert.deepEqual(shown(foreign, other), shown(missing, '999'), `${visitor}: ${path}`);
        }
      }
    }
  });

  test('changes no row when somebody opens it and the pages that it links to', async (t) => {
    const started = await startFullSite(t, 'sqlite');
    const somebody = ['stranger', 'member', 'owner'] as const;
    const clients = await Promise.all(somebody.map((visitor) => visitors[visitor](started)));
    const samples = await Promise.all(started.routes.map(({ path }) => sampleOf(started, path)));
    const before = await rowsOf(started);
    const changes = [...started.changes];
    for (const client of clients) await crawl(client, samples);
    assert.deepEqual(await rowsOf(started), before);
    assert.deepEqual(
      started.changes.filter((change) => change !== 'auditTrail.record'),
      changes,
    );
  });
});

/** Opens the pages and all that they link to. */
async function crawl(client: PageClient, pages: readonly string[]): Promise<void> {
  const paths = new Set(pages);
  for (const path of paths) {
    if (pages.includes(path)) await client.open(path, { method: 'HEAD' });
    const page = await client.open(path);
    assert.ok(page.status < 500, `${path}: ${page.status}`);
    for (const link of linksIn(page, path)) paths.add(link);
    assert.ok(paths.size < 1000, 'the pages have no end');
  }
  assert.ok(paths.size > pages.length, 'the links were followed');
}

/** The paths on this site that the page links to. */
function linksIn({ text, location }: Answer, from: string): readonly string[] {
  const here = new URL(from, 'http://here.test');
  const hrefs = [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, href = '']) => href);
  return [...hrefs, ...(location === null ? [] : [location])]
    .map((href) => new URL(href.replaceAll('&amp;', '&'), here))
    .filter(({ origin }) => origin === here.origin)
    .map(({ pathname, search }) => `${pathname}${search}`);
}

const withoutDownloads: Readonly<Record<string, string>> = {
  audit_entries: "action NOT LIKE '%-exported'",
  sqlite_sequence: "name <> 'audit_entries'",
};

/** All rows of the database, without the record of downloads (decision 81). */
async function rowsOf({ database }: PageSite): Promise<unknown> {
  assert.ok(database !== null);
  const { read } = database;
  const tables = await read.all<{ readonly name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
    [],
  );
  const rows = tables.map(async ({ name }) => [
    name,
    await read.all(`SELECT * FROM "${name}" WHERE ${withoutDownloads[name] ?? 'true'}`, []),
  ]);
  const all = await Promise.all(rows);
  assert.ok(all.length > 10);
  return all;
}
