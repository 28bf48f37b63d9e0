import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Role } from '@rollcall/core';
import { testUuid } from '@rollcall/core/testing';
import { type Answer, type PageClient, readableText, type SendForm } from '#test/support/page/client.js';
import { sampleOf, signedIn, startFullSite, tokenOf, users } from '#test/support/page/routes.js';
import type { PageSite } from '#test/support/page/site.js';

/** Who may open what lies below an organization, by the first part of its path: every page has to be in here. */
const doors: Readonly<Record<string, Role>> = {
  '': 'owner',
  'access-key': 'owner',
  activity: 'owner',
  people: 'owner',
  export: 'admin',
  invitations: 'admin',
  webhooks: 'admin',
  calendar: 'member',
  meetings: 'member',
};

/** Pages outside organizations: for everybody, for people who are signed in, and with a password. */
const others: Readonly<Record<string, 'everybody' | 'signed-in' | 'password'>> = {
  '/': 'signed-in',
  '/account': 'password',
  '/assets/:name': 'everybody',
  '/calendar/:token.ics': 'everybody',
  '/docs': 'everybody',
  '/docs/guide': 'everybody',
  '/invitations/:token': 'everybody',
  '/login/:token': 'everybody',
  '/meetings': 'signed-in',
  '/sign-in': 'everybody',
  '/sign-out': 'signed-in',
};

type Door = Role | 'everybody' | 'signed-in' | 'password';

function doorOf(path: string): Door {
  const inside = /^\/organizations\/:id(?:\/([^/]*)|$)/.exec(path);
  const door = inside === null ? others[path] : doors[inside[1] ?? ''];
  assert.ok(door !== undefined, `say in ${import.meta.filename} who may open ${path}`);
  return door;
}

/** Everybody who may come to a page. */
const visitors = {
  nobody: async ({ visitor }) => visitor(),
  member: (started) => signedIn(started, 'member'),
  admin: (started) => signedIn(started, 'admin'),
  owner: (started) => signedIn(started, 'owner'),
  'an owner who came by a link': async ({ visitor, linkFor }) => {
    const client = visitor();
    await client.fillIn(await linkFor({ organizationId: 1, uuid: testUuid(users.owner) }), {});
    return client;
  },
  'the owner of another organization': (started) => signedIn(started, 'elsewhere'),
} satisfies Record<string, (site: PageSite) => Promise<PageClient>>;

type Visitor = keyof typeof visitors;
const everybody = Object.keys(visitors) as readonly Visitor[];

type Outcome = 'in' | 'to the sign-in' | 'not found' | 'refused';

const ranks: readonly Role[] = ['member', 'admin', 'owner'];

/** What everybody must find behind every door. */
function expected(visitor: Visitor, door: Door): Outcome {
  if (door === 'everybody') return 'in';
  if (visitor === 'nobody') return 'to the sign-in';
  if (visitor === 'an owner who came by a link')
    return door === 'member' || door === 'signed-in' ? 'in' : 'refused';
  if (door === 'signed-in' || door === 'password') return 'in';
  if (visitor === 'the owner of another organization') return 'not found';
  return ranks.indexOf(visitor) >= ranks.indexOf(door) ? 'in' : 'not found';
}

function outcomeOf({ status, location }: Answer): Outcome {
  if (status === 404) return 'not found';
  if (status === 403) return 'refused';
  if (status === 303 && /^\/sign-in(?:\?|$)/.test(location ?? '')) return 'to the sign-in';
  assert.ok(status < 500, `${status}`);
  return 'in';
}

/** The form of nothing, as this visitor would send it from a page of ours. */
async function sendNothing(client: PageClient, path: string): Promise<Answer> {
  return client.send({ path, fields: { form_token: await tokenOf(client) } });
}

type Forge = (tokens: { readonly form_token: string; readonly other: string }) => Partial<SendForm>;

/** Every way to forge a form that would be accepted as it is. */
const forgeries: Readonly<Record<string, Forge>> = {
  'without its token': () => ({ fields: {} }),
  'with an empty token': () => ({ fields: { form_token: '' } }),
  'with the token of another session': ({ other }) => ({ fields: { form_token: other } }),
  'without any cookie': () => ({ headers: { Cookie: '' } }),
  'from a foreign origin': () => ({ headers: { Origin: 'https://evil.example' } }),
  'from our host at another port': () => ({ headers: { Origin: 'http://127.0.0.1:1' } }),
  'from the origin null': () => ({ headers: { Origin: 'null' } }),
  'cross-site, as the browser says': () => ({ headers: { 'Sec-Fetch-Site': 'cross-site' } }),
  'cross-site without an origin': () => ({
    headers: { Origin: undefined, 'Sec-Fetch-Site': 'cross-site' },
  }),
  'from a sibling site': () => ({ headers: { 'Sec-Fetch-Site': 'same-site' } }),
};

