import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Response } from 'express';
import { createCookies } from '#adapters/express/pages/cookies.js';
import { publicAddress } from '#adapters/express/pages/public-address.js';
import { type Answer, type PageClient, pageClient, readableText } from '#test/support/page/client.js';
import { credentials, type PageSite } from '#test/support/page/site.js';
import { homePath, MINUTE_MS, startSignInSite } from '../support/page/sign-in-site.js';

describe('A session', () => {
  test('has a new id at each sign-in, and the previous one ends', async (t) => {
    const started = await startSignInSite(t);
    const client = started.visitor();
    client.setCookie('session', 'fixed-by-an-attacker');
    await client.fillIn('/sign-in', credentials);
    const first = client.copy();
    assert.notEqual(first.cookie('session'), 'fixed-by-an-attacker');
    const path = await started.linkFor(100);
    await client.fillIn(path, {});
    assert.notEqual(client.cookie('session'), first.cookie('session'));
    assert.equal((await client.open(homePath)).status, 200);
    assert.equal((await first.open(homePath)).status, 303);
  });

  test('tells every page when it ends, and is prolonged by a request that loads no page', async (t) => {
    const started = await startSignInSite(t);
    const client = await started.signedIn(100);
    const endsIn = ({ text }: Answer) => /<html[^>]* data-session-ends-in="(\d+)"/.exec(text)?.[1];
    started.clock.advance(28 * MINUTE_MS);
    for (const path of [homePath, '/account', '/nothing', '/docs/guide'])
      assert.equal(endsIn(await client.open(path)), String(30 * MINUTE_MS), path);
    assert.equal(endsIn(await started.visitor().open('/sign-in')), undefined);

    started.clock.advance(29 * MINUTE_MS);
    const prolonged = await client.open('/session');
    assert.deepEqual([prolonged.status, prolonged.text], [204, '']);
    assert.equal(prolonged.headers.get('x-session-ends-in'), String(30 * MINUTE_MS));
    started.clock.advance(29 * MINUTE_MS);
    assert.equal((await client.open(homePath)).status, 200);
    started.clock.advance(30 * MINUTE_MS);
    const ended = await client.open('/session');
    assert.deepEqual([ended.status, ended.location], [303, '/sign-in']);
  });

  test('ends at once on signing out, also for a copied cookie, and the page says so', async (t) => {
    const started = await startSignInSite(t);
    const client = await started.signedIn(100);
    const copy = client.copy();
    const answer = await client.fillIn(homePath, {}, '/sign-out');
    assert.deepEqual([answer.status, answer.location], [303, '/sign-in']);
    assert.equal(client.cookie('session'), undefined);
    assert.match(await client.read('/sign-in'), /You are signed out/);
    assert.doesNotMatch(await client.read('/sign-in'), /You are signed out/);
    assert.equal((await copy.open(homePath)).status, 303);
  });

  test('writes only the time of its last use when pages are opened', async (t) => {
    const started = await startSignInSite(t);
    const client = await started.signedIn(100);
    const before = started.changes.length;
    for (const path of ['/', '/meetings', homePath, '/sign-in', `${homePath}?page=3`]) {
      started.clock.advance(2 * MINUTE_MS);
      await client.open(path);
      await client.open(path, { method: 'HEAD' });
    }
    const written = new Set(started.changes.slice(before));
    assert.deepEqual([...written], ['sessions.touch']);
  });

  test('is kept in a cookie that scripts cannot read, and its token is in no URL', async (t) => {
    const started = await startSignInSite(t);
    const client = started.visitor();
    const answer = await client.fillIn('/sign-in', credentials);
    const [cookie = ''] = answer.headers.getSetCookie();
    assert.match(cookie, /^\d+-session=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax$/);
    assert.equal(answer.location, '/meetings');
  });

  test('is kept in a __Host- cookie if the service is reached by HTTPS', async (t) => {
    const started = await startSignInSite(t, { publicUrl: 'https://rollcall.example.test' });
    const client = started.visitor();
    const form = await client.open('/sign-in');
    assert.match(
      form.headers.getSetCookie().join(),
      /^__Host-visitor=[\w-]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const answer = await client.send({
      path: '/sign-in',
      fields: { ...form.fields, ...credentials },
    });
    for (const [index, name] of ['session', 'email'].entries())
      assert.match(
        answer.headers.getSetCookie()[index] ?? '',
        new RegExp(`^__Host-${name}=[\\w.-]+; Path=/; HttpOnly; Secure; SameSite=Lax$`),
      );
    assert.equal((await client.open(homePath)).status, 200);
    await client.fillIn(homePath, {}, '/sign-out');
    assert.equal(client.cookie('__Host-session'), undefined);
  });
});

describe('Two services below two paths of one host', () => {
  for (const [path, name] of [
    ['/rollcall', 'rollcall'],
    ['/clinics/north', 'clinics%2Fnorth'],
  ]) {
    test(`have cookies of their own: ${path}`, async (t) => {
      const site = await startSignInSite(t, { publicUrl: `https://host.example.test${path}` });
      const cookies = (await site.visitor().open('/sign-in')).headers.getSetCookie();
      assert.match(cookies.join(), new RegExp(`^__Host-${name}-visitor=[\\w-]+; Path=/; HttpOnly; Secure;`));
    });
  }
});

describe('A session opened by a login link', () => {
  async function bound(started: PageSite): Promise<PageClient> {
    await started.load({ memberships: [{ organizationId: 2, userId: 100, role: 'owner', idpId: null }] });
    return started.signedInByLink(100);
  }

  test('is redirected to the member page of its organization', async (t) => {
    const client = await bound(await startSignInSite(t));
    assert.equal((await client.open('/')).location, '/meetings');
    assert.equal((await client.open('/meetings')).location, homePath);
  });

  test('sees that page, without links to other organizations', async (t) => {
    const page = await (await bound(await startSignInSite(t))).open(homePath);
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.text, /Other organizations|Contoso/);
  });

  test('must sign in with the password for any other organization, whether it exists or not', async (t) => {
    const client = await bound(await startSignInSite(t));
    const refusalOf = async (id: number) => {
      const { status, text } = await client.open(`/organizations/${id}/meetings`);
      assert.equal(status, 403);
      return text.replace(`%2Forganizations%2F${id}%2Fmeetings`, 'here');
    };
    const text = await refusalOf(2);
    assert.match(
      readableText(text),
      /Please sign in with your password A login link only opens your meetings with one organization\. For everything else, sign in with your email address and password/,
    );
    assert.match(text, /<a href="\/sign-in\?next=here"[^>]*>Sign in with your password</);
    assert.equal(await refusalOf(3), text);
  });

  test('returns to the page that refused it, by the link on the page that refuses', async (t) => {
    for (const path of ['/account', '/organizations/2', '/organizations/2/invitations?state=pending']) {
      const client = await bound(await startSignInSite(t));
      const refused = await client.open(path);
      const signIn = /<a href="(\/sign-in\?next=[^"]*)"/.exec(refused.text)?.[1] ?? '';
      const answer = await client.fillIn(signIn, credentials, '/sign-in');
      assert.deepEqual([refused.status, answer.status, answer.location], [403, 303, path]);
    }
  });

  test('may sign in with the password, and is then not restricted', async (t) => {
    const client = await bound(await startSignInSite(t));
    assert.equal((await client.open('/sign-in')).status, 200);
    await client.fillIn('/sign-in', credentials);
    assert.equal((await client.open('/organizations/2/meetings')).status, 200);
  });
});

