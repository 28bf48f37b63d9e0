import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Secret } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { copiedText, follow, formFields, type PageClient, readableText } from '#test/support/page/client.js';
import {
  answerWith,
  codeAt,
  questionIn,
  type SecondFactorSite,
  secondFactor,
  startSecondFactorSite,
  step,
  users,
} from '#test/support/page/second-factor-site.js';
import { password } from '#test/support/page/site.js';

const MINUTE_MS = 60_000;
const current_password = password;
const passkeyPage = `${secondFactor}/passkey`;

/** An owner with an app, and a minute later, so that its next code is another one. */
async function ownerWithApp(site: SecondFactorSite, signedIn?: PageClient) {
  const client = signedIn ?? (await site.withPassword('owner'));
  const app = await site.withApp(client);
  site.clock.advance(MINUTE_MS);
  return { client, ...app, code: () => codeAt(app.key, site.clock.now()) };
}

describe('The page of the second factor', () => {
  test('sets an app up after the password, shows its key as a QR code, and ten recovery codes once', async (t) => {
    const site = await startSecondFactorSite(t);
    const client = await site.withPassword('owner');
    assert.match(await client.read('/account'), /Second factor Add a passkey or an authenticator app/);
    assert.match(await client.read(secondFactor), /Second factor Off .* You have none/);
    const path = `${secondFactor}/app`;
    for (const wrong of ['', 'wrong']) {
      const refused = await client.fillIn(path, { current_password: wrong });
      assert.equal(refused.status, 422);
      assert.match(refused.words, /Your password is (required|wrong)/);
    }
    assert.equal((await client.fillIn(path, { current_password })).location, path);
    assert.match(await client.read(path), /Set up an authenticator app\?/);
    assert.equal((await client.fillIn(path, {})).location, path);
    const page = await client.open(path);
    const [, size, d = ''] =
      /class="qr-code" viewBox="0 0 (\d+) \1"[^>]*><path d="([^"]+)"/.exec(page.text) ?? [];
    assert.ok(Number(size) > 30 && d.length > 1000 && /^(M\d+ \d+h\d+v1h-\d+z)+$/.test(d));
    assert.match(page.words, /Key [A-Z2-7]{4}( [A-Z2-7]{4}){7}/);
    assert.match(
      page.text,
      /<a href="otpauth:\/\/totp\/[^"]*\?secret=[A-Z2-7]{32}&amp;issuer=[^"]*">open the app on this device/,
    );
    assert.match(page.text, /name="second_factor"[^>]* autocomplete="one-time-code" inputmode="numeric"/);
    const wrong = await client.fillIn(path, { second_factor: '000000' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.words, /Code is wrong, or was used already/);
    const key = copiedText(page.text, 'code-secret') ?? '';
    const right = await client.fillIn(path, { second_factor: codeAt(key, site.clock.now()) });
    assert.equal(right.location, `${secondFactor}/recovery-codes/new`);
    const codes = await follow(client, right);
    assert.match(copiedText(codes.text, 'recovery-codes') ?? '', /^([a-z2-7]{5}-[a-z2-7]{5}\n?){10}$/);
    assert.match(codes.words, /The app is set up\. From now on/);
    assert.match(await client.read(`${secondFactor}/recovery-codes/new`), /can’t be shown again/);
    assert.match(await client.read(secondFactor), /Second factor On .* Set up .* 10 are left/);
    assert.match(await client.read('/account'), /Your password alone signs nobody in\./);
    assert.equal((await client.open(path)).text.includes('code-secret'), false);
  });

  test('asks for the second factor again before it changes, and the password is not enough', async (t) => {
    const site = await startSecondFactorSite(t);
    const { client, code, recoveryCodes } = await ownerWithApp(site);
    site.clock.advance(5 * MINUTE_MS);
    const path = `${secondFactor}/recovery-codes`;
    const asked = await client.open(path);
    assert.match(asked.words, /Confirm that this is you/);
    assert.doesNotMatch(asked.text, /current_password/);
    const form = asked.fields;
    const byPassword = await client.send({
      path,
      fields: { form_token: form.form_token ?? '', current_password },
    });
    assert.equal(byPassword.status, 422);
    assert.equal((await client.fillIn(path, { second_factor: '' })).status, 422);
    assert.equal((await client.fillIn(path, { second_factor: recoveryCodes[0] ?? '' })).location, path);
    const renewed = await follow(client, await client.fillIn(path, {}));
    const codes = (copiedText(renewed.text, 'recovery-codes') ?? '').split('\n');
    assert.equal(codes.length, 10);
    assert.equal(codes.includes(recoveryCodes[1] ?? ''), false);
    assert.match(renewed.words, /The old recovery codes no longer work/);

    // What was confirmed is confirmed for this session, and for five minutes.
    const other = site.visitor();
    await site.signIn(other, 'owner');
    await other.fillIn(step, { second_factor: code() });
    const said = [...client.cookies()].filter(([name]) => name.endsWith('confirmed'));
    const cookies = [...other.cookies(), ...said].map(([name, value]) => `${name}=${value}`);
    const elsewhere = await other.open(path, { headers: { Cookie: cookies.join('; ') } });
    assert.equal(said.length, 1);
    assert.match(elsewhere.words, /Confirm that this is you/);
    assert.match(await client.read(path), /Make new recovery codes\?/);
    site.clock.advance(5 * MINUTE_MS);
    assert.match(await client.read(path), /Confirm that this is you/);
    const late = await client.send({
      path,
      fields: { form_token: (await client.fieldsOf(path)).form_token ?? '' },
    });
    assert.equal(late.status, 422);
  });

  test('is asked for after a link that is too long for a cookie, and leads to the start', async (t) => {
    const site = await startSecondFactorSite(t);
    const { code } = await ownerWithApp(site);
    const other = site.visitor();
    const next = encodeURIComponent(`${secondFactor}/${'x'.repeat(1400)}`);
    await site.signIn(other, 'owner', `/sign-in?next=${next}`);
    assert.equal((await other.fillIn(step, { second_factor: code() })).location, '/meetings');
  });

  test('is asked for before the password changes', async (t) => {
    const site = await startSecondFactorSite(t);
    const { client, code } = await ownerWithApp(site);
    const change = { current_password, new_password: 'another horse' };
    for (const second_factor of ['', '000000']) {
      const refused = await client.fillIn('/account', { ...change, second_factor });
      assert.equal(refused.status, 422);
      assert.match(refused.words, second_factor === '' ? /Code is required/ : /Code is wrong/);
    }
    const form = await client.fieldsOf('/account');
    const without = { form_token: form.form_token ?? '', ...change };
    assert.equal((await client.send({ path: '/account', fields: without })).status, 422);
    assert.equal((await client.fillIn('/account', { ...change, second_factor: code() })).status, 303);
    assert.match(await client.read('/account'), /Your password alone signs nobody in\./);
    const other = await site.withPassword('admin');
    assert.doesNotMatch((await other.open('/account')).text, /second_factor/);
  });

  test('takes a passkey, tells one that is there already, and renames and removes it', async (t) => {
    const site = await startSecondFactorSite(t);
    const client = await site.withPassword('owner');
    const device = site.device();
    await client.fillIn(passkeyPage, { current_password });
    const page = await client.open(passkeyPage);
    assert.match(page.text, /<button type="button"[^>]* hidden[^>]*>Add a passkey/);
    assert.match(page.words, /Passkeys need JavaScript/);
    const without = await client.fillIn(passkeyPage, { name: 'Phone' });
    assert.equal(without.status, 422);
    assert.match(without.words, /The browser has made no passkey/);
    const wrong = await answerWith(client, passkeyPage, () => device.register('another challenge'));
    assert.match(wrong.words, /The passkey could not be checked/);
    const name = '<b>Phone</b>';
    const added = await answerWith(client, passkeyPage, (challenge) => device.register(challenge), { name });
    assert.equal(added.location, `${secondFactor}/recovery-codes/new`);
    await follow(client, added);
    const again = await answerWith(client, passkeyPage, (challenge) => device.register(challenge), { name });
    assert.equal(again.status, 422);
    assert.match(again.words, /has a passkey here already/);
    const listed = await client.open(secondFactor);
    assert.match(listed.text, /<bdi>&lt;b>Phone&lt;\/b><\/bdi>/);
    assert.match(listed.words, /Never Rename Remove/);

    const own = `${secondFactor}/passkeys/${device.credentialId}`;
    assert.equal((await client.fillIn(`${own}/name`, { name: ' ' })).status, 422);
    assert.equal((await client.fillIn(`${own}/name`, { name: 'Blue key' })).location, secondFactor);
    assert.match(await client.read(secondFactor), /Name saved\. .* Blue key/);
    const admin = await site.withPassword('admin');
    await admin.fillIn(`${own}/name`, { current_password });
    assert.equal((await admin.open(`${own}/name`)).status, 404);
    assert.equal((await client.fillIn(`${own}/remove`, {})).location, secondFactor);
    assert.match(await client.read(secondFactor), /Second factor removed\. .* Off/);
    assert.equal((await client.fillIn(`${own}/remove`, {})).status, 404);
  });

  test('is for people who signed in with a password', async (t) => {
    const site = await startSecondFactorSite(t);
    const client = site.visitor();
    for (const path of [secondFactor, passkeyPage])
      assert.match((await client.open(path)).location ?? '', /^\/sign-in/);
    await client.fillIn(await site.linkFor(users.owner), {});
    for (const path of [secondFactor, passkeyPage]) assert.equal((await client.open(path)).status, 403);
  });
});

