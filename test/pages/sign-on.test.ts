import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ProviderFailure, Secret } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { answerTo, aPerson, issuer } from '#test/support/core/scripted-provider.js';
import { type Answer, follow, formFields, type PageClient } from '#test/support/page/client.js';
import { withApp } from '#test/support/page/second-factor-site.js';
import { startSignOnSite, users, wayIn } from '#test/support/page/sign-on-site.js';
import { password } from '#test/support/page/site.js';

const meetings = '/organizations/1/meetings';

async function opens(client: PageClient, path: string): Promise<number> {
  return (await client.open(path)).status;
}

/** An error page has an id to find the log by, and starts no session. */
function assertError(answer: Answer, status: number, shows: RegExp, client: PageClient): void {
  assert.equal(answer.status, status, answer.words);
  assert.match(answer.words, shows);
  assert.match(answer.words, /Request ID request-4711/);
  assert.equal(client.cookie('session'), undefined);
}

describe('The page to sign in at an organization', () => {
  test('names the host and no organization, and leads on by a link', async (t) => {
    const site = await startSignOnSite(t);
    const page = await site.visitor().open(wayIn);
    assert.match(page.words, /You sign in at idp\.example , and come back here\. .* Continue Use a password/);
    assert.doesNotMatch(page.text, /Organization 1/);
    assert.match(page.text, new RegExp(`<a [^>]*href="${wayIn}/start"`));
    assert.equal(page.headers.get('cache-control'), 'no-store');
    assert.doesNotMatch(page.text, /<form method="post"[^>]*start/);
  });

  test('is the same for an unknown organization, for one without sign-on, and for another issuer', async (t) => {
    const site = await startSignOnSite(t);
    const pages = await Promise.all(
      ['/sign-in/organizations/2', '/sign-in/organizations/999', `${wayIn}?iss=https://other.example`].map(
        (path) => site.visitor().open(path),
      ),
    );
    const texts = pages.map(({ status, text }) => [
      status,
      text.replaceAll(/organizations(\/|%2F)\d+/g, 'organizations$1N').replaceAll(/ value="[^"]*"/g, ''),
    ]);
    assert.deepEqual(texts[0], texts[1]);
    assert.deepEqual(texts[0], texts[2]);
    assert.equal(pages[0]?.status, 404);
    for (const end of ['start', 'callback?code=1'])
      assert.equal(
        (await site.visitor().open(`/sign-in/organizations/2/${end}`)).status,
        end === 'start' ? 404 : 410,
      );
    await site.core.switchSignOn({ organization: { id: 1 }, to: 'off' });
    assert.equal((await site.visitor().open(wayIn)).status, 404);
    assert.equal((await site.visitor().open(`${wayIn}/start`)).status, 404);
  });

  test('takes what a provider sends: its issuer, a hint, and a page of ours only', async (t) => {
    const site = await startSignOnSite(t);
    const startOf = async (query: Readonly<Record<string, string>>) => {
      const { text } = await site.visitor().open(`${wayIn}?${new URLSearchParams(query)}`);
      return (/ href="([^"]*\/start[^"]*)"/.exec(text)?.[1] ?? assert.fail(text)).replaceAll('&amp;', '&');
    };
    const target_link_uri = `${site.url}${meetings}`;
    const start = await startOf({ iss: issuer, login_hint: 'ana@north.example', target_link_uri });
    assert.equal(
      start,
      `${wayIn}/start?${new URLSearchParams({ next: meetings, login_hint: 'ana@north.example' })}`,
    );
    for (const foreign of [
      'https://evil.example/organizations/1',
      '//evil.example',
      '/sign-out',
      'javascript:1',
    ])
      assert.equal(await startOf({ target_link_uri: foreign }), `${wayIn}/start`, foreign);
    await site.link('member', 'ana');
    const client = site.visitor();
    assert.equal((await site.signOnAs(client, aPerson('ana'), start)).location, meetings);
    assert.equal(site.asked.find(({ loginHint }) => loginHint !== undefined)?.loginHint, 'ana@north.example');
    const evil = await site.signOnAs(client, aPerson('ana'), `${wayIn}/start?next=//evil.example`);
    assert.equal(evil.location, '/meetings');
  });

  test('is where another site can lead, and no further', async (t) => {
    const site = await startSignOnSite(t);
    const owner = await site.withPassword('owner');
    for (const from of ['cross-site', 'same-site']) {
      const headers = { 'Sec-Fetch-Site': from };
      const answer = await owner.open(`${wayIn}/start?login_hint=ada&next=${encodeURIComponent(meetings)}`, {
        headers,
      });
      assert.deepEqual(
        [answer.status, answer.location],
        [303, `${wayIn}?next=${encodeURIComponent(meetings)}&login_hint=ada`],
      );
      assert.equal(owner.cookie('sign-on'), undefined);
      const trial = await owner.open('/organizations/1/sign-on/try', { headers });
      assert.deepEqual([trial.location, owner.cookie('sign-on')], ['/organizations/1/sign-on', undefined]);
    }
    const headers = { 'Sec-Fetch-Site': 'same-origin' };
    assert.match((await owner.open(`${wayIn}/start`, { headers })).location ?? '', /^https:\/\/idp\.example/);
  });

  test('warns those who are signed in with a password', async (t) => {
    const site = await startSignOnSite(t);
    assert.match(await (await site.withPassword('member')).read(wayIn), /signs you out here/);
  });

  test('is offered on the sign-in page to those who used it last, until it is off', async (t) => {
    const site = await startSignOnSite(t);
    const client = site.visitor();
    assert.doesNotMatch(await client.read('/sign-in'), /Sign in at your organization/);
    await site.link('member', 'ana');
    await site.signOnAs(client, aPerson('ana'));
    await client.fillIn(meetings, {}, '/sign-out');
    const page = await client.open('/sign-in');
    assert.match(page.text, new RegExp(`<a [^>]*href="${wayIn}"[^>]*>Sign in at your organization</a>`));
    await site.core.switchSignOn({ organization: { id: 1 }, to: 'off' });
    await client.open(wayIn);
    assert.doesNotMatch(await client.read('/sign-in'), /Sign in at your organization/);
  });
});

