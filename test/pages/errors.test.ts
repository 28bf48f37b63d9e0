import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { Unavailable } from '@rollcall/core';
import { type Answer, formFields } from '#test/support/page/client.js';
import { credentials, type PageSite, type StartPageSite, startSiteOf } from '#test/support/page/site.js';

const site = (context: TestContext, options?: StartPageSite) =>
  startSiteOf(context, { 100: ['member', 1] }, options);

/** One answer of each kind that pages give. */
async function everyAnswer(started: PageSite): Promise<Readonly<Record<string, Answer>>> {
  const { visitor, invite, linkFor } = started;
  const member = visitor();
  const signedIn = await member.fillIn('/sign-in', credentials);
  const link = await linkFor(100);
  return {
    home: await visitor().open('/'),
    signIn: await visitor().open('/sign-in'),
    signInRefused: await visitor().fillIn('/sign-in', { email: 'x', password: 'x' }),
    signedIn,
    meetings: await member.open('/organizations/1/meetings'),
    organizations: await member.open('/meetings'),
    invitation: await visitor().open(await invite()),
    invitationUnknown: await visitor().open('/invitations/x'),
    loginLink: await visitor().open(link),
    loginLinkHead: await visitor().open(link, { method: 'HEAD' }),
    redeemed: await visitor().fillIn(link, {}),
    loginLinkUsed: await visitor().open(link),
    forged: await visitor().send({ path: '/sign-out', fields: {} }),
    unknown: await visitor().open('/no/such/page'),
    undecodable: await visitor().open('/invitations/%E0%A4%A'),
    method: await visitor().open('/sign-in', { method: 'DELETE' }),
    signedOut: await member.fillIn('/organizations/1/meetings', {}, '/sign-out'),
  };
}