describe('Two services on two ports of one host', () => {
  test('have cookies of their own: neither signs the other out', async (t) => {
    const sites = await Promise.all([startSignInSite(t), startSignInSite(t)]);
    // One browser, which sends its cookies to both.
    const jar = new Map<string, string>();
    const [first, second] = sites.map((site) => pageClient({ ...site, origin: site.url }, jar));
    assert.ok(first && second);
    for (const client of [first, second]) await client.fillIn('/sign-in', credentials);
    assert.equal((await first.open(homePath)).status, 200);
    await second.fillIn(homePath, {}, '/sign-out');
    assert.deepEqual([(await first.open(homePath)).status, (await second.open(homePath)).status], [200, 303]);
  });

  test('are told apart from services below paths, whatever the path is', async () => {
    const addresses = ['', ':3001', '/3001', ':3001/3001', '/3001/3001', ':3001/a', '/3001-a', '/a'];
    const names = ['http', 'https'].flatMap((protocol) =>
      addresses.map((rest) => {
        let name = '';
        createCookies(publicAddress(`${protocol}://host.example.test${rest}`)).set(
          {
            cookie: (set: string) => {
              name = set;
            },
          } as unknown as Response,
          { name: 'session', value: '' },
        );
        return name;
      }),
    );
    assert.equal(new Set(names).size, names.length, names.join(' '));
    assert.deepEqual([names[0], names[1], names[9]], ['session', '3001-session', '__Host-3001-session']);
  });
});