describe('A sign-on', () => {
  test('starts a session with the full role, in this organization only, without an account', async (t) => {
    const site = await startSignOnSite(t);
    await site.link('admin', 'bo');
    const client = site.visitor();
    const first = await site.signOnAs(client, aPerson('bo'));
    assert.deepEqual([first.status, first.location], [303, '/meetings']);
    const second = await follow(client, first);
    assert.equal(second.location, '/organizations/1');
    const home = await follow(client, second);
    assert.match(home.words, /Home My meetings Meetings Webhooks People/);
    assert.match(home.words, /Signed in as First101 Last101 API guide /);
    assert.match(home.text, /data-session-started-by="sign-on"/);
    assert.deepEqual(
      await Promise.all(
        ['/organizations/1/people', '/organizations/1/settings'].map((path) => opens(client, path)),
      ),
      [200, 404],
    );
    const account = await client.open('/account');
    assert.equal(account.status, 403);
    assert.match(account.words, /You signed in at your organization, which opens its pages only/);
    const session = client.cookie('session') ?? '';
    assert.equal((await site.core.resumeSession({ session }))?.startedBy, 'sign-on');
    assert.equal(client.cookie('sign-on'), undefined);
  });

  test('opens no other organization of the person, and ends after 12 hours', async (t) => {
    const site = await startSignOnSite(t);
    const client = site.visitor();
    await site.signOnAs(client, aPerson('idp-102'));
    assert.equal((await site.linked('member'))?.subject, 'idp-102');
    assert.deepEqual(
      await Promise.all(
        ['/organizations/2', '/organizations/2/people', meetings].map((path) => opens(client, path)),
      ),
      [403, 403, 200],
    );
    assert.equal((await client.open('/meetings')).location, meetings);
    assert.doesNotMatch(await client.read(meetings), /Organization 2/);
    assert.doesNotMatch(await client.read('/docs/guide/people'), /Organization 2/);
    for (let minutes = 0; minutes < 12 * 60 - 20; minutes += 20) {
      site.clock.advance(20 * 60_000);
      assert.equal(await opens(client, meetings), 200);
    }
    site.clock.advance(20 * 60_000);
    assert.equal(await opens(client, meetings), 303);
  });

  test('keeps nothing that the browser or the address could show', async (t) => {
    const site = await startSignOnSite(t);
    const client = site.visitor();
    const begun = await client.open(`${wayIn}/start`);
    const { searchParams } = new URL(begun.location ?? '');
    const cookie = client.cookie('sign-on') ?? '';
    const header = begun.headers.getSetCookie().find((one) => one.includes('sign-on=')) ?? '';
    assert.match(header, /; Max-Age=600; .*; HttpOnly; SameSite=Lax/);
    for (const name of ['state', 'nonce', 'verifier']) {
      const secret = searchParams.get(name) ?? assert.fail();
      assert.ok(
        !Buffer.from(cookie, 'base64url').toString('latin1').includes(secret) && !cookie.includes(secret),
      );
    }
    await site.link('member', 'ana');
    const { location } = await site.signOnAs(client, aPerson('ana'));
    assert.equal(location, '/meetings');
  });

  test('ends once, within ten minutes, in the browser and the organization that began it', async (t) => {
    const site = await startSignOnSite(t);
    await site.core.saveSignOn({
      organization: { id: 2 },
      signOn: { ...(await site.core.readSignOn({ organization: { id: 1 } })), clientSecret: 'x' } as never,
    });
    await site.core.switchSignOn({ organization: { id: 2 }, to: 'on' });
    await site.link('member', 'ana');
    site.script.person = aPerson('ana');
    const begin = async (client: PageClient) => {
      const { location } = await client.open(`${wayIn}/start`);
      return answerTo({ state: new URL(location ?? '').searchParams.get('state') ?? '' });
    };
    const ended = /Please start again .* Sign in at your organization Sign in with your password/;
    const client = site.visitor();
    const answer = await begin(client);
    const [other, wrong] = [site.visitor(), client.copy()];
    assertError(await other.open(`${wayIn}/callback?${answer}`), 410, ended, other);
    assertError(await wrong.open(`/sign-in/organizations/2/callback?${answer}`), 410, ended, wrong);
    assertError(await wrong.open(`${wayIn}/callback?code=1&state=wrong`), 410, ended, wrong);
    const again = client.copy();
    assert.equal((await client.open(`${wayIn}/callback?${answer}`)).status, 303);
    assertError(await again.open(`${wayIn}/callback?${answer}`), 410, ended, again);
    const late = site.visitor();
    const lateAnswer = await begin(late);
    site.clock.advance(10 * 60_000);
    assertError(await late.open(`${wayIn}/callback?${lateAnswer}`), 410, ended, late);
  });

  test('makes a member and one event where everyone is admitted, who comes in with a password only as an owner', async (t) => {
    const site = await startSignOnSite(t, { admits: 'anyone' });
    const client = site.visitor();
    const person = aPerson('new', { email: 'ana@north.example', given_name: 'Ana', family_name: 'Lopez' });
    assert.equal((await site.signOnAs(client, person)).status, 303);
    assert.equal(await opens(client, meetings), 200);
    const { items } = await site.core.listUsers({ organization: { id: 1 }, idpId: 'new' });
    assert.equal(items[0]?.user.email, 'ana@north.example');
    await site.core.setPassword({ email: 'ana@north.example', password: new Secret(password) });
    const other = site.visitor();
    await other.fillIn('/sign-in', { email: 'ana@north.example', password });
    assert.equal(await opens(other, '/account'), 200);
    const refused = await other.open(meetings);
    assert.equal(refused.status, 403);
    assert.match(refused.words, /Please sign in at your organization/);
    // Also when sign-on is gone: nobody is locked out of what they own.
    await site.storage.members.changeRole({
      organizationId: 1,
      userId: items[0]?.user.id ?? 0,
      role: 'owner',
    });
    await site.core.removeSignOn({ organization: { id: 1 } });
    assert.equal(await opens(other, meetings), 200);
  });

  test('that has ended gives back what was typed, after signing in again in another tab', async (t) => {
    const site = await startSignOnSite(t);
    await site.link('admin', 'bo');
    const client = site.visitor();
    await site.signOnAs(client, aPerson('bo'));
    const path = '/organizations/1/invitations/new';
    const { text } = await client.open(path);
    site.clock.advance(30 * 60_000);
    const typed = { email: 'dana@example.test', first_name: 'Dana', last_name: 'Kim' };
    const ended = await client.send({ path, fields: { ...formFields(text), ...typed } });
    assert.equal(ended.status, 403);
    assert.match(ended.words, /We kept what you typed.* sign in at your organization in a new tab/);
    const { kept_form = '', form_token = '' } = ended.fields;
    const fields = { kept_form, form_token, resumes: '1' };
    const early = await client.send({ path: '/sign-in', fields });
    assert.equal(early.status, 422);
    assert.equal(early.fields.kept_form, kept_form);
    const stranger = client.copy();
    await site.signOnAs(client, aPerson('bo'));
    const resumed = await client.send({ path: '/sign-in', fields });
    assert.deepEqual([resumed.status, resumed.location], [307, path]);
    const again = await client.send({ path, fields });
    assert.match(again.words, /Nothing was sent yet\. We kept what you typed/);
    assert.equal(again.fields.email, typed.email);
    assert.equal((await site.core.listInvitations({ organization: { id: 1 } })).totalItems, 0);
    await site.signOnAs(stranger, aPerson('idp-102'));
    assert.notEqual((await stranger.send({ path: '/sign-in', fields })).status, 307);
  });

  test('replaces the session of the browser', async (t) => {
    const site = await startSignOnSite(t);
    const client = await site.withPassword('owner');
    const before = client.cookie('session') ?? '';
    await site.link('member', 'ana');
    await site.signOnAs(client, aPerson('ana'));
    assert.equal(await site.core.resumeSession({ session: before }), null);
    assert.equal(await opens(client, meetings), 200);
  });
});

