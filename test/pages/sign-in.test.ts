import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anOrganization } from '@rollcall/core/testing';
import { formFields, plainText, readableText } from '#test/support/page/client.js';
import { credentials } from '#test/support/page/site.js';
import { homePath, MINUTE_MS, startSignInSite } from '../support/page/sign-in-site.js';

describe('Signing in', () => {
  test('leads from / to the sign-in page, or to the meetings after signing in', async (t) => {
    const started = await startSignInSite(t);
    const answers = [await started.visitor().open('/'), await (await started.signedIn(100)).open('/')];
    assert.deepEqual(
      answers.map(({ status, location }) => [status, location]),
      [
        [303, '/sign-in'],
        [303, '/meetings'],
      ],
    );
  });

  test('accepts the address in any case with spaces around it, and leads to the meetings', async (t) => {
    const client = (await startSignInSite(t)).visitor();
    const answer = await client.fillIn('/sign-in', { ...credentials, email: ' User-100@Example.TEST ' });
    assert.deepEqual([answer.status, answer.location], [303, '/meetings']);
    const page = await client.open((await client.open('/meetings')).location ?? '');
    assert.match(page.words, /Hello, First100/);
  });

  test('leads owners and admins to their organization, and members to their meetings', async (t) => {
    const started = await startSignInSite(t);
    const landings = {
      owner: '/organizations/2',
      admin: '/organizations/2',
      member: '/organizations/2/meetings',
    } as const;
    for (const [index, role] of (['owner', 'admin', 'member'] as const).entries()) {
      const id = 200 + index;
      await started.addUser({ id, organizations: [2], role });
      const client = started.visitor();
      await client.fillIn('/sign-in', { ...credentials, email: `user-${id}@example.test` });
      assert.equal((await client.open('/meetings')).location, landings[role]);
    }
  });

  test('lets a user of several organizations choose one, shown with the role there, and switch', async (t) => {
    const started = await startSignInSite(t);
    await started.load({ memberships: [{ organizationId: 2, userId: 100, role: 'owner', idpId: null }] });
    const client = await started.signedIn(100);
    const page = await client.open('/meetings');
    assert.match(page.words, /Northwind Wellness Member Contoso Owner/);
    assert.match(page.text, /<a class="card" href="\/organizations\/2">/);
    for (const path of [homePath, '/organizations/2', '/organizations/2/people']) {
      const { text } = await client.open(path);
      const [, other = ''] = /<div class="menu-panel"><ul class="plain">(.*?)<\/ul>/.exec(text) ?? [];
      const expected = path === homePath ? ['/organizations/2'] : [homePath];
      assert.deepEqual(
        [...other.matchAll(/href="([^"]*)"/g)].map(([, href]) => href),
        expected,
        path,
      );
      assert.match(text, /<a href="\/meetings">All organizations</, path);
    }
  });

  test('lets a user of many organizations search them, without accents, and read them in pages', async (t) => {
    const started = await startSignInSite(t);
    const names = ['Zürich Care', '<b>Bold</b> & Co', 'W'.repeat(300), 'مركز الشمال'];
    const ids = Array.from({ length: 60 }, (_, index) => 1000 + index);
    await started.load({
      organizations: ids.map((id, index) => anOrganization(id, { name: names[index] ?? `Circle ${id}` })),
      memberships: ids.map((organizationId) => ({
        organizationId,
        userId: 100,
        role: 'member',
        idpId: null,
      })),
    });
    const client = await started.signedIn(100);
    const found = async (query: string): Promise<readonly string[]> => {
      const { status, text } = await client.open(`/meetings${query}`);
      assert.equal(status, 200, query);
      const links = [...text.matchAll(/<a class="card" href="([^"]*)"><bdi>([^<]*)<\/bdi>/g)];
      return links.map(([, , name = '']) => plainText(name));
    };
    assert.deepEqual(await found('?search=+zurich'), ['Zürich Care']);
    assert.deepEqual(await found(`?search=${encodeURIComponent('<B>')}`), ['<b>Bold</b> & Co']);
    assert.deepEqual(await found(`?search=${encodeURIComponent('شمال')}`), ['مركز الشمال']);
    assert.deepEqual(await found('?search=nothing'), []);
    assert.deepEqual(
      [(await found('')).length, (await found('?page=2')).length, (await found('?page=9')).length],
      [50, 11, 0],
    );
    const none = await client.open('/meetings?search=%3Ci%3E');
    assert.match(none.words, /None of your organizations matches\. Show all organizations/);
    assert.match(none.text, / value="&lt;i>"/);
    const { text } = await client.open(homePath);
    const menu = text.slice(text.indexOf('class="menu organizations"'), text.indexOf('class="menu account"'));
    assert.equal(menu.match(/<li>/g)?.length, 8);
    assert.match(menu, /<form class="switch-search" method="get" action="\/meetings">/);
    assert.match(menu, /<a href="\/meetings">All 61 organizations</);
  });

  test('answers a wrong password and an unknown address alike, keeps the address and never the password', async (t) => {
    const started = await startSignInSite(t);
    const wrong = { email: credentials.email, password: 'WrongPassword1' };
    const unknown = { email: 'nobody@example.test', password: 'WrongPassword1' };
    const pages = await Promise.all(
      [wrong, unknown].map((fields) => started.visitor().fillIn('/sign-in', fields)),
    );
    const [one, other] = pages.map(({ status, text }) => ({ status, text: readableText(text) }));
    assert.deepEqual(one, other);
    assert.equal(one?.status, 422);
    const [page] = pages;
    assert.match(page?.text ?? '', /role="alert"><svg.*?<\/svg>The email address or password is wrong</);
    assert.equal(formFields(page?.text ?? '').email, credentials.email);
    assert.doesNotMatch(page?.text ?? '', /WrongPassword1/);
    assert.match(page?.text ?? '', /<title>Error: Sign in/);
  });

  test('says which field is empty, which is no wrong password', async (t) => {
    const started = await startSignInSite(t);
    const problemsOf = async (fields: Readonly<Record<string, string>>) => {
      const { status, text } = await started.visitor().fillIn('/sign-in', fields);
      assert.equal(status, 422);
      assert.doesNotMatch(text, /is wrong/);
      return [...text.matchAll(/id="(email|password)-hint">([^<]*)</g)].map(
        ([, field, hint]) => `${field}: ${hint}`,
      );
    };
    const email = 'email: Enter your email address';
    const missing = 'password: Enter your password';
    assert.deepEqual(await problemsOf({ email: ' ', password: '' }), [email, missing]);
    assert.deepEqual(await problemsOf({ email: credentials.email, password: '' }), [missing]);
    assert.deepEqual(await problemsOf({ email: '', password: 'x' }), [email]);
  });

  test('has the address filled in after the session has ended, for a week, and never in a URL', async (t) => {
    const started = await startSignInSite(t);
    const client = await started.signedIn(100);
    assert.doesNotMatch([...client.cookies()].join(), /user-100|example/, 'only the service can read it');
    const emailIn = async (path: string) => (await client.fieldsOf(path)).email;
    started.clock.advance(30 * MINUTE_MS);
    const ended = await client.open(homePath);
    assert.equal(ended.location, `/sign-in?next=${encodeURIComponent(homePath)}`);
    assert.equal(await emailIn(ended.location ?? ''), credentials.email);
    const wrong = await client.fillIn('/sign-in', { email: 'other@example.test', password: 'wrong' });
    assert.equal(wrong.fields.email, 'other@example.test');
    started.clock.advance(7 * 24 * 60 * MINUTE_MS);
    assert.equal(await emailIn('/sign-in'), '');
  });

  test('has no address after someone has signed out, opened a login link, or in another browser', async (t) => {
    const started = await startSignInSite(t);
    const client = await started.signedIn(100);
    const other = client.copy();
    await client.fillIn(homePath, {}, '/sign-out');
    await other.fillIn(await started.linkFor(100), {});
    started.clock.advance(30 * MINUTE_MS);
    for (const browser of [client, other, started.visitor()])
      assert.equal((await browser.fieldsOf('/sign-in')).email, '');
  });

  test('redirects people who are signed in to the meetings', async (t) => {
    const client = await (await startSignInSite(t)).signedIn(100);
    assert.equal((await client.open('/sign-in')).location, '/meetings');
  });

  test('returns to the page that asked for it', async (t) => {
    const started = await startSignInSite(t);
    const client = started.visitor();
    const redirect = await client.open(`${homePath}?page=2`);
    assert.equal(redirect.status, 303);
    const answer = await client.fillIn(redirect.location ?? '', credentials, '/sign-in');
    assert.equal(answer.location, `${homePath}?page=2`);
  });

  test('keeps the page to return to if the first password is wrong', async (t) => {
    const client = (await startSignInSite(t)).visitor();
    const refused = await client.fillIn(
      `/sign-in?next=${encodeURIComponent(homePath)}`,
      { email: 'x' },
      '/sign-in',
    );
    const answer = await client.send({
      path: '/sign-in',
      fields: { ...refused.fields, ...credentials },
    });
    assert.equal(answer.location, homePath);
  });

  test('says after ten failures when to try again, also with the right password and on an invitation', async (t) => {
    const started = await startSignInSite(t);
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
      assert.match(page.words, /Too many failed attempts; try again in 15 minutes\./);
    }
    started.clock.advance(15 * MINUTE_MS);
    assert.equal((await started.visitor().fillIn('/sign-in', credentials)).status, 303);
  });
});