describe('The second step of a sign-in', () => {
  test('comes before anything of the account opens, and leads on where one was going', async (t) => {
    const site = await startSecondFactorSite(t);
    const { code, recoveryCodes } = await ownerWithApp(site);
    const client = site.visitor();
    const changes = site.changes.length;
    const next = '/organizations/1/settings';
    const first = await site.signIn(client, 'owner', `/sign-in?next=${encodeURIComponent(next)}`);
    assert.deepEqual([first.status, first.location], [303, step]);
    assert.deepEqual(
      site.changes.slice(changes).filter((change) => change.startsWith('sessions.')),
      [],
    );
    for (const path of ['/meetings', '/account', next])
      assert.match((await client.open(path)).location ?? '', /^\/sign-in/);
    const page = await client.read(step);
    assert.match(
      page,
      /Your password is right\. .* From your authenticator app\. Each code works once: if you have used yours, wait for the next one\. Use a recovery code instead/,
    );
    for (const [wrong, problem] of [
      ['', /Code is required/],
      ['000000', /Code is wrong, or was used already/],
      ['aaaaa-aaaaa', /Code is wrong/],
    ] as const) {
      const refused = await client.fillIn(step, { second_factor: wrong });
      assert.equal(refused.status, 422, wrong);
      assert.match(refused.words, problem);
      assert.match(refused.text, /<input id="second_factor"[^>]* aria-invalid="true" autofocus/);
      assert.match(refused.text, /<details><summary>Use a recovery code instead/);
    }
    const byRecovery = await client.fillIn(step, { recovery_code: 'aaaaa-aaaaa' });
    assert.match(
      byRecovery.text,
      /<details open><summary>.*<input id="recovery_code"[^>]* aria-invalid="true" autofocus.*Code is wrong.*<\/details>/,
    );
    assert.doesNotMatch(byRecovery.text, /<input id="second_factor"[^>]* aria-invalid/);
    const used = code();
    const right = await client.fillIn(step, { second_factor: used });
    assert.deepEqual([right.status, right.location], [303, next]);
    assert.equal((await client.open(next)).status, 200);
    assert.equal((await client.open(step)).status, 410);

    const second = site.visitor();
    await site.signIn(second, 'owner');
    assert.equal((await second.fillIn(step, { second_factor: used })).status, 422);
    assert.equal(
      (await second.fillIn(step, { second_factor: '000000', recovery_code: recoveryCodes[0] ?? '' }))
        .location,
      '/meetings',
      'the browser may have filled in the other code by itself',
    );
    const third = site.visitor();
    await site.signIn(third, 'owner');
    assert.equal((await third.fillIn(step, { second_factor: recoveryCodes[0] ?? '' })).status, 422);
  });

  test('ends after ten minutes, and with a new password, which removes no second factor', async (t) => {
    const site = await startSecondFactorSite(t);
    const { code } = await ownerWithApp(site);
    const client = site.visitor();
    await site.signIn(client, 'owner');
    const form = await client.fieldsOf(step);
    site.clock.advance(10 * MINUTE_MS);
    assert.equal((await client.open(step)).status, 410);
    assert.equal((await client.send({ path: step, fields: { ...form, second_factor: code() } })).status, 410);
    await site.signIn(client, 'owner');
    await site.core.setPassword({ email: aUser(users.owner).email, password: new Secret(password) });
    const ended = await client.open(step);
    assert.equal(ended.status, 410);
    assert.match(ended.words, /Please sign in again/);
    assert.equal((await site.signIn(client, 'owner')).location, step);
  });

  test('takes a passkey once', async (t) => {
    const site = await startSecondFactorSite(t);
    const owner = await site.withPassword('owner');
    const device = site.device();
    await owner.fillIn(passkeyPage, { current_password });
    await answerWith(owner, passkeyPage, (challenge) => device.register(challenge));
    const client = site.visitor();
    await site.signIn(client, 'owner');
    const page = (await client.open(step)).text;
    assert.deepEqual(
      (questionIn(page).allowCredentials as { id: string }[]).map(({ id }) => id),
      [device.credentialId],
    );
    assert.match(readableText(page), /Recovery code/);
    const fields = { ...formFields(page), passkey: device.use(questionIn(page).challenge) };
    assert.equal((await client.send({ path: step, fields })).location, '/meetings');
    assert.doesNotMatch(await client.read(secondFactor), /Never/);

    const thief = site.visitor();
    await site.signIn(thief, 'owner');
    const form = await thief.fieldsOf(step);
    const replayed = await thief.send({
      path: step,
      fields: { ...fields, form_token: form.form_token ?? '' },
    });
    assert.equal(replayed.status, 422);
    assert.match(replayed.words, /The passkey could not be checked/);
    const changed = await thief.send({
      path: step,
      fields: { ...form, passkey: device.use('x'), passkey_challenge: 'x' },
    });
    assert.match(changed.words, /This page was open for too long/);
  });

  test('gives a form back that waits for it', async (t) => {
    const site = await startSecondFactorSite(t);
    const { client, code } = await ownerWithApp(site);
    const path = '/organizations/1/name';
    const form = await client.fieldsOf(path);
    site.clock.advance(31 * MINUTE_MS);
    const kept = await client.send({ path, fields: { ...form, name: 'Typed before' } });
    assert.equal(kept.status, 403);
    const signIn = { ...kept.fields, email: aUser(users.owner).email, password };
    const waiting = await client.send({ path: '/sign-in', fields: signIn });
    assert.match(waiting.words, /Second step/);
    const wrong = await client.send({
      path: step,
      fields: { ...waiting.fields, second_factor: '1' },
    });
    const given = { ...wrong.fields, second_factor: code() };
    const back = await client.send({ path: step, fields: given });
    assert.deepEqual([back.status, back.location], [307, path]);
    const again = await client.send({ path, fields: given });
    assert.equal(again.fields.name, 'Typed before');
  });

  test('follows an invitation, and a session that is prolonged', async (t) => {
    const site = await startSecondFactorSite(t);
    const { client, code } = await ownerWithApp(site);
    await site.load({ organizations: [{ id: 2, name: 'South', eap: false }] });
    const invitation = await site.invite({ organizationId: 2, email: aUser(users.owner).email });
    const guest = site.visitor();
    assert.equal((await guest.fillIn(invitation, { password })).location, step);
    const joined = await guest.fillIn(step, { second_factor: code() });
    assert.equal(joined.location, '/meetings');
    assert.match((await follow(guest, joined)).words, /You have joined/);
    site.clock.advance(MINUTE_MS);
    const renew = '/account/stay-signed-in';
    assert.equal((await client.fillIn(renew, { password })).location, step);
    const renewed = await follow(client, await client.fillIn(step, { second_factor: code() }));
    assert.match(renewed.words, /Go on where you were/);
  });
});