describe('Where sign-on is required', () => {
  test('a password opens the organization for owners only, and the page leads to signing on and back', async (t) => {
    const site = await startSignOnSite(t);
    const organization = { id: 1 };
    const owner = await site.withPassword('owner');
    const admin = await site.withPassword('admin');
    const member = await site.withPassword('member');
    const linked = await site.signedInByLink(users.member);
    await site.storage.signOns.save(1, (current) => ({ ...(current ?? assert.fail()), isRequired: true }));
    assert.equal((await site.core.readSignOn({ organization }))?.isRequired, true);
    assert.equal(await opens(owner, '/organizations/1/settings'), 200);
    assert.equal(await opens(linked, meetings), 200);
    assert.equal(await opens(member, '/organizations/2'), 200);
    assert.equal(await opens(member, meetings), 403);
    const refused = await admin.open('/organizations/1/people?sort=name');
    assert.equal(refused.status, 403);
    const [, link = ''] = /href="([^"]*)"[^>]*>Sign in at your organization/.exec(refused.text) ?? [];
    assert.equal(link, `${wayIn}?next=${encodeURIComponent('/organizations/1/people?sort=name')}`);
    const page = await admin.open(link);
    const [, start = ''] = / href="([^"]*\/start[^"]*)"/.exec(page.text) ?? [];
    await site.link('admin', 'bo');
    const done = await site.signOnAs(admin, aPerson('bo'), start);
    assert.equal(done.location, '/organizations/1/people?sort=name');
    assert.equal((await follow(admin, done)).status, 200);
  });

  test('the guide and the reference show a password session nothing of the organization', async (t) => {
    const site = await startSignOnSite(t);
    const admin = await site.withPassword('admin');
    assert.match((await admin.open('/docs/users')).text, /idp-102/);
    await site.storage.signOns.save(1, (current) => ({ ...(current ?? assert.fail()), isRequired: true }));
    assert.doesNotMatch((await admin.open('/docs/users')).text, /idp-102/);
  });
});