describe('Every answer of the pages', () => {
  test('has no inline script, style or handler, one h1, a title with the brand, and a skip link', async (t) => {
    for (const [name, { text, status }] of Object.entries(await everyAnswer(await site(t)))) {
      if (status === 303 || text === '') continue;
      assert.doesNotMatch(
        text,
        /<script(?! type="module" src="\/assets\/rollcall\.js)|<style| style=| on\w+=|javascript:/i,
        name,
      );
      assert.equal(text.match(/<h1/g)?.length, 1, name);
      assert.match(text, /<title>[^<]+ · Acme Care<\/title>/, name);
      assert.match(text, /<html lang="en"( data-time-zone="UTC")?( data-session-ends-in="\d+")?>/, name);
      assert.match(text, /<a class="skip-link" href="#main">.*<main id="main"/, name);
    }
  });
});

const signIn = ['/sign-in', 'Sign in with your password'];

/** The links of an error page that look like buttons: kind, address and text. */
function stepsOn({ text }: Answer): readonly (readonly string[])[] {
  return [...text.matchAll(/<a href(?:="([^"]*)")? class="button (\w+)">([^<]*)<\/a>/g)].map(
    ([, path = '', kind = '', step = '']) => [kind, path, step],
  );
}

describe('The error pages', () => {
  test('show the id of the request', async (t) => {
    const answers = await everyAnswer(await site(t));
    const errors = Object.entries(answers).filter(([, { status }]) => status >= 400 && status !== 422);
    assert.deepEqual(
      errors.map(([name, { status }]) => `${name} ${status}`),
      [
        'invitationUnknown 404',
        'loginLinkUsed 410',
        'forged 403',
        'unknown 404',
        'undecodable 404',
        'method 405',
      ],
    );
    for (const [name, { text }] of errors) assert.match(text, /Request ID <code>request-4711</, name);
  });

  test('have the API’s code for their status in a header', async (t) => {
    const answers = await everyAnswer(await site(t));
    const codes = Object.entries(answers).map(([name, { headers }]) => [name, headers.get('x-error-code')]);
    assert.deepEqual(Object.fromEntries(codes.filter(([, code]) => code !== null)), {
      signInRefused: 'invalid-request',
      invitationUnknown: 'unknown-path',
      loginLinkUsed: 'invalid-request',
      forged: 'not-authorized',
      unknown: 'unknown-path',
      undecodable: 'unknown-path',
      method: 'method-not-allowed',
    });
  });

  test('list the allowed methods', async (t) => {
    const { visitor } = await site(t);
    const allowed = async (path: string, method: string) =>
      (await visitor().open(path, { method })).headers.get('allow');
    assert.equal(await allowed('/sign-in', 'DELETE'), 'GET, HEAD, POST');
    assert.equal(await allowed('/sign-out', 'GET'), 'POST');
    assert.equal(await allowed('/meetings', 'POST'), 'GET, HEAD');
    assert.equal(await allowed('/login/token', 'PUT'), 'GET, HEAD, POST');
  });

  test('reveal nothing about a bug, which is reported with the request and without any token', async (t) => {
    const started = await site(t);
    const path = await started.linkFor(100);
    const error = new Error('SELECT password_hash FROM users');
    started.break(error);
    const page = await started.visitor().open(path);
    assert.equal(page.status, 500);
    assert.equal(page.headers.get('x-error-code'), 'internal-error');
    assert.match(page.words, /Something went wrong .* Request ID request-4711/);
    assert.doesNotMatch(page.text, /SELECT|node_modules|at \w/);
    assert.deepEqual(started.reports, [
      { error, context: { severity: 'error', operation: 'GET /login/:token', requestId: 'request-4711' } },
    ]);
  });

  test('say 503 and when to try again while the database is unavailable', async (t) => {
    const started = await site(t);
    started.break(new Unavailable('the database is away', { retryAfter: 7 }));
    const page = await started.visitor().open('/invitations/x');
    assert.equal(page.status, 404, 'a request that needs no database is answered');
    const link = await started.visitor().open(`/login/${'0'.repeat(8)}.${'A'.repeat(43)}`);
    assert.equal(link.status, 404);
    const signIn = await started.visitor().fillIn('/sign-in', credentials);
    assert.equal(signIn.status, 503);
    assert.equal(signIn.headers.get('retry-after'), '7');
    assert.equal(signIn.headers.get('x-error-code'), 'unavailable');
    assert.match(signIn.words, /We can’t answer right now/);
    assert.equal(started.reports[0]?.context.severity, 'info');
  });

  test('about links lead a reader who is signed in to their meetings, and others to signing in', async (t) => {
    const started = await site(t);
    const { visitor, invite, linkFor } = started;
    const used = await linkFor(100);
    const byLink = visitor();
    await byLink.fillIn(used, {});
    const accepted = await invite();
    assert.equal((await visitor().fillIn(accepted, { password: credentials.password })).status, 303);
    const byPassword = visitor();
    await byPassword.fillIn('/sign-in', credentials);

    const meetings = ['primary', '/organizations/1/meetings', 'Go to my meetings'];
    for (const path of [used, '/login/x', accepted]) {
      assert.deepEqual(stepsOn(await visitor().open(path)), [['primary', ...signIn]], path);
      for (const client of [byPassword, byLink]) {
        const answer = await client.open(path);
        const others = client === byLink ? [['secondary', ...signIn]] : [];
        assert.deepEqual(stepsOn(answer), [meetings, ...others], path);
        assert.match(answer.words, /You are signed in as First100 Last100 \./);
        assert.doesNotMatch(answer.words, /sign in to see/);
      }
    }
    const account = await byLink.open('/account');
    const next = ['/sign-in?next=%2Faccount', 'Sign in with your password'];
    const [, ...toMeetings] = meetings;
    assert.deepEqual(stepsOn(account), [
      ['primary', ...next],
      ['secondary', ...toMeetings],
    ]);
  });

  test('lead to the list of organizations if the reader has several', async (t) => {
    const started = await site(t);
    await started.addUser({ id: 101, organizations: [1, 2] });
    const client = await started.signedIn(101);
    assert.deepEqual(stepsOn(await client.open('/login/x')), [['primary', '/meetings', 'Go to my meetings']]);
  });

  test('lead back to the page of a form that has expired or was sent too often', async (t) => {
    const started = await site(t);
    const client = await started.signedIn(100);
    const expired = await client.send({ path: '/account', fields: {} });
    assert.deepEqual(stepsOn(expired), [['primary', '/account', 'Open the page again']]);
    const unlinked = await client.send({ path: '/account/sessions/sign-out-others', fields: {} });
    assert.deepEqual(stepsOn(unlinked), [['primary', '/', 'Go to the start page']]);
    let answer = expired;
    for (let times = 0; times < 11; times += 1)
      answer = await started.visitor().fillIn('/sign-in', { ...credentials, password: 'wrong' });
    assert.equal(answer.status, 429);
    assert.deepEqual(stepsOn(answer), [['primary', '/sign-in', 'Go back']]);
  });

  test('offer to open the page again when that may help, without the secret in its address, but not to send a form again', async (t) => {
    const started = await site(t);
    const secret = (await started.linkFor(100)).slice('/login/'.length);
    const client = started.visitor();
    const { text } = await client.open('/sign-in');
    await client.fillIn('/sign-in', credentials);
    for (const error of [new Unavailable('the database is away', { retryAfter: 7 }), new Error('a bug')]) {
      started.break(error);
      const answer = await client.open('/meetings?page=2');
      assert.ok(answer.status >= 500);
      assert.deepEqual(stepsOn(answer), [['primary', '', 'Try again']]);
    }
    const { text: unread } = await client.open(`/login/${secret}`);
    assert.ok(unread.includes('Try again') && !unread.includes(secret));
    const sent = await client.send({ path: '/sign-in', fields: { ...formFields(text), ...credentials } });
    assert.deepEqual(
      stepsOn(sent).filter(([, , step]) => step === 'Try again'),
      [],
    );
  });

  test('are pages for people only: requests of programs go to the next handler', async (t) => {
    const { visitor } = await site(t);
    const programRequests = [
      ['/no/such/page', 'application/json'],
      ['/no/such/page', '*/*'],
      ['/sign-in', 'application/json'],
      ['/meetings', 'application/json'],
      ['/login/x', 'application/json'],
    ] as const;
    for (const [path, Accept] of programRequests) {
      const answer = await visitor().open(path, { headers: { Accept } });
      assert.equal(answer.status, 404, path);
      assert.equal(answer.text, '{"error":"Not Found"}', path);
    }
    assert.equal((await visitor().open('/sign-in', { headers: { Accept: '*/*' } })).status, 200);
  });
});

describe('The files that pages load', () => {
  test('come from our site, cached forever under their version and revalidated otherwise', async (t) => {
    const { visitor } = await site(t);
    const page = await visitor().open('/sign-in');
    const links = [...page.text.matchAll(/ (?:href|src)="(\/assets\/[^"]+)"/g)].map(([, link = '']) => link);
    assert.equal(new Set(links).size, 4);
    for (const link of links) {
      const file = await visitor().open(link);
      assert.equal(file.status, 200, link);
      assert.equal(file.headers.get('cache-control'), 'public, max-age=31536000, immutable', link);
      if (link.includes('.css')) assert.doesNotMatch(file.text, /url\((?!"\w+\.svg")/, link);
      const [path = ''] = link.split('?');
      for (const other of [path, `${path}?v=other`]) {
        const unversioned = await visitor().open(other);
        assert.equal(unversioned.headers.get('cache-control'), 'public, max-age=86400', other);
        const etag = unversioned.headers.get('etag') ?? '';
        const headers = { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' };
        assert.equal((await visitor().open(other, { headers })).status, 304, other);
      }
    }
  });

  test('are compressed on request, with a separate ETag', async (t) => {
    const { visitor } = await site(t);
    const path = '/assets/rollcall.css';
    const open = (encoding: string, tag = '') =>
      visitor().open(path, {
        headers: { 'Accept-Encoding': encoding, 'If-None-Match': tag, 'Cache-Control': 'max-age=0' },
      });
    const [plain, compressed] = [await open('identity'), await open('gzip')];
    assert.equal(plain.headers.get('content-encoding'), null);
    assert.equal(compressed.headers.get('content-encoding'), 'gzip');
    assert.ok(plain.text.length > 10_000);
    assert.equal(compressed.text, plain.text);
    assert.ok(Number(compressed.headers.get('content-length')) < 0.4 * plain.text.length);
    for (const name of ['content-type', 'cache-control', 'vary'])
      assert.equal(compressed.headers.get(name), plain.headers.get(name), name);
    const tagOf = (answer: typeof plain): string => answer.headers.get('etag') ?? '';
    assert.equal((await open('gzip', tagOf(compressed))).status, 304);
    assert.equal((await open('gzip', tagOf(plain))).status, 200);
  });

  test('include the default avatar, which other sites may show', async (t) => {
    const file = await (await site(t)).visitor().open('/assets/default-avatar.svg');
    assert.equal(file.status, 200);
    assert.match(file.headers.get('content-type') ?? '', /^image\/svg\+xml/);
    assert.equal(file.headers.get('cross-origin-resource-policy'), 'cross-origin');
  });

  test('include nothing else', async (t) => {
    const { visitor } = await site(t);
    for (const path of ['/assets/x', '/assets/..%2f..%2fpackage.json', '/assets/__proto__', '/assets/']) {
      assert.equal((await visitor().open(path)).status, 404, path);
    }
  });
});