describe('An owner with a second factor', () => {
  test('gives it to replace keys and secrets, and to change sign-on and the directory', async (t) => {
    const site = await startSecondFactorSite(t);
    const { client, code } = await ownerWithApp(site);
    const organization = { id: 1 };
    await site.core.generateAccessKey({ organizationId: 1 });
    await site.core.configureWebhook({
      ...{ organization, how: 'set' },
      webhook: { url: 'https://hooks.test/', enabled: true, events: ['user.registered'] },
    });
    const signOn = { issuer: 'https://idp.test', client_id: 'a', client_secret: 'b', admits: 'provisioned' };
    const known = async () =>
      JSON.stringify([
        (await site.storage.organizations.byId(1))?.accessKeyGeneration,
        (await site.storage.webhooks.of(1))?.encryptedSecret,
        await site.storage.signOns.of(1),
        await site.storage.directoryTokens.of(1),
        await site.core.findSetupLink({ organization }),
        (await site.core.readMember({ organization, userId: users.member })).role,
      ]);
    for (const [path, fields] of [
      ['/organizations/1/access-key', {}],
      ['/organizations/1/webhooks/secret', {}],
      ['/organizations/1/sign-on', signOn],
      ['/organizations/1/directory/token', {}],
      ['/organizations/1/setup-link', {}],
      [`/organizations/1/people/${users.member}`, { role: 'owner' }],
    ] as const) {
      site.clock.advance(MINUTE_MS);
      const before = await known();
      for (const wrong of ['', '000000']) {
        const refused = await client.fillIn(path, { ...fields, second_factor: wrong });
        assert.equal(refused.status, 422, path);
        assert.match(refused.words, /Code is (required|wrong)/, path);
      }
      const { second_factor, ...form } = await client.fieldsOf(path);
      const without = await client.send({ path, fields: { ...form, ...fields, current_password } });
      assert.equal(without.status, 422, path);
      assert.equal(await known(), before, path);
      assert.equal((await client.fillIn(path, { ...fields, second_factor: code() })).status, 303, path);
      assert.notEqual(await known(), before, path);
    }
  });

  test('can require one of owners and admins, who add it before anything of the organization opens', async (t) => {
    const site = await startSecondFactorSite(t);
    const path = '/organizations/1/second-factor';
    const admin = await site.withPassword('admin');
    const member = await site.withPassword('member');
    const lone = await site.withPassword('owner');
    const asked = await lone.open(path);
    assert.match(asked.words, /Only owners who have a second factor can change this/);
    assert.match(asked.text, /href="\/account\/second-factor"[^>]*>Add your second factor</);
    assert.doesNotMatch(asked.text, /current_password/);
    const refused = await lone.fillIn(path, { current_password });
    assert.equal(refused.status, 403);
    assert.match(refused.words, /Please add a second factor/);
    assert.equal(await site.storage.secondFactors.isRequired(1), false);
    const settings = '/organizations/1/settings';
    assert.match(
      await lone.read(settings),
      /Optional Ask owners .* you need a second factor of your own first/,
    );

    const leadsBack = async () =>
      (await lone.open('/account/second-factor')).text.includes(`href="${path}">Require a second factor</a>`);
    assert.equal(await leadsBack(), false, 'the page was left meanwhile');
    await lone.open(path);
    assert.equal(await leadsBack(), true);

    const { client, code, leadsTo } = await ownerWithApp(site, lone);
    assert.equal(leadsTo, path);
    assert.doesNotMatch(await client.read(settings), /of your own first/);
    const required = await client.fillIn(path, { second_factor: code() });
    assert.equal(required.location, '/organizations/1/settings');
    assert.match(
      (await follow(client, required)).words,
      /A second factor is now required of owners and admins\. .*Second factor Required Owners and admins who .* need/,
    );
    for (const page of ['/organizations/1', '/organizations/1/meetings']) {
      const shut = await admin.open(page);
      assert.equal(shut.status, 403, page);
      assert.match(shut.text, /href="\/account\/second-factor"/);
      assert.equal((await member.open('/organizations/1/meetings')).status, 200);
    }
    const next = encodeURIComponent('/organizations/1');
    const again = site.visitor();
    const signedIn = await site.signIn(again, 'admin', `/sign-in?next=${next}`);
    assert.equal((await follow(again, signedIn)).status, 403);
    await site.withApp(again);
    assert.equal((await again.open('/organizations/1')).status, 200);

    site.clock.advance(MINUTE_MS);
    assert.match(await client.read(path), /Stop requiring a second factor\?/);
    assert.equal((await client.fillIn(path, { second_factor: code() })).status, 303);
    assert.equal((await admin.open('/organizations/1')).location, '/sign-in?next=%2Forganizations%2F1');
    const activity = await client.read('/organizations/1/activity');
    for (const words of [
      'Required a second factor of owners and admins',
      'Stopped requiring a second factor',
      'Added a second factor',
    ])
      assert.ok(activity.includes(words), words);
  });
});