describe('Someone with a role, or known by the address only,', () => {
  const owner = aPerson('x', { email: aUser(users.owner).email });

  test('confirms once by the password, and then comes in without it', async (t) => {
    const site = await startSignOnSite(t);
    const client = site.visitor();
    const asked = await site.signOnAs(
      client,
      owner,
      `${wayIn}/start?next=${encodeURIComponent('/organizations/1/settings')}`,
    );
    assert.deepEqual(
      [asked.status, asked.location, client.cookie('session')],
      [303, `${wayIn}/confirm`, undefined],
    );
    const page = await follow(client, asked);
    assert.match(page.words, /Confirm that this is you .* Email address Password This is me/);
    assert.ok(page.text.includes(aUser(users.owner).email));
    assert.doesNotMatch(page.text, /confirm\/mail/);
    for (const [typed, shown] of [
      ['', 'Enter your password'],
      ['wrong', 'The password is wrong'],
    ] as const) {
      const refused = await client.fillIn(`${wayIn}/confirm`, { password: typed });
      assert.equal(refused.status, 422);
      assert.match(refused.words, new RegExp(shown));
    }
    assert.equal(await site.linked('owner'), null);
    const done = await client.fillIn(`${wayIn}/confirm`, { password });
    assert.deepEqual([done.status, done.location], [303, '/organizations/1/settings']);
    assert.equal((await follow(client, done)).status, 200);
    assert.equal((await site.linked('owner'))?.subject, 'x');
    const next = site.visitor();
    assert.equal((await site.signOnAs(next, owner)).location, '/meetings');
  });

  test('asks for the second factor of the account, once the password was right', async (t) => {
    const site = await startSignOnSite(t);
    const { recoveryCodes } = await withApp(site, await site.withPassword('owner'));
    const client = site.visitor();
    const path = `${wayIn}/confirm`;
    const page = await follow(client, await site.signOnAs(client, owner));
    assert.doesNotMatch(page.text, /second_factor/);
    assert.equal((await client.fillIn(path, { password: 'wrong' })).status, 422);
    const proved = await client.fillIn(path, { password });
    assert.deepEqual([proved.status, proved.location], [303, path]);
    const asked = await follow(client, proved);
    assert.match(asked.text, /second_factor/);
    assert.doesNotMatch(asked.text, /name="password"/);
    for (const second_factor of ['', '000000', 'aaaaa-aaaaa'])
      assert.equal((await client.fillIn(path, { second_factor })).status, 422);
    assert.equal(await site.linked('owner'), null);
    const [second_factor = ''] = recoveryCodes;
    assert.equal((await client.fillIn(path, { second_factor })).location, '/meetings');
    assert.equal((await site.linked('owner'))?.subject, 'x');
    const people = await client.read('/organizations/1/people');
    assert.match(people, /Owner x Sign-on, Password and second factor/);
  });

  test('or by a code that is mailed to the account, in this browser only', async (t) => {
    const site = await startSignOnSite(t, {}, { sendsMail: true });
    const client = site.visitor();
    await follow(client, await site.signOnAs(client, owner));
    const sent = await client.fillIn(`${wayIn}/confirm`, {}, `${wayIn}/confirm/mail`);
    assert.match((await follow(client, sent)).words, /We have emailed you a code\. .* Code .* 8 digits/);
    const [mail] = site.mails;
    assert.equal(mail?.to, aUser(users.owner).email);
    const code = /\d{8}/.exec(mail.text.reveal())?.[0] ?? assert.fail();
    assert.ok(!JSON.stringify([...client.cookies()]).includes(code));
    const other = site.visitor();
    await site.signOnAs(other, owner);
    const fields = await other.fieldsOf(`${wayIn}/confirm`);
    const stranger = await other.send({ path: `${wayIn}/confirm`, fields: { ...fields, code } });
    assert.equal(stranger.status, 422);
    assert.match(stranger.words, /The code is wrong/);
    assert.equal((await client.fillIn(`${wayIn}/confirm`, { code })).location, '/meetings');
    assert.equal((await site.linked('owner'))?.subject, 'x');
  });

  test('confirms at their organization only, and what the browser keeps is only what it was kept as', async (t) => {
    const site = await startSignOnSite(t);
    const begun = site.visitor();
    await begun.open(`${wayIn}/start`);
    assertError(await begun.open(`${wayIn}/confirm`), 410, /Please start again/, begun);
    const asked = site.visitor();
    await site.signOnAs(asked, owner);
    assert.equal(await opens(asked, `${wayIn}/confirm`), 200);
    const elsewhere = await asked.open('/sign-in/organizations/2/confirm');
    assertError(elsewhere, 410, /Please start again/, asked);
    assertError(await asked.open(`${wayIn}/callback?code=1`), 410, /Please start again/, asked);
  });

  test('cannot confirm what the provider has not said in this browser', async (t) => {
    const site = await startSignOnSite(t);
    const client = site.visitor();
    await site.signOnAs(client, owner);
    const stranger = site.visitor();
    stranger.setCookie('sign-on', 'made-up');
    assertError(await stranger.open(`${wayIn}/confirm`), 410, /Please start again/, stranger);
    site.clock.advance(10 * 60_000);
    assertError(await client.open(`${wayIn}/confirm`), 410, /Please start again/, client);
  });
});

