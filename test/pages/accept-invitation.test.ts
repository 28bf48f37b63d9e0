import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { Secret } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { readableText } from '#test/support/page/client.js';
import { type PageSite, password, startSiteOf } from '#test/support/page/site.js';

const site = (context: TestContext): Promise<PageSite> => startSiteOf(context, {});

/** Dana has an account with this password, and is a member of organization 2. */
async function createDana({ load, addUser, core }: PageSite): Promise<string> {
  await addUser({ id: 100, password: 'unused password', organizations: [2] });
  await load({ users: [aUser(100, { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' })] });
  await core.setPassword({ email: 'dana@example.test', password: new Secret('the account’s password') });
  return 'the account’s password';
}

describe('The page of an invitation', () => {
  test('names the organization and shows the address and the names of a new person', async (t) => {
    const { invite, visitor } = await site(t);
    const page = await visitor().open(await invite());
    assert.equal(page.status, 200);
    assert.match(page.words, /Join Northwind Wellness/);
    const { form_token, ...fields } = page.fields;
    assert.deepEqual(fields, {
      email: 'dana@example.test',
      first_name: 'Dana',
      last_name: 'Kim',
      password: '',
    });
    assert.match(page.text, /name="password" type="password"[^>]* autocomplete="new-password"/);
    assert.match(page.text, /name="email"[^>]* readonly/);
  });

  test('asks people who have an account for its password only, and says why', async (t) => {
    const started = await site(t);
    await createDana(started);
    const page = await started.visitor().open(await started.invite());
    const { form_token, ...fields } = page.fields;
    assert.deepEqual(fields, { email: 'dana@example.test', password: '' });
    assert.match(page.text, /name="password" type="password"[^>]* autocomplete="current-password"/);
    assert.match(page.words, /You already have an account\. Enter its password to accept/);
  });

  test('tells people whose password has changed meanwhile that they have joined, and to sign in', async (t) => {
    const started = await site(t);
    const oldPassword = await createDana(started);
    const { members } = started.storage;
    const { register } = members;
    Object.assign(members, {
      register: async (...entry: Parameters<typeof register>) => {
        await started.core.setPassword({ email: 'dana@example.test', password: new Secret('a changed one') });
        return register.apply(members, entry);
      },
    });
    const page = await started.visitor().fillIn(await started.invite(), { password: oldPassword });
    assert.equal(page.status, 409);
    assert.match(
      page.words,
      /You have joined, but are not signed in Your password was changed at the same moment\. Sign in with the new one\./,
    );
    assert.match(page.text, /href="\/sign-in"/);
  });

  test('warns people who are signed in as another user, before the form', async (t) => {
    const started = await site(t);
    await started.addUser({ id: 200, organizations: [1], role: 'admin' });
    const path = await started.invite();
    const admin = await started.signedIn(200);
    const beforeTheForm = (text: string) => readableText(text.split('<label', 1)[0] ?? '').replace(' .', '.');
    const warning = 'You are signed in as First200 Last200. Accepting signs you out here.';
    const [page, refused] = [await admin.open(path), await admin.fillIn(path, { password: '' })];
    for (const { text } of [page, refused]) assert.ok(beforeTheForm(text).includes(warning), text);
    assert.equal((await admin.open('/account')).status, 200);
    assert.doesNotMatch((await started.visitor().open(path)).text, /signed in as/);
  });

  test('says that an invitation is unknown, and shows no form', async (t) => {
    const { visitor, invite } = await site(t);
    const path = await invite();
    const broken = path.endsWith('A') ? `${path.slice(0, -1)}B` : `${path.slice(0, -1)}A`;
    for (const unknown of [
      broken,
      '/invitations/x',
      '/invitations/%00',
      `/invitations/${'x'.repeat(3000)}`,
    ]) {
      const page = await visitor().open(unknown);
      assert.equal(page.status, 404, unknown);
      assert.match(page.words, /This invitation does not exist/);
      assert.doesNotMatch(page.text, /<form/);
    }
  });

  test('says that an invitation was already accepted, and shows no form', async (t) => {
    const { visitor, invite } = await site(t);
    const path = await invite();
    await visitor().fillIn(path, { password });
    const page = await visitor().open(path);
    assert.equal(page.status, 410);
    assert.match(page.words, /This invitation was already accepted/);
    assert.doesNotMatch(page.text, /<form/);
  });

  test('says that an invitation was revoked, when it is opened and when its form is sent', async (t) => {
    const { visitor, invite, revokeInvitations } = await site(t);
    const path = await invite();
    const dana = visitor();
    const fields = await dana.fieldsOf(path);
    revokeInvitations();
    const pages = [await dana.open(path), await dana.send({ path, fields: { ...fields, password } })];
    for (const page of pages) {
      assert.equal(page.status, 410);
      assert.match(page.words, /This invitation was revoked/);
      assert.doesNotMatch(page.text, /<form/);
    }
  });
});

describe('Accepting an invitation', () => {
  test('makes a new person a member with the names from the form, signs them in, and greets them by first name', async (t) => {
    const { invite, visitor, core } = await site(t);
    const path = await invite();
    const dana = visitor();
    const names = { first_name: 'Dåna', last_name: 'Kim-Lee' };
    // The address is that of the invitation, whatever the form says.
    const answer = await dana.fillIn(path, { ...names, email: 'eve@example.test', password });
    assert.equal(answer.status, 303);
    assert.equal(answer.location, '/organizations/1/meetings');
    const page = await dana.open('/organizations/1/meetings');
    assert.equal(page.status, 200);
    assert.match(page.words, /Hello, Dåna .*Northwind Wellness/);

    const session = await core.resumeSession({ session: dana.cookie('session') ?? null });
    assert.equal(session?.boundTo, null);
    assert.equal(session?.user.lastName, 'Kim-Lee');
    assert.equal((await dana.open('/account')).status, 200);
    assert.equal(session?.user.email, 'dana@example.test');
  });

  test('says once how to sign in next time', async (t) => {
    const started = await site(t);
    const accountPassword = await createDana(started);
    const people = [
      { email: 'new@example.test', password },
      { email: 'dana@example.test', password: accountPassword },
    ];
    for (const person of people) {
      const visitor = started.visitor();
      const { location } = await visitor.fillIn(await started.invite(person), person);
      const page = await visitor.open(location ?? '');
      const text = page.words.replaceAll(' .', '.');
      const sentence = 'You have joined Northwind Wellness. Next time, sign in with ';
      assert.ok(text.includes(`${sentence}${person.email} and your password.`), text);
      assert.match(page.text, /<p class="banner success" role="status">/);
      assert.doesNotMatch((await visitor.open(location ?? '')).text, /You have joined/);
      assert.equal((await started.visitor().fillIn('/sign-in', person)).status, 303);
    }
  });

  test('makes a person with an account a member when the password is right', async (t) => {
    const started = await site(t);
    const accountPassword = await createDana(started);
    const dana = started.visitor();
    const answer = await dana.fillIn(await started.invite(), { password: accountPassword });
    assert.equal(answer.location, '/organizations/1/meetings');
    const session = await started.core.resumeSession({ session: dana.cookie('session') ?? null });
    assert.equal(session?.user.id, 100);
    const memberships = await started.core.listMemberships({ userId: 100 });
    assert.deepEqual(
      memberships.map(({ organization }) => organization.id),
      [1, 2],
    );
  });

  test('does not restrict a session that was opened with a password', async (t) => {
    const started = await site(t);
    const accountPassword = await createDana(started);
    await started.load({ memberships: [{ organizationId: 2, userId: 100, role: 'owner', idpId: null }] });
    const path = await started.invite();
    const dana = started.visitor();
    await dana.fillIn('/sign-in', { email: 'dana@example.test', password: accountPassword });
    const form = await dana.open(path);
    assert.doesNotMatch(form.words, /signs you out/);
    const answer = await dana.fillIn(path, { password: accountPassword });
    assert.deepEqual([answer.status, answer.location], [303, '/organizations/1/meetings']);
    for (const open of ['/organizations/1/meetings', '/organizations/2', '/account', '/meetings']) {
      assert.equal((await dana.open(open)).status, 200, open);
    }
  });

  test('says who to ask if the account has no password, and shows no form', async (t) => {
    const started = await site(t);
    await started.load({ users: [aUser(100, { email: 'dana@example.test', firstName: 'Dana' })] });
    const path = await started.invite();
    const dana = started.visitor();
    const page = await dana.open(path);
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.text, /<form|<input/);
    const text = page.words.replaceAll(' ,', ',');
    assert.match(text, /Join Northwind Wellness/);
    assert.match(text, /an account for dana@example\.test, but it has no password yet\./);
    assert.match(text, /Ask the people who run .+ to set a password for you\. Then open this page again/);

    // A form that was opened earlier or forged is refused, whatever the password.
    const { form_token = '' } = await dana.fieldsOf('/sign-in');
    for (const fields of [{ password }, { first_name: 'D', last_name: 'K', password }]) {
      const sent = await dana.send({ path, fields: { form_token, ...fields } });
      assert.equal(sent.status, 422);
      assert.match(sent.words, /it has no password yet/);
    }
    await started.core.setPassword({ email: 'dana@example.test', password: new Secret(password) });
    assert.equal((await dana.fillIn(path, { password })).status, 303);
  });

  test('refuses a wrong password, and leaves the account unchanged', async (t) => {
    const started = await site(t);
    const accountPassword = await createDana(started);
    const eve = started.visitor();
    const answer = await eve.fillIn(await started.invite(), { password: 'not the password' });
    assert.equal(answer.status, 422);
    assert.match(answer.text, /role="alert"><svg.*?<\/svg>The password is wrong</);
    assert.equal(eve.cookie('session'), undefined);
    const stillWorks = await started
      .visitor()
      .fillIn('/sign-in', { email: 'dana@example.test', password: accountPassword });
    assert.equal(stillWorks.status, 303);
  });

  test('never sets or replaces the password of an account, however the form is filled in', async (t) => {
    const started = await site(t);
    const accountPassword = await createDana(started);
    const eve = started.visitor();
    const answer = await eve.fillIn(await started.invite(), {
      first_name: 'Eve',
      last_name: 'Eve',
      password: 'chosen by Eve',
    });
    assert.equal(answer.status, 422);
    assert.match(answer.text, /There is an account with this address: sign in with its password to accept/);
    assert.match(answer.text, /autocomplete="current-password"/);
    assert.equal(eve.cookie('session'), undefined);

    const signIn = (tried: string) =>
      started.visitor().fillIn('/sign-in', { email: 'dana@example.test', password: tried });
    assert.equal((await signIn('chosen by Eve')).status, 422);
    assert.equal((await signIn(accountPassword)).status, 303);
  });

  test('shows each problem next to its field, and keeps the input except the password', async (t) => {
    const { invite, visitor } = await site(t);
    const page = await visitor().fillIn(await invite(), {
      first_name: ' ',
      last_name: 'Ki"m',
      password: 'short',
    });
    assert.equal(page.status, 422);
    assert.match(page.text, /<p class="field-problem" id="first_name-hint">First name is required</);
    assert.match(
      page.text,
      /<p class="field-problem" id="password-hint">Password must have at least 8 characters</,
    );
    assert.match(page.text, /id="first_name"[^>]* aria-describedby="first_name-hint" aria-invalid="true"/);
    assert.match(page.text, /id="password"[^>]* aria-describedby="password-hint"/);
    assert.doesNotMatch(page.text, /id="last_name-hint"|short/);
    const { form_token, ...fields } = page.fields;
    assert.deepEqual(fields, {
      email: 'dana@example.test',
      first_name: ' ',
      last_name: 'Ki"m',
      password: '',
    });
  });

  test('asks members to sign in', async (t) => {
    const started = await site(t);
    const path = await started.invite();
    const accountPassword = await createDana(started);
    await started.load({ memberships: [{ organizationId: 1, userId: 100, role: 'member', idpId: null }] });
    const page = await started.visitor().fillIn(path, { password: accountPassword });
    assert.equal(page.status, 409);
    assert.match(page.words, /You are already a member/);
  });
});
