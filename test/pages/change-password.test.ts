import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { readableText } from '#test/support/page/client.js';
import { credentials, startSiteOf } from '#test/support/page/site.js';

const change = { current_password: credentials.password, new_password: 'a better password' };

const site = (context: TestContext) => startSiteOf(context, { 100: ['member', 1] });

describe('The account', () => {
  test('is linked at the top of every page, and shows who is signed in', async (t) => {
    const client = await (await site(t)).signedIn(100);
    const home = await client.open('/organizations/1/meetings');
    assert.match(home.text, /href="\/account"/);
    assert.doesNotMatch(home.text, /Your organizations/, 'with one organization, there are no others');
    const page = await client.open('/account');
    assert.equal(page.status, 200);
    assert.equal(page.fields.email, credentials.email);
    assert.match(page.words, /Northwind Wellness Your account Name and picture FL First100 Last100/);
    const signedOut = await (await site(t)).visitor().open('/account');
    assert.deepEqual([signedOut.status, signedOut.location], [303, '/sign-in?next=%2Faccount']);
  });

  test('leads back to the organization that the reader comes from', async (t) => {
    const started = await site(t);
    await started.addUser({ id: 105, organizations: [1, 2] });
    const client = await started.signedIn(105);
    const menuOf = async (path: string) => {
      const { text } = await client.open(path);
      return [/class="back-link"><a href="([^"]*)"/.exec(text)?.[1], text.includes('All organizations')];
    };
    assert.deepEqual(await menuOf('/account'), ['/meetings', false]);
    await client.open('/organizations/2/meetings');
    assert.deepEqual(await menuOf('/account'), ['/organizations/2/meetings', true]);
    for (const path of ['/account/sessions', '/account/second-factor'])
      assert.deepEqual(await menuOf(path), ['/account', true]);
    await started.addUser({ id: 106, organizations: [2] });
    const { text } = await (await started.signedIn(106)).open('/account');
    assert.match(text, /class="back-link"><a href="\/organizations\/2\/meetings"/, 'their only one');
    await started.core.removeMember({ organization: { id: 2 }, userId: 105 });
    assert.deepEqual(await menuOf('/account'), ['/meetings', false]);
  });

  test('lets the reader correct their own name', async (t) => {
    const started = await site(t);
    const client = await started.signedIn(100);
    assert.match((await client.open('/account')).text, /href="\/account\/name"/);
    const refused = await client.fillIn('/account/name', { first_name: '' });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /id="first_name-hint">First name is required/);
    const saved = await client.fillIn('/account/name', { first_name: 'Ada', last_name: 'Byron' });
    assert.deepEqual([saved.status, saved.location], [303, '/account']);
    assert.match(await client.read('/account'), /Name saved\. .*Ada Byron/);
    const [entry] = (await started.core.listActivity({ organization: { id: 1 } })).items;
    assert.deepEqual([entry?.action, entry?.user?.id], ['name-changed', 100]);
  });

  test('shows the reader’s picture if it is on this service, otherwise the initials', async (t) => {
    const started = await site(t);
    const client = await started.signedIn(100);
    const avatars = async (avatar: string | null): Promise<readonly string[]> => {
      await started.load({ users: [aUser(100, { avatar })] });
      const { text } = await client.open('/account');
      return [...text.matchAll(/<(?:img|span) class="avatar[^>]*>[A-Z]*/g)].map(([tag]) => tag);
    };
    const picture = '<img class="avatar" src="/pictures/100.png" alt width="32" height="32"/>';
    const initials = '<span class="avatar avatar-4" aria-hidden="true">FL';
    assert.deepEqual(await avatars(`${started.url}/pictures/100.png`), [picture, picture]);
    for (const other of [
      null,
      'https://pictures.example/100.png',
      `${started.url}/assets/default-avatar.svg`,
    ])
      assert.deepEqual(await avatars(other), [initials, initials], String(other));
  });
});

describe('Changing the password', () => {
  test('keeps the user signed in here with a new session, and signs them out elsewhere', async (t) => {
    const started = await site(t);
    const [client, elsewhere] = [await started.signedIn(100), await started.signedIn(100)];
    const stolen = client.copy();
    const answer = await client.fillIn('/account', change);
    assert.deepEqual([answer.status, answer.location], [303, '/account']);
    assert.match(await client.read('/account'), /Password changed/);
    assert.notEqual(client.cookie('session'), stolen.cookie('session'));
    for (const other of [elsewhere, stolen]) assert.equal((await other.open('/account')).status, 303);
    await started.signedIn(100, change.new_password);
    const old = await started.visitor().fillIn('/sign-in', credentials);
    assert.equal(old.status, 422);
  });

  test('shows each problem next to its field, changes nothing, and shows no password', async (t) => {
    const started = await site(t);
    const client = await started.signedIn(100);
    const wrong = await client.fillIn('/account', { ...change, current_password: 'WrongPassword1' });
    const short = await client.fillIn('/account', { ...change, new_password: 'short' });
    const common = await client.fillIn('/account', { ...change, new_password: 'Sunshine' });
    const known = await client.fillIn('/account', { ...change, new_password: 'user-100 of 2026' });
    const messages = [
      /Current password is wrong/,
      /New password must have at least 8 characters/,
      /New password is too common: choose another/,
      /New password must have at least 8 letters or digits, not counting the account’s name and email address and the names of organizations and the service/,
    ];
    for (const [index, { status, text }] of [wrong, short, common, known].entries()) {
      assert.equal(status, 422);
      assert.match(readableText(text), messages[index] ?? /^$/);
      assert.match(text, /aria-invalid="true"/);
      assert.match(text, /<title>Error: Your account/);
      assert.doesNotMatch(text, /WrongPassword1|a better password|value="short"|Sunshine|user-100 of/);
    }
    assert.equal((await client.open('/account')).status, 200);
    await started.signedIn(100);
  });

  test('is locked after 10 wrong current passwords, and says when to try again', async (t) => {
    const client = await (await site(t)).signedIn(100);
    for (let count = 0; count < 10; count += 1)
      assert.equal((await client.fillIn('/account', { ...change, current_password: 'x' })).status, 422);
    const answer = await client.fillIn('/account', change);
    assert.equal(answer.status, 429);
    assert.match(readableText(answer.text), /Too many failed attempts; try again in 15 minutes\./);
  });
});
