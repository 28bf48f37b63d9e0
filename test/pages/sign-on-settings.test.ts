import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { aPerson, issuer } from '#test/support/core/scripted-provider.js';
import { copiedText, follow, type PageClient } from '#test/support/page/client.js';
import { type SignOnSite, settings, startSignOnSite, users, wayIn } from '#test/support/page/sign-on-site.js';
import { password } from '#test/support/page/site.js';

const organization = { id: 1 };
const current_password = password;

/** Sends the form of the settings. */
function save(client: PageClient, fields: Readonly<Record<string, string>> = {}, path = settings) {
  return client.fillIn(path, { admits: 'provisioned', current_password, ...fields });
}

/** The whole round trip of a trial, up to its page. */
async function tried(site: SignOnSite, client: PageClient, person = aPerson('x')): Promise<string> {
  const back = await site.signOnAs(client, person, `${settings}/try`);
  assert.deepEqual([back.status, back.location], [303, `${settings}/tried`]);
  return (await follow(client, back)).words;
}

describe('The settings of sign-on', () => {
  test('begin empty, with the addresses to copy and what to click at the provider', async (t) => {
    const site = await startSignOnSite(t);
    const member = await site.withPassword('member');
    const path = '/organizations/2/sign-on';
    assert.match(await member.read('/organizations/2/settings'), /Sign-on Off .* Set sign-on up/);
    const page = await member.open(path);
    const base = `${site.url}/sign-in/organizations/2`;
    assert.deepEqual(
      ['redirect', 'start', 'logout'].map((id) => copiedText(page.text, id)),
      [`${base}/callback`, base, `${base}/backchannel_logout`],
    );
    assert.match(page.words, /App registrations, then New registration/);
    assert.equal(page.fields.id_claim, 'oid');
    const okta = await member.open(`${path}?provider=okta`);
    assert.match(okta.words, /initiate login URI/);
    assert.equal(okta.fields.id_claim, 'sub');
    assert.doesNotMatch(okta.text, /name="hosted_domain"/);
    assert.match((await member.open(`${path}?provider=google`)).text, /name="hosted_domain"/);
    const saved = await save(
      member,
      { issuer: 'https://north.okta.com', client_id: 'rollcall', client_secret: 'the secret of okta' },
      `${path}?provider=okta`,
    );
    assert.equal(saved.status, 422, 'a secret has no spaces');
    const again = await save(
      member,
      { issuer: 'https://north.okta.com', client_id: 'rollcall', client_secret: 'okta-secret' },
      `${path}?provider=okta`,
    );
    assert.deepEqual([again.status, again.location], [303, path]);
    const shown = await follow(member, again);
    assert.match(shown.words, /Sign-on saved\. .* Sign-on Off Issuer https:\/\/north\.okta\.com/);
    assert.doesNotMatch(shown.text, /okta-secret/);
    assert.match(shown.text, /aria-current="true">Okta/);
  });

  test('change with the password of the owner only', async (t) => {
    const site = await startSignOnSite(t);
    const owner = await site.withPassword('owner');
    const before = await site.storage.signOns.of(1);
    for (const wrong of ['', 'wrong', 'another password']) {
      const refused = await save(owner, { client_id: 'other', current_password: wrong });
      assert.equal(refused.status, 422);
      const problem = wrong === '' ? /Your password is required/ : /Your password is wrong/;
      assert.match(refused.words, problem);
      assert.equal(refused.fields.client_id, 'other', 'what was typed stays');
    }
    for (const to of ['on', 'required', 'off', 'remove']) {
      const refused = await owner.fillIn(`${settings}/${to}`, { current_password: 'wrong' });
      assert.equal(refused.status, 422, to);
      assert.match(refused.words, /Your password is wrong/, to);
    }
    assert.deepEqual(await site.storage.signOns.of(1), before);
    assert.equal((await save(owner, { client_id: 'other' })).status, 303);
    assert.equal((await site.storage.signOns.of(1))?.clientId, 'other');
  });

  test('name each wrong field, and overwrite no later change unasked', async (t) => {
    const site = await startSignOnSite(t);
    const owner = await site.withPassword('owner');
    const refused = await save(owner, {
      ...{
        issuer: 'https://login.microsoftonline.com/common/v2.0',
        id_claim: 'a b',
        secret_expires_on: 'soon',
      },
    });
    assert.equal(refused.status, 422);
    for (const problem of [
      /Issuer must name one tenant/,
      /Claim .* must be the name/,
      /expires on must be a day/,
    ])
      assert.match(refused.words, problem);
    const page = await owner.fieldsOf(settings);
    site.clock.advance(1000);
    assert.equal((await save(owner, { client_id: 'later' })).status, 303);
    const form = { ...page, admits: 'provisioned', client_id: 'mine', current_password };
    const outdated = await owner.send({ path: settings, fields: form });
    assert.equal(outdated.status, 422);
    assert.match(outdated.words, /Someone changed sign-on after .* the client later/);
    assert.equal((await site.storage.signOns.of(1))?.clientId, 'later');
    const told = { ...form, ...outdated.fields, current_password };
    assert.equal((await owner.send({ path: settings, fields: told })).status, 303);
    assert.equal((await site.storage.signOns.of(1))?.clientId, 'mine');
  });

  test('warn owners 30 days before the secret expires, while sign-on is on', async (t) => {
    const site = await startSignOnSite(t, { secretExpiresOn: '2026-12-21' });
    const [owner, admin] = [await site.withPassword('owner'), await site.withPassword('admin')];
    const warning = /The client secret of sign-on/;
    for (const path of ['/organizations/1', settings]) assert.doesNotMatch(await owner.read(path), warning);
    await save(owner, { secret_expires_on: '2026-12-20' });
    for (const path of ['/organizations/1', settings])
      assert.match(await owner.read(path), /expires on Sunday 20 December 2026 \. Make a new one/);
    assert.doesNotMatch(await admin.read('/organizations/1'), warning);
    await save(owner, { secret_expires_on: '2026-11-19' });
    assert.match(
      await owner.read(settings),
      /The client secret of sign-on expired on Thursday 19 November 2026/,
    );
    await site.core.switchSignOn({ organization, to: 'off' });
    assert.doesNotMatch(await owner.read('/organizations/1'), warning);
  });
});