describe('A sign-on that fails', () => {
  const failures: Readonly<
    Record<string, readonly [Pick<ProviderFailure, 'failure' | 'code'>, number, RegExp]>
  > = {
    'because the provider refuses': [
      { failure: 'refused', code: 'access_denied' },
      403,
      /The identity provider of your organization refused .* \(access_denied\)\. You are not signed in/,
    ],
    'because the answer is not to this sign-on': [
      { failure: 'not-asked', code: null },
      410,
      /Please start again/,
    ],
    'because the answer proves nothing': [
      { failure: 'invalid', code: null },
      502,
      /identity provider of your organization gave a wrong answer You are not signed in/,
    ],
    'because the provider is away': [
      { failure: 'unreachable', code: null },
      503,
      /identity provider of your organization does not answer/,
    ],
  };
  for (const [name, [failure, status, shows]] of Object.entries(failures))
    test(`${name} says so, with a request id and without the reason, and stores nothing`, async (t) => {
      const site = await startSignOnSite(t);
      const client = site.visitor();
      const before = site.changes.filter((change) => !change.startsWith('limits.'));
      const answer = await site.signOnAs(client, { ...failure, reason: 'the inner reason' });
      assertError(answer, status, shows, client);
      assert.doesNotMatch(answer.text, /the inner reason/);
      assert.equal(answer.headers.get('retry-after'), status === 503 ? '30' : null);
      assert.deepEqual(
        site.changes.filter((change) => !change.startsWith('limits.')),
        before,
      );
      assert.deepEqual(site.reports, []);
      assert.match(answer.text, new RegExp(`href="${wayIn}"`));
    });

  test('because the person may not come in has one text, whatever the reason', async (t) => {
    const site = await startSignOnSite(t);
    await site.link('member', 'ana');
    const texts = [];
    // Not known; a member who is linked to another person; a removed member.
    for (const person of [
      aPerson('nobody'),
      aPerson('idp-102'),
      aPerson('x', { email: aUser(users.member).email }),
    ]) {
      const client = site.visitor();
      const answer = await site.signOnAs(client, person);
      assertError(answer, 403, /can’t come in here .* Ask one of its owners/, client);
      texts.push(answer.text);
    }
    assert.equal(new Set(texts.map((text) => text.replaceAll(/ value="[^"]*"/g, ''))).size, 1);
  });

  test('before it began says that the provider is away', async (t) => {
    const site = await startSignOnSite(t);
    site.script.begins = { failure: 'unreachable', reason: 'no metadata', code: null };
    const client = site.visitor();
    const answer = await client.open(`${wayIn}/start`);
    assertError(answer, 503, /does not answer/, client);
    assert.equal(answer.headers.get('retry-after'), '30');
  });

  test('and was not begun here shows the code of the address only if it is a word', async (t) => {
    const site = await startSignOnSite(t);
    const open = async (error: string) => {
      const client = site.visitor();
      return client.open(`${wayIn}/callback?${new URLSearchParams({ error })}`);
    };
    assert.match((await open('login_required')).words, /refused \(login_required\)/);
    assert.equal((await open('login_required')).status, 403);
    for (const text of ['<b>Call 555</b>', 'call 555 now', 'x'.repeat(61)])
      assert.match((await open(text)).words, /Please start again/);
  });
});

describe('The identity provider', () => {
  const send = (client: PageClient, fields: Readonly<Record<string, string>>, headers = {}) =>
    client.send({
      path: `${wayIn}/backchannel_logout`,
      fields,
      headers: { Origin: undefined, 'Sec-Fetch-Site': undefined, Accept: undefined, ...headers },
    });

  test('ends sessions with a logout token, and is told why not', async (t) => {
    const site = await startSignOnSite(t);
    await site.link('member', 'ana');
    const [client, other] = [site.visitor(), site.visitor()];
    for (const browser of [client, other]) await site.signOnAs(browser, aPerson('ana'));
    site.script.logout = { failure: 'invalid', reason: 'the token has a nonce', code: null };
    const refused = await send(site.visitor(), { logout_token: 'a token' });
    assert.equal(refused.status, 400);
    assert.deepEqual(JSON.parse(refused.text), {
      error: 'invalid_request',
      error_description: 'the token has a nonce',
    });
    assert.equal(await opens(client, meetings), 200);
    site.script.logout = { subject: 'ana', sid: null };
    const done = await send(site.visitor(), { logout_token: 'a token' });
    assert.deepEqual([done.status, done.text, done.headers.get('cache-control')], [200, '', 'no-store']);
    assert.deepEqual(site.asked.at(-1)?.token, 'a token');
    for (const browser of [client, other]) assert.equal(await opens(browser, meetings), 303);
  });

  test('gets 400 for what is no form or has no sign-on, and 503 while keys cannot be read', async (t) => {
    const site = await startSignOnSite(t);
    const visitor = site.visitor();
    const json = await send(visitor, { logout_token: 'x' }, { 'Content-Type': 'application/json' });
    assert.equal(json.status, 400);
    assert.equal(JSON.parse(json.text).error, 'invalid_request');
    const unknown = await visitor.send({ path: '/sign-in/organizations/2/backchannel_logout', fields: {} });
    assert.match(unknown.text, /This organization has no sign-on/);
    assert.equal(unknown.status, 400);
    site.script.logout = { failure: 'unreachable', reason: 'no keys', code: null };
    const away = await send(visitor, { logout_token: 'x' });
    assert.deepEqual([away.status, away.headers.get('retry-after')], [503, '30']);
    assert.equal((await visitor.open(`${wayIn}/backchannel_logout`)).status, 405);
  });
});
