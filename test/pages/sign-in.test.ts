import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { Secret } from '@rollcall/core';
import { anOrganization, testUuid } from '@rollcall/core/testing';
import { formFields, type PageClient, readableText } from '#test/support/page/client.js';
import { type PageSite, type StartPageSite, startPageSite } from '#test/support/page/site.js';

const credentials = { email: 'user-100@example.test', password: 'a good password' };
const minute = 60_000;

async function site(context: TestContext, options: StartPageSite = {}): Promise<PageSite> {
  const started = await startPageSite(context, options);
  await started.load({
    organizations: [
      anOrganization(1, { name: 'Northwind Wellness' }),
      anOrganization(2, { name: 'Contoso' }),
    ],
  });
  await started.addUser({ id: 100, password: credentials.password, organizations: [1] });
  return started;
}

async function signedIn({ visitor }: PageSite): Promise<PageClient> {
  const client = visitor();
  assert.equal((await client.fillIn('/sign-in', credentials)).status, 303);
  return client;
}

const home = '/organizations/1/meetings';

describe('Signing in', () => {
  test('leads from / to the sign-in page, or to the meetings after signing in', async (t) => {
    const started = await site(t);
    const answers = [await started.visitor().open('/'), await (await signedIn(started)).open('/')];
    assert.deepEqual(
      answers.map(({ status, location }) => [status, location]),
      [
        [303, '/sign-in'],
        [303, '/meetings'],
      ],
    );
  });

  test('takes the address in any case with spaces around, and leads to the meetings', async (t) => {
    const client = (await site(t)).visitor();
    const answer = await client.fillIn('/sign-in', { ...credentials, email: ' User-100@Example.TEST ' });
    assert.deepEqual([answer.status, answer.location], [303, '/meetings']);
    const page = await client.open((await client.open('/meetings')).location ?? '');
    assert.match(readableText(page.text), /Hello, First100/);
  });

  test('leads owners to their organization, admins to the webhooks, and members to their meetings', async (t) => {
    const started = await site(t);
    const landings = {
      owner: '/organizations/2',
      admin: '/organizations/2/webhooks',
      member: '/organizations/2/meetings',
    } as const;
    for (const [index, role] of (['owner', 'admin', 'member'] as const).entries()) {
      const id = 200 + index;
      await started.addUser({ id, password: credentials.password, organizations: [2], role });
      const client = started.visitor();
      await client.fillIn('/sign-in', { ...credentials, email: `user-${id}@example.test` });
      assert.equal((await client.open('/meetings')).location, landings[role]);
    }
  });

  test('lets a user of several organizations choose, each with the role there, and switch', async (t) => {
    const started = await site(t);
    await started.load({ memberships: [{ organizationId: 2, userId: 100, role: 'owner', idpId: null }] });
    const client = await signedIn(started);
    const page = await client.open('/meetings');
    assert.match(readableText(page.text), /Northwind Wellness Member Contoso Owner/);
    assert.match(page.text, /<a class="card" href="\/organizations\/2">/);
    for (const path of [home, '/organizations/2', '/organizations/2/people']) {
      assert.match((await client.open(path)).text, /<a href="\/meetings">Other organizations</, path);
    }
  });

  test('answers a wrong password and an unknown address alike, keeps the address and never the password', async (t) => {
    const started = await site(t);
    const wrong = { email: credentials.email, password: 'WrongPassword1' };
    const unknown = { email: 'nobody@example.test', password: 'WrongPassword1' };
    const pages = await Promise.all(
      [wrong, unknown].map((fields) => started.visitor().fillIn('/sign-in', fields)),
    );
    const [one, other] = pages.map(({ status, text }) => ({ status, text: readableText(text) }));
    assert.deepEqual(one, other);
    assert.equal(one?.status, 422);
    const [page] = pages;
    assert.match(page?.text ?? '', /role="alert">The email address or password is wrong</);
    assert.equal(formFields(page?.text ?? '').email, credentials.email);
    assert.doesNotMatch(page?.text ?? '', /WrongPassword1/);
    assert.match(page?.text ?? '', /<title>Error: Sign in/);
  });

  test('sends people who are signed in on to the meetings', async (t) => {
    const client = await signedIn(await site(t));
    assert.equal((await client.open('/sign-in')).location, '/meetings');
  });

  test('140 accounts tried from one /64, or from one address with any port, count as one address', async (t) => {
    const ways: readonly ((index: number) => string)[] = [
      (index) => `2001:db8:0:1::${index.toString(16)}`,
      (index) => `192.0.2.1:${1024 + index}`,
    ];
    for (const addressOf of ways) {
      const started = await site(t);
      const client = started.visitor();
      const fields = formFields((await client.open('/sign-in')).text);
      const statuses: number[] = [];
      for (let index = 0; index < 140; index += 1) {
        const headers = { 'X-Forwarded-For': addressOf(index) };
        const form = { ...fields, email: `user-${index}@example.test`, password: 'a wrong password' };
        statuses.push((await client.send({ path: '/sign-in', fields: form, headers })).status);
      }
      assert.deepEqual(
        statuses,
        statuses.map((_, index) => (index < 100 ? 422 : 429)),
      );
      const elsewhere = { 'X-Forwarded-For': '2001:db8:0:2::1' };
      const owner = { ...fields, ...credentials };
      assert.equal((await client.send({ path: '/sign-in', fields: owner, headers: elsewhere })).status, 303);
    }
  });

  test('returns to the page that asked for it', async (t) => {
    const started = await site(t);
    const client = started.visitor();
    const asked = await client.open(`${home}?page=2`);
    assert.equal(asked.status, 303);
    const answer = await client.fillIn(asked.location ?? '', credentials, '/sign-in');
    assert.equal(answer.location, `${home}?page=2`);
  });

  test('keeps the page to return to when the password was wrong at first', async (t) => {
    const client = (await site(t)).visitor();
    const refused = await client.fillIn(
      `/sign-in?next=${encodeURIComponent(home)}`,
      { email: 'x' },
      '/sign-in',
    );
    const answer = await client.send({
      path: '/sign-in',
      fields: { ...formFields(refused.text), ...credentials },
    });
    assert.equal(answer.location, home);
  });

  test('leads nowhere but to our own pages, whatever the address says', async (t) => {
    const started = await site(t);
    const attempts = [
      'https://evil.example/',
      '//evil.example/meetings',
      '/\\evil.example',
      '\\\\evil.example',
      '/%2F/evil.example',
      '/meetings@evil.example',
      '/meetings/../../evil',
      'javascript:alert(1)',
      '/sign-out',
      '/login/token',
      '/organizations/1/meetings?page=1&next=//evil.example',
      '/organizations/01/meetings',
      '/meetings\r\nLocation: https://evil.example',
      '/meetings\n',
      ' /meetings',
    ];
    for (const next of attempts) {
      const client = started.visitor();
      const page = await client.open(`/sign-in?next=${encodeURIComponent(next)}`);
      assert.equal(formFields(page.text).next, undefined, next);
      const fields = { ...formFields(page.text), ...credentials, next };
      const answer = await client.send({ path: '/sign-in', fields });
      assert.deepEqual([answer.status, answer.location], [303, '/meetings'], next);
    }
  });

  test('says after ten failures when to try again, also with the right password and in the invitation', async (t) => {
    const started = await site(t);
    const path = await started.invite({ organizationId: 2, email: credentials.email });
    for (let count = 0; count < 10; count += 1) {
      const page = await started.visitor().fillIn('/sign-in', { ...credentials, password: 'wrong' });
      assert.equal(page.status, 422);
    }
    const pages = [
      await started.visitor().fillIn('/sign-in', credentials),
      await started.visitor().fillIn(path, { password: credentials.password }),
    ];
    for (const page of pages) {
      assert.equal(page.status, 429);
      assert.equal(page.headers.get('retry-after'), '900');
      assert.match(readableText(page.text), /Too many failed attempts; try again in 15 minutes\./);
    }
    started.clock.advance(15 * minute);
    assert.equal((await started.visitor().fillIn('/sign-in', credentials)).status, 303);
  });

  test('counts the failures of an address, and of others nothing', async (t) => {
    const started = await site(t);
    const client = started.visitor();
    const form = formFields((await client.open('/sign-in')).text);
    const from = (address: string, email: string) =>
      client.send({
        path: '/sign-in',
        fields: { ...form, email, password: 'wrong' },
        headers: { 'X-Forwarded-For': address },
      });
    for (let count = 0; count < 100; count += 1) {
      assert.equal((await from('192.0.2.1', `nobody-${count}@example.test`)).status, 422);
    }
    assert.equal((await from('192.0.2.1', 'nobody@example.test')).status, 429);
    assert.equal((await from('192.0.2.2', 'nobody@example.test')).status, 422);
  });
});