describe('The check of the provider', () => {
  test('says what it offers, what is missing, or why it could not be reached', async (t) => {
    const site = await startSignOnSite(t);
    const owner = await site.withPassword('owner');
    const check = () => owner.read(`${settings}/check`);
    assert.match(
      await check(),
      /Nothing is missing\. .* RS256 .* Sends sign-outs \(back-channel logout\) Yes/,
    );
    site.script.offer = {
      ...{ problems: ['It names no jwks_uri'], algorithms: [], namesIssuer: false },
      ...{ hasUserinfo: false, hasLogout: false },
    };
    assert.match(
      await check(),
      /can’t work yet\. It names no jwks_uri\. .* None of RS256, PS256, ES256 and EdDSA/,
    );
    site.script.offer = { failure: 'unreachable', reason: 'it answered with a redirect', code: null };
    assert.match(await check(), /could not reach the provider: it answered with a redirect/);
  });
});

describe('A trial', () => {
  test('shows the claims and who would be signed in, and signs in, links and registers nobody', async (t) => {
    const site = await startSignOnSite(t, { admits: 'anyone' });
    const owner = await site.withPassword('owner');
    const session = owner.cookie('session');
    const before = await site.core.listMembers({ organization });
    const text = await tried(
      site,
      owner,
      aPerson('idp-102', { email: 'ana@north.example', groups: ['<b>', 'y'] }),
    );
    assert.match(text, /The trial has passed .* Nobody was signed in, linked or registered/);
    assert.match(text, new RegExp(`${aUser(users.member).email} would be linked to this person`));
    assert.match(text, /email ana@north\.example groups \["<b>","y"\]/);
    assert.match(
      await tried(site, owner, aPerson('new', { email: 'n@north.example' })),
      /would become a member/,
    );
    assert.match(
      await tried(site, owner, aPerson('x', { email: aUser(users.owner).email })),
      /would be asked to confirm once/,
    );
    assert.match(
      await tried(site, owner, aPerson('x')),
      /Nobody would be signed in: the claims have no email/,
    );
    assert.equal(owner.cookie('session'), session);
    assert.equal(await site.linked('member'), null);
    assert.deepEqual((await site.core.listMembers({ organization })).totalItems, before.totalItems);
  });

  test('that fails tells the owner the reason, also if the provider cannot be asked', async (t) => {
    const site = await startSignOnSite(t);
    const owner = await site.withPassword('owner');
    const back = await site.signOnAs(
      owner,
      { failure: 'invalid', reason: 'the token is for another client', code: null },
      `${settings}/try`,
    );
    assert.match(
      (await follow(owner, back)).words,
      /The trial has failed We could not identify the person: the token is for another client/,
    );
    site.script.begins = { failure: 'unreachable', reason: 'no answer', code: null };
    site.script.offer = { failure: 'unreachable', reason: 'no answer within 10 s', code: null };
    const away = await owner.open(`${settings}/try`);
    assert.match((await follow(owner, away)).words, /could not reach the provider: no answer within 10 s/);
  });

  test('is shown to the owner who made it only, and works while sign-on is off', async (t) => {
    const site = await startSignOnSite(t);
    await site.core.switchSignOn({ organization, to: 'off' });
    const owner = await site.withPassword('owner');
    await tried(site, owner);
    await site.addUser({ id: 110, organizations: [1], role: 'owner' });
    await owner.fillIn('/account', {}, '/sign-out');
    await owner.fillIn('/sign-in', { email: aUser(110).email, password });
    assert.equal((await owner.open(`${settings}/tried`)).location, settings);
  });

  test('ends only in the session of the owner who began it', async (t) => {
    const site = await startSignOnSite(t);
    const owner = await site.withPassword('owner');
    const begun = await owner.open(`${settings}/try`);
    const { searchParams } = new URL(begun.location ?? '');
    const answer = `${wayIn}/callback?code=1&state=${encodeURIComponent(searchParams.get('state') ?? '')}`;
    const stolen = site.visitor();
    stolen.setCookie('sign-on', owner.cookie('sign-on') ?? '');
    assert.equal((await stolen.open(answer)).status, 410);
    await stolen.fillIn('/sign-in', { email: aUser(users.admin).email, password });
    assert.equal((await stolen.open(answer)).status, 404);
    assert.equal((await site.storage.signOns.of(1))?.tested, null);
    assert.equal((await owner.open(answer)).location, `${settings}/tried`);
    assert.equal((await site.storage.signOns.of(1))?.tested?.by, users.owner);
  });
});