describe('Every page', () => {
  for (const visitor of everybody) {
    test(`opens for ${visitor} exactly where it may`, async (t) => {
      const started = await startFullSite(t);
      const client = await visitors[visitor](started);
      for (const { path, methods } of started.routes) {
        if (!methods.includes('get')) continue;
        const sample = await sampleOf(started, path);
        for (const method of ['GET', 'HEAD']) {
          const answer = await client.open(sample, { method });
          assert.equal(outcomeOf(answer), expected(visitor, doorOf(path)), `${method} ${path}`);
        }
      }
      assert.deepEqual(started.reports, []);
    });

    // An owner may send every form.
    if (visitor === 'owner') continue;
    test(`takes forms from ${visitor} exactly where it may, and changes nothing else`, async (t) => {
      const started = await startFullSite(t);
      const client = await visitors[visitor](started);
      for (const { path, methods } of started.routes) {
        if (!methods.includes('post') || expected(visitor, doorOf(path)) === 'in') continue;
        const sample = await sampleOf(started, path);
        const before = [...started.changes];
        const answer = await sendNothing(client, sample);
        assert.equal(outcomeOf(answer), expected(visitor, doorOf(path)), `POST ${path}`);
        assert.deepEqual(started.changes, before, `POST ${path}`);
      }
    });
  }

  test('takes the forms of those who may send them', async (t) => {
    const { routes } = await startFullSite(t);
    const visitorsOf: Partial<Record<Door, Visitor>> = {
      admin: 'admin',
      member: 'member',
      everybody: 'nobody',
    };
    for (const { path, methods } of routes) {
      if (!methods.includes('post')) continue;
      const started = await startFullSite(t);
      const client = await visitors[visitorsOf[doorOf(path)] ?? 'owner'](started);
      const answer = await sendNothing(client, await sampleOf(started, path));
      const outcome = path === '/sign-out' ? 'to the sign-in' : 'in';
      assert.equal(outcomeOf(answer), outcome, `POST ${path}: ${answer.status}`);
    }
  });

  for (const [how, forge] of Object.entries(forgeries)) {
    test(`takes no form ${how}`, async (t) => {
      const started = await startFullSite(t);
      const owner = await visitors.owner(started);
      const form_token = await tokenOf(owner);
      const other = await tokenOf(await visitors.owner(started));
      for (const { path, methods } of started.routes) {
        if (!methods.includes('post')) continue;
        const sample = await sampleOf(started, path);
        const before = [...started.changes];
        const forged = forge({ form_token, other });
        const { status, text } = await owner.send({ path: sample, fields: { form_token }, ...forged });
        assert.equal(status, 403, path);
        assert.match(readableText(text), /Nothing was changed/, path);
        assert.deepEqual(started.changes, before, path);
      }
    });
  }

  test('of an organization of others is byte for byte what it is of no organization', async (t) => {
    const started = await startFullSite(t);
    const client = await visitors['the owner of another organization'](started);
    for (const { path, methods } of started.routes) {
      if (!path.startsWith('/organizations/:id') || !methods.includes('get')) continue;
      const [foreign, missing] = [
        await client.open(await sampleOf(started, path)),
        await client.open(await sampleOf(started, path, '999')),
      ];
      assert.deepEqual([foreign.status, foreign.text], [missing.status, missing.text], path);
      const [sent, toNone] = [
        await sendNothing(client, await sampleOf(started, path)),
        await sendNothing(client, await sampleOf(started, path, '999')),
      ];
      assert.deepEqual([sent.status, sent.text], [toNone.status, toNone.text], path);
    }
  });

  test('changes no row when it is opened, and whatever it links to, by anybody', async (t) => {
    const started = await startFullSite(t, 'sqlite');
    const clients = await Promise.all(everybody.map((visitor) => visitors[visitor](started)));
    const samples = await Promise.all(started.routes.map(({ path }) => sampleOf(started, path)));
    const before = await rowsOf(started);
    const changes = [...started.changes];
    for (const client of clients) await crawl(client, samples);
    assert.deepEqual(await rowsOf(started), before);
    assert.deepEqual(started.changes, changes);
  });
});

/** Opens the pages and all that they link to. */
async function crawl(client: PageClient, pages: readonly string[]): Promise<void> {
  const paths = new Set(pages);
  for (const path of paths) {
    await client.open(path, { method: 'HEAD' });
    const page = await client.open(path);
    assert.ok(page.status < 500, `${path}: ${page.status}`);
    for (const link of linksIn(page, path)) paths.add(link);
    assert.ok(paths.size < 1000, 'the pages have no end');
  }
  assert.ok(paths.size > pages.length, 'the links were followed');
}

/** Where one can go from the page, on this site. */
function linksIn({ text, location }: Answer, from: string): readonly string[] {
  const here = new URL(from, 'http://here.test');
  const hrefs = [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, href = '']) => href);
  return [...hrefs, ...(location === null ? [] : [location])]
    .map((href) => new URL(href.replaceAll('&amp;', '&'), here))
    .filter(({ origin }) => origin === here.origin)
    .map(({ pathname, search }) => `${pathname}${search}`);
}

/** Everything that the database holds. */
async function rowsOf({ database }: PageSite): Promise<unknown> {
  assert.ok(database !== null);
  const { read } = database;
  const tables = await read.all<{ readonly name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
    [],
  );
  const rows = tables.map(async ({ name }) => [name, await read.all(`SELECT * FROM "${name}"`, [])]);
  const all = await Promise.all(rows);
  assert.ok(all.length > 10);
  return all;
}
