import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type Bends, startBendableProvider } from '#test/support/bendable-provider.js';
import { readableText } from '#test/support/page/client.js';
import { redirectedBrowser, startProviderSite } from '#test/support/page/provider-site.js';
import { wayIn } from '#test/support/page/sign-on-site.js';
import { startWholeProvider } from '#test/support/whole-provider.js';

async function startWithWholeProvider(t: TestContext) {
  const site = await startProviderSite(t);
  const provider = await startWholeProvider([site.callback]);
  t.after(() => provider.stop());
  await site.useProvider(provider.issuer);
  return site;
}

describe('With a provider as others run it', () => {
  test('a person signs in, and is asked for nothing the next time', async (t) => {
    const site = await startWithWholeProvider(t);
    const browser = redirectedBrowser();
    const first = await browser.go(`${site.url}${wayIn}/start?login_hint=ana`);
    assert.deepEqual([first.url, first.status], [`${site.url}/organizations/1/meetings`, 200]);
    assert.match(readableText(first.text), /Signed in as First102 Last102/);
    const again = await browser.go(`${site.url}${wayIn}/start`);
    assert.equal(again.url, `${site.url}/organizations/1/meetings`);
    const identity = await site.storage.identities.of({ organizationId: 1, userId: 102 });
    assert.equal(identity?.subject, 'ana');
    assert.deepEqual(site.reports, []);
  });

  test('a person whose address is only at userinfo becomes a member where everyone is admitted', async (t) => {
    const site = await startWithWholeProvider(t);
    const issuer = (await site.core.readSignOn({ organization: { id: 1 } }))?.issuer ?? '';
    await site.useProvider(issuer, { admits: 'anyone' });
    const { url } = await redirectedBrowser().go(`${site.url}${wayIn}/start?login_hint=new`);
    assert.equal(url, `${site.url}/organizations/1/meetings`);
    const { items } = await site.core.listUsers({ organization: { id: 1 }, idpId: 'new' });
    assert.equal(items[0]?.user.email, 'new@north.example');
  });

  test('a wrong client secret is not the fault of the person', async (t) => {
    const site = await startWithWholeProvider(t);
    const issuer = (await site.core.readSignOn({ organization: { id: 1 } }))?.issuer ?? '';
    await site.useProvider(issuer, { clientSecret: 'wrong' });
    const { status, text } = await redirectedBrowser().go(`${site.url}${wayIn}/start?login_hint=ana`);
    assert.equal(status, 502);
    assert.match(readableText(text), /Ask an owner of the organization to try sign-on/);
  });
});

async function startWithBendable(t: TestContext) {
  const site = await startProviderSite(t);
  const provider = await startBendableProvider();
  t.after(() => provider.stop());
  await site.useProvider(provider.issuer);
  const visitor = site.visitor();
  /** Up to the page after the callback. */
  const signOn = async (bends: Bends = {}, change = (query: URLSearchParams) => query) => {
    Object.assign(provider.bends, bends);
    const begun = await visitor.open(`${wayIn}/start`);
    if (begun.status !== 303) return begun;
    return visitor.open(`${wayIn}/callback?${change(provider.signIn(begun.location ?? ''))}`);
  };
  return { site, provider, visitor, signOn };
}

describe('With a provider that can be bent', () => {
  const edited = (name: string, value: string) => (query: URLSearchParams) => {
    query.set(name, value);
    return query;
  };
  const invalid = [502, /gave a wrong answer/, null] as const;
  const away = [503, /does not answer/, '30'] as const;
  const ended = [410, /Please start again/, null] as const;
  const cases: Readonly<
    Record<
      string,
      readonly [
        Bends,
        readonly [number, RegExp, string | null],
        ((query: URLSearchParams) => URLSearchParams)?,
      ]
    >
  > = {
    'another key': [{ header: (right) => ({ ...right, kid: 'unknown' }) }, invalid],
    'another issuer in the token': [
      { claims: (right) => ({ ...right, iss: 'https://evil.example' }) },
      invalid,
    ],
    'another audience': [{ claims: (right) => ({ ...right, aud: 'other' }) }, invalid],
    'another nonce': [{ claims: (right) => ({ ...right, nonce: 'other' }) }, invalid],
    'an old token': [{ claims: (right) => ({ ...right, exp: 1, iat: 1 }) }, invalid],
    'no subject': [{ claims: (right) => ({ ...right, sub: '' }) }, invalid],
    'another person at userinfo': [{ userinfo: (right) => ({ ...right, sub: 'bo' }) }, invalid],
    'another issuer of the answer': [{}, invalid, edited('iss', 'https://evil.example')],
    'another state': [{}, ended, edited('state', 'other')],
    'a lie about its issuer': [
      { metadata: (right) => ({ ...right, issuer: 'https://evil.example' }) },
      invalid,
    ],
    nonsense: [{ metadata: () => ['nonsense'] }, invalid],
    'an endless answer': [{ metadata: (right) => ({ ...right, more: 'x'.repeat(200_000) }) }, invalid],
    'a redirect': [
      {
        answer: (_path, response) => {
          response.writeHead(302, { location: 'https://evil.example/' }).end();
          return true;
        },
      },
      invalid,
    ],
    'a server error': [
      {
        answer: (_path, response) => {
          response.writeHead(500).end();
          return true;
        },
      },
      away,
    ],
  };
  for (const [name, [bends, [status, shows, retryAfter], change]] of Object.entries(cases))
    test(`${name} ends at a page that says whose fault it is, and nothing is stored`, async (t) => {
      const { site, visitor, signOn } = await startWithBendable(t);
      const answer = await signOn(bends, change);
      assert.equal(answer.status, status, answer.words);
      assert.match(answer.words, shows);
      assert.match(answer.words, /Request ID request-4711/);
      assert.equal(answer.headers.get('retry-after'), retryAfter);
      assert.equal(visitor.cookie('session'), undefined);
      assert.equal(await site.storage.identities.of({ organizationId: 1, userId: 102 }), null);
    });

  test('nothing bent, the person signs in, also right after its key has changed, until it says that they signed out', async (t) => {
    const { site, provider, visitor, signOn } = await startWithBendable(t);
    assert.equal((await signOn()).location, '/meetings');
    site.clock.advance(10_000);
    await provider.rotate();
    assert.equal((await signOn()).location, '/meetings');
    assert.equal((await visitor.open('/organizations/1/meetings')).status, 200);
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: provider.issuer, aud: 'rollcall', iat: now, exp: now + 60, jti: '1', sub: 'ana' };
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const send = async (changes: object) =>
      site.visitor().send({
        path: `${wayIn}/backchannel_logout`,
        fields: {
          logout_token: await provider.sign({ ...claims, events, ...changes }, { typ: 'logout+jwt' }),
        },
        headers: { Origin: undefined, 'Sec-Fetch-Site': undefined },
      });
    assert.equal((await send({ aud: 'other' })).status, 400);
    assert.equal((await visitor.open('/organizations/1/meetings')).status, 200);
    assert.equal((await send({})).status, 200);
    assert.equal((await visitor.open('/organizations/1/meetings')).status, 303);
  });

  test('of a provider whose server is gone, the page says so', async (t) => {
    const { site, provider, signOn } = await startWithBendable(t);
    await provider.stop();
    const answer = await signOn();
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('retry-after'), '30');
    assert.deepEqual(site.reports, []);
  });
});