describe('Sign-on', () => {
  test('is required only by an owner who has tried it, and then no longer', async (t) => {
    const site = await startSignOnSite(t);
    const owner = await site.withPassword('owner');
    assert.match(await owner.read(settings), /You can require sign-on once you have tried it yourself/);
    const early = await owner.fillIn(`${settings}/required`, { current_password });
    assert.equal(early.status, 422);
    assert.match(early.words, /Try it first/);
    await tried(site, owner);
    assert.match(await owner.read(settings), /Require it/);
    const required = await owner.fillIn(`${settings}/required`, { current_password });
    assert.match((await follow(owner, required)).words, /Sign-on is required now\. .* Sign-on Required/);
    assert.equal((await (await site.withPassword('admin')).open('/organizations/1')).status, 403);
    assert.match(await owner.read(`${settings}/on`), /Stop requiring sign-on\?/);
    const eased = await owner.fillIn(`${settings}/on`, { current_password });
    assert.match((await follow(owner, eased)).words, /Sign-on is on\. .* Sign-on On/);
    assert.equal((await (await site.withPassword('admin')).open('/organizations/1')).status, 200);
  });

  test('that is turned off or removed signs out who came in with it', async (t) => {
    const site = await startSignOnSite(t);
    const owner = await site.withPassword('owner');
    for (const [to, shows] of [
      ['off', /Sign-on is off\. Everyone who signed in with it is signed out/],
      ['remove', /Sign-on removed\./],
    ] as const) {
      await site.core.switchSignOn({ organization, to: 'on' });
      const member = site.visitor();
      await site.signOnAs(member, aPerson('idp-102'));
      assert.equal((await member.open('/organizations/1/meetings')).status, 200);
      const done = await owner.fillIn(`${settings}/${to}`, { current_password });
      assert.match((await follow(owner, done)).words, shows);
      assert.equal((await member.open('/organizations/1/meetings')).status, 303);
    }
    assert.equal(await site.core.readSignOn({ organization }), null);
    assert.equal(await site.linked('member'), null);
    for (const to of ['on', 'required', 'off', 'remove', 'check', 'try'])
      assert.ok(
        [settings, `${settings}/check`].includes((await owner.open(`${settings}/${to}`)).location ?? ''),
        to,
      );
  });

  test('knows one person for each member, until an owner unlinks them', async (t) => {
    const site = await startSignOnSite(t);
    const [owner, admin] = [await site.withPassword('owner'), await site.withPassword('admin')];
    const person = `/organizations/1/people/${users.member}`;
    assert.doesNotMatch(await owner.read(person), /Linked to the identity provider/);
    assert.equal((await owner.open(`${person}/unlink`)).location, person);
    await site.link('member', 'the old account');
    assert.match(
      await owner.read(person),
      /Linked to the identity provider Since 20 Nov 2026, 12:00 , as the old account/,
    );
    assert.doesNotMatch(await admin.read(person), /Unlink them/);
    const member = site.visitor();
    assert.equal((await site.signOnAs(member, aPerson('the old account'))).status, 303);
    assert.equal((await site.signOnAs(site.visitor(), aPerson('idp-102'))).status, 403);
    assert.match(await owner.read(`${person}/unlink`), /At your identity provider they are the old account/);
    const done = await owner.fillIn(`${person}/unlink`, {});
    assert.match((await follow(owner, done)).words, /First102 Last102.* is no longer linked/);
    assert.equal((await member.open('/organizations/1/meetings')).status, 303);
    assert.equal((await site.signOnAs(site.visitor(), aPerson('idp-102'))).status, 303);
    assert.equal((await site.linked('member'))?.issuer, issuer);
  });
});
