import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { deviceName } from '#adapters/express/pages/account/device-name.js';
import { aBoundSession, anIdentity, aSignOn } from '#core/testing/new-sign-on.js';
import type { PageClient } from '#test/support/page/client.js';
import { type PageSite, password, startSiteOf } from '#test/support/page/site.js';

const PAGE = '/account/sessions';

const android = 'Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0';
const windows =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0';

/** User 100 is an owner of organization 1 (its name has markup), and user 101 a member. */
const site = (context: TestContext) =>
  startSiteOf(context, { 100: ['owner', 1], 101: ['member', 1] }, { name: '<b>Northwind' });

async function signedIn({ visitor }: PageSite, userAgent = android, id = 100): Promise<PageClient> {
  const client = visitor();
  const { form_token = '' } = await client.fieldsOf('/sign-in');
  const fields = { form_token, email: aUser(id).email, password };
  const answer = await client.send({ path: '/sign-in', fields, headers: { 'User-Agent': userAgent } });
  assert.equal(answer.status, 303);
  return client;
}

/** The actions of the forms that sign out of one session. */
async function formsOf(client: PageClient): Promise<readonly string[]> {
  const { text } = await client.open(PAGE);
  return [...text.matchAll(/action="(\/account\/sessions\/[\w-]+\/sign-out)"/g)].map(
    ([, action = '']) => action,
  );
}

const isSignedIn = async (client: PageClient, page = PAGE) => (await client.open(page)).status === 200;
const memberPage = '/organizations/1/meetings';

describe('The list of sessions', () => {
  test('is linked on the account, and says that a session is the only one', async (t) => {
    const client = await signedIn(await site(t));
    assert.match((await client.open('/account')).text, /<a href="\/account\/sessions" class="button/);
    const { status, text, words } = await client.open(PAGE);
    assert.equal(status, 200);
    assert.match(words, /This is your only session\. .* Firefox on Android This session/);
    assert.doesNotMatch(text, /sign-out-others|account\/sessions\/[\w-]+\/sign-out/);
  });

  test('shows device, time and how each session began, and no secret', async (t) => {
    const started = await site(t);
    const others = [await signedIn(started, 'curl/8.0'), await started.signedInByLink(100)];
    await started.storage.signOns.save(1, () => aSignOn());
    await started.storage.identities.link(anIdentity(100));
    await started.storage.sessions.create({
      ...aBoundSession(100, 'hash-of-a-session-that-sign-on-has-started-here'),
      createdAt: started.clock.now(),
    });
    started.clock.advance(5 * 60_000);
    const client = await signedIn(started, windows);
    const { text, words } = await client.open(PAGE);
    assert.match(words, /Edge on Windows This session Password 20 Nov 2026, 12:05 Now (?:Unknown|Login)/);
    assert.match(words, /Unknown device Password 20 Nov 2026, 12:00 20 Nov 2026, 12:00 Sign out/);
    assert.match(words, /Login link <b>Northwind 20 Nov 2026, 12:00/);
    assert.match(words, /Sign-on <b>Northwind 20 Nov 2026, 12:00/);
    assert.match(words, /Times are in UTC/);
    assert.match(text, /<th scope="col" class="action"[^>]*><span class="visually-hidden">Sign out</);
    assert.equal(
      text.match(/<td [^>]*class="action"[^>]*><\/td>/g)?.length,
      1,
      'only this session has no button',
    );
    assert.equal((await formsOf(client)).length, 3);
    const since = { createdAfter: new Date(0), seenAfter: new Date(0) };
    const stored = await started.storage.sessions.ofUser({ ...since, userId: 100, limit: 9 });
    const secrets = [client, ...others].map((one) => one.cookie('session') ?? '');
    const hidden = [...secrets, ...stored.map(({ hash }) => hash)].map(
      (secret) => secret.split('.').at(-1) ?? '',
    );
    assert.equal(hidden.length, 7);
    for (const secret of hidden) assert.ok(secret.length > 40 && !text.includes(secret.slice(0, 20)));
  });
});

describe('Signing out there', () => {
  test('ends that session at once, and is in the audit trail for a login link', async (t) => {
    const started = await site(t);
    const [client, linked] = [await signedIn(started), await started.signedInByLink(100)];
    const [there = ''] = await formsOf(client);
    const answer = await client.fillIn(PAGE, {}, there);
    assert.deepEqual([answer.status, answer.location], [303, PAGE]);
    const { words } = await client.open(PAGE);
    assert.match(words, /You are signed out there\. .*This is your only session/);
    assert.equal(await isSignedIn(linked, memberPage), false);
    assert.match(
      await client.read('/organizations/1/activity'),
      /First100 Last100 .*? Signed out of a session that a login link started First100 Last100 user-100@example\.test/,
    );
  });

  test('answers 404 to a session that has ended, is made up, or belongs to another user', async (t) => {
    const started = await site(t);
    const [client, second] = [await signedIn(started), await signedIn(started)];
    const stranger = [await signedIn(started, windows, 101), await signedIn(started, windows, 101)];
    const [foreign = ''] = await formsOf(stranger[0] ?? client);
    const [there = ''] = await formsOf(client);
    assert.equal((await client.fillIn(PAGE, {}, there)).status, 303);
    const secret = second.cookie('session') ?? '';
    for (const path of [there, foreign, `${PAGE}/x/sign-out`, `${PAGE}/${secret}/sign-out`]) {
      const answer = await client.fillIn(PAGE, {}, path);
      assert.equal(answer.status, 404, path);
      assert.match(answer.words, /This session has ended .* See your sessions/);
    }
    for (const one of stranger) assert.equal(await isSignedIn(one), true);
  });

  test('everywhere else leaves this session only, and only for this user', async (t) => {
    const started = await site(t);
    const client = await signedIn(started);
    const others = [await signedIn(started), await started.signedInByLink(100)];
    const stranger = await signedIn(started, windows, 101);
    const answer = await client.fillIn(PAGE, {}, `${PAGE}/sign-out-others`);
    assert.deepEqual([answer.status, answer.location], [303, PAGE]);
    const { words } = await client.open(PAGE);
    assert.match(words, /You are signed out everywhere else\. .*This is your only session/);
    for (const other of others) assert.equal(await isSignedIn(other, memberPage), false);
    assert.equal(await isSignedIn(stranger), true);
  });
});

test('The name of a device has no version and nothing of the header', () => {
  const names: Readonly<Record<string, string | undefined>> = {
    [android]: 'Firefox on Android',
    [windows]: 'Edge on Windows',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15':
      'Safari on macOS',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 26_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1':
      'Safari on iPhone',
    'Mozilla/5.0 (iPad; CPU OS 26_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile/15E148 Safari/604.1':
      'Chrome on iPad',
    'Mozilla/5.0 (Linux; Android 16; SM-S931B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0 Mobile Safari/537.36':
      'Samsung Internet on Android',
    'Mozilla/5.0 (X11; CrOS x86_64 16400) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36':
      'Chrome on ChromeOS',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36 OPR/124.0':
      'Opera on Linux',
    'Mozilla/5.0 (Plan9) Gecko/20100101 Firefox/145.0': 'Firefox',
    'curl/8.0': undefined,
    '<script>alert(1)</script> on Windows': undefined,
    '': undefined,
  };
  for (const [userAgent, name] of Object.entries(names)) assert.equal(deviceName(userAgent), name, userAgent);
});