describe('A session', () => {
  test('has a new id at each sign-in, and the one before ends', async (t) => {
    const started = await site(t);
    const client = started.visitor();
    client.setCookie('session', 'fixed-by-an-attacker');
    await client.fillIn('/sign-in', credentials);
    const first = client.copy();
    assert.notEqual(first.cookie('session'), 'fixed-by-an-attacker');
    const path = await started.linkFor({ organizationId: 1, uuid: testUuid(100) });
    await client.fillIn(path, {});
    assert.notEqual(client.cookie('session'), first.cookie('session'));
    assert.equal((await client.open(home)).status, 200);
    assert.equal((await first.open(home)).status, 303);
  });

  test('ends after 30 minutes without a page, and not before', async (t) => {
    const started = await site(t);
    const client = await signedIn(started);
    started.clock.advance(30 * minute - 1);
    assert.equal((await client.open(home)).status, 200);
    started.clock.advance(30 * minute);
    assert.equal((await client.open(home)).status, 303);
  });

  test('ends after 12 hours, however busy', async (t) => {
    const started = await site(t);
    const client = await signedIn(started);
    for (let passed = 0; passed < 12 * 60 - 20; passed += 20) {
      assert.equal((await client.open(home)).status, 200);
      started.clock.advance(20 * minute);
    }
    assert.equal((await client.open(home)).status, 200);
    started.clock.advance(20 * minute);
    assert.equal((await client.open(home)).status, 303);
  });

  test('is dead at once after signing out, also where its cookie was copied to, and says so', async (t) => {
    const started = await site(t);
    const client = await signedIn(started);
    const copy = client.copy();
    const answer = await client.fillIn(home, {}, '/sign-out');
    assert.deepEqual([answer.status, answer.location], [303, '/sign-in']);
    assert.equal(client.cookie('session'), undefined);
    assert.match(readableText((await client.open('/sign-in')).text), /You are signed out/);
    assert.doesNotMatch(readableText((await client.open('/sign-in')).text), /You are signed out/);
    assert.equal((await copy.open(home)).status, 303);
  });

  test('ends when the password is set anew', async (t) => {
    const started = await site(t);
    const client = await signedIn(started);
    await started.core.setPassword({ email: credentials.email, password: new Secret('another password') });
    assert.equal((await client.open(home)).status, 303);
  });

  test('writes nothing but its seen time when pages are read', async (t) => {
    const started = await site(t);
    const client = await signedIn(started);
    const before = started.changes.length;
    for (const path of ['/', '/meetings', home, '/sign-in', `${home}?page=3`]) {
      started.clock.advance(2 * minute);
      await client.open(path);
      await client.open(path, { method: 'HEAD' });
    }
    const written = new Set(started.changes.slice(before));
    assert.deepEqual([...written], ['sessions.touch']);
  });

  test('lives in a cookie that scripts cannot read, without its token in any address', async (t) => {
    const started = await site(t);
    const client = started.visitor();
    const answer = await client.fillIn('/sign-in', credentials);
    const [cookie = ''] = answer.headers.getSetCookie();
    assert.match(cookie, /^session=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax$/);
    assert.equal(answer.location, '/meetings');
  });

  test('lives in a __Host- cookie where the service is reached by HTTPS', async (t) => {
    const started = await site(t, { publicUrl: 'https://rollcall.example.test' });
    const client = started.visitor();
    const form = await client.open('/sign-in');
    assert.match(
      form.headers.getSetCookie().join(),
      /^__Host-visitor=[\w-]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const answer = await client.send({
      path: '/sign-in',
      fields: { ...formFields(form.text), ...credentials },
    });
    assert.match(
      answer.headers.getSetCookie().join(),
      /^__Host-session=[\w.-]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    assert.equal((await client.open(home)).status, 200);
    await client.fillIn(home, {}, '/sign-out');
    assert.equal(client.cookie('__Host-session'), undefined);
  });
});

describe('A session that a link opened', () => {
  async function bound(started: PageSite): Promise<PageClient> {
    await started.load({ memberships: [{ organizationId: 2, userId: 100, role: 'owner', idpId: null }] });
    const client = started.visitor();
    const path = await started.linkFor({ organizationId: 1, uuid: testUuid(100) });
    await client.fillIn(path, {});
    return client;
  }

  test('is led to the member page of its organization from everywhere', async (t) => {
    const client = await bound(await site(t));
    assert.equal((await client.open('/')).location, '/meetings');
    assert.equal((await client.open('/meetings')).location, home);
  });

  test('sees that page, without a way to other organizations', async (t) => {
    const page = await (await bound(await site(t))).open(home);
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.text, /Other organizations|Contoso/);
  });

  test('is told to sign in with the password for any other organization, whether there is one or not', async (t) => {
    const client = await bound(await site(t));
    const told = async (id: number) => {
      const { status, text } = await client.open(`/organizations/${id}/meetings`);
      assert.equal(status, 403);
      return text.replace(`%2Forganizations%2F${id}%2Fmeetings`, 'here');
    };
    const text = await told(2);
    assert.match(
      readableText(text),
      /Please sign in with your password A login link only opens your meetings with one organization\. For everything else, sign in with your email address and password/,
    );
    assert.match(text, /<a href="\/sign-in\?next=here">Sign in with your password</);
    assert.equal(await told(3), text);
  });

  test('comes back to the page that refused it, by the link that the refusal gives', async (t) => {
    for (const path of ['/account', '/organizations/2', '/organizations/2/invitations?state=pending']) {
      const client = await bound(await site(t));
      const refused = await client.open(path);
      const signIn = /<a href="(\/sign-in\?next=[^"]*)"/.exec(refused.text)?.[1] ?? '';
      const answer = await client.fillIn(signIn, credentials, '/sign-in');
      assert.deepEqual([refused.status, answer.status, answer.location], [403, 303, path]);
    }
  });

  test('may sign in with the password, and is free then', async (t) => {
    const client = await bound(await site(t));
    assert.equal((await client.open('/sign-in')).status, 200);
    await client.fillIn('/sign-in', credentials);
    assert.equal((await client.open('/organizations/2/meetings')).status, 200);
  });

  test('can sign out', async (t) => {
    const client = await bound(await site(t));
    assert.equal((await client.fillIn(home, {}, '/sign-out')).status, 303);
    assert.equal((await client.open(home)).status, 303);
  });
});
