import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { readableText } from '#test/support/page/client.js';
import { startFullSite, users } from '#test/support/page/routes.js';
import { password } from '#test/support/page/site.js';

const directory = '/organizations/1/directory';
const current_password = password;
const organization = { id: 1 };
const entry = {
  ...{ userName: 'ada@north.test', externalId: '00uA1', givenName: 'Ada', familyName: 'King' },
  ...{ displayName: null, email: null, isActive: true },
};

async function start(context: Parameters<typeof startFullSite>[0]) {
  const site = await startFullSite(context);
  await site.core.endDirectoryTokens({ organization, which: 'all' });
  const owner = await site.signedIn(users.owner);
  const shown = (path = directory) => owner.read(path);
  const opens = (token: string) =>
    site.core.authorizeDirectory({ token, organizationId: '1', address: '' }).then(
      () => true,
      () => false,
    );
  /** Creates or replaces the token, and returns the one that is shown. */
  const issue = async (fields = {}) => {
    const { location } = await owner.fillIn(`${directory}/token`, { current_password, ...fields });
    const { text, words } = await owner.open(location ?? '');
    return /id="directory-token"[\s\S]*?([\da-f]{8}\.[\w-]{43})/.exec(text)?.[1] ?? assert.fail(words);
  };
  return { site, owner, shown, opens, issue };
}

describe('The directory of an organization', () => {
  test('is off at first, and turned on by a token that is shown once', async (t) => {
    const { owner, shown, opens, issue } = await start(t);
    assert.match(await shown(), /Directory Off .*Turn the directory on/s);
    const token = await issue();
    assert.ok(await opens(token), token);
    const again = await owner.open(`${directory}/token/new`);
    assert.ok(!again.text.includes(token));
    assert.match(again.words, /can’t be shown again/);
    assert.match(await shown(), /Directory On .*Last used Never|Directory On .*Last used/s);
  });

  test('has two tokens while the old one is kept, and the old one and all can be ended', async (t) => {
    const { owner, shown, opens, issue } = await start(t);
    const first = await issue();
    const second = await issue({ keep_old_hours: '24' });
    assert.deepEqual([await opens(first), await opens(second)], [true, true]);
    assert.match(await shown(), /Old token Works until/);
    await owner.fillIn(`${directory}/token/old`, { current_password });
    assert.match(await shown(), /The old token no longer works/);
    assert.deepEqual([await opens(first), await opens(second)], [false, true]);
    await owner.fillIn(`${directory}/off`, { current_password });
    assert.match(await shown(), /The directory is off/);
    assert.equal(await opens(second), false);
    assert.equal((await owner.open(`${directory}/off`)).location, directory);
  });

  test('changes with the password of the owner only', async (t) => {
    const { owner, shown, opens, issue } = await start(t);
    const token = await issue();
    await issue({ keep_old_hours: '24' });
    const before = await shown();
    for (const path of ['/token', '/token/old', '/off']) {
      const refused = await owner.fillIn(directory + path, { current_password: 'wrong' });
      assert.equal(refused.status, 422, path);
      assert.match(refused.words, /password is wrong|wrong password/i);
    }
    assert.equal(await shown(), before);
    assert.ok(await opens(token));
  });

  test('replaces no token that someone else has created meanwhile', async (t) => {
    const { site, owner, opens } = await start(t);
    const { token } = await site.core.issueDirectoryToken({ organization });
    const fields = { keep_old_hours: '', replaces: 'none', current_password };
    const { status, words } = await owner.fillIn(`${directory}/token`, fields);
    assert.equal(status, 409);
    assert.match(words, /The token has changed/);
    assert.ok(await opens(token.reveal()));
  });

  test('shows its address, its numbers, the last requests in words, and what to map', async (t) => {
    const { site, shown } = await start(t);
    const { uuid } = await site.core.provisionUser({ organization, entry, from: '' });
    await site.core.provisionUser({
      ...{ organization, from: '' },
      entry: { ...entry, userName: 'x', externalId: null, email: aUser(users.elsewhere).email },
    });
    const request = { organization, method: 'POST', uuid };
    await site.core.recordDirectoryRequest({ ...request, status: 201, reason: 'Added: member' });
    await site.core.recordDirectoryRequest({ ...request, status: 409, reason: '<b>last</b>', uuid: null });
    const text = await shown();
    assert.match(text, /\/scim\/v2\/1/);
    assert.match(
      text,
      /Active 5 Show the people Inactive 0 Active without an identity provider ID 4 Waiting invitations 1 Show/,
    );
    assert.match(text, /409 <b>last<\/b>.*201 Added: member/s);
    assert.match(text, new RegExp(`POST ${uuid}`));
    assert.doesNotMatch(text, /Inactive people/);
    await site.core.changeProvisioned({
      ...{ organization, uuid, from: '', change: (before) => ({ ...before, isActive: false }) },
    });
    assert.match(
      await shown(),
      /Inactive 1 .* Inactive people .* activates them\. Ada King, ada@north\.test/,
    );
    for (const provider of ['Microsoft Entra ID', 'Okta', 'Google', 'JumpCloud', 'OneLogin', 'Other'])
      assert.match(text, new RegExp(provider));
    assert.match(text, /objectId to externalId/);
  });

  test('finds a person by anything that identifies them, and says why someone is missing', async (t) => {
    const { site, shown } = await start(t);
    const found = async (search: string) => {
      const text = await shown(`${directory}?search=${encodeURIComponent(search)}`);
      return /Find a person (.*?) What to map/s.exec(text)?.[1] ?? assert.fail(text);
    };
    const { uuid } = await site.core.provisionUser({ organization, entry, from: '' });
    for (const search of [' ADA@north.test ', '00uA1', uuid, uuid.toUpperCase()]) {
      const text = await found(search);
      assert.match(text, /Member They are a member of/, search);
      assert.match(text, /Person Ada King Name at your provider ada@north\.test/, search);
      assert.match(text, /ID 00uA1 UUID .* by your provider Yes Open this person/, search);
    }
    for (const search of ['00ua1', 'ada', 'ada@north.tes', 'x'.repeat(3000), '\u0000', '<b>', '%'])
      assert.match(await found(search), /Nobody here has it/, search);
    const off = { organization, uuid, from: '', change: () => ({ ...entry, isActive: false }) };
    await site.core.changeProvisioned(off);
    assert.match(await found('ada@north.test'), /Inactive Your provider has deactivated them.*ID 00uA1 /);
    await site.core.changeProvisioned({ ...off, change: () => entry });
    const { member: again } = await site.core.readProvisioned({ organization, uuid });
    await site.core.removeMember({ organization, userId: again?.user.id ?? 0 });
    assert.match(await found('ada@north.test'), /Inactive .* or their membership was ended here/);
    const { email } = aUser(users.elsewhere);
    const invited = { ...entry, userName: 'x', externalId: null, email };
    await site.core.provisionUser({ organization, from: '', entry: invited });
    assert.match(await found(email), /Invited Their address has an account already.*Show the invitation/);
    const member = aUser(users.member).email;
    assert.match(await found(member), /Member They are .* by your provider Never Open this person/);
    assert.doesNotMatch(await found(member), /Name at your provider /);
    assert.doesNotMatch(await shown(), /They are a member|Nobody here|Inactive Your/);
  });

  test('is on the page of a person whose ID it keeps, and that ID is not changed there', async (t) => {
    const { site, owner } = await start(t);
    const { member } = await site.core.provisionUser({ organization, entry, from: '' });
    const path = `/organizations/1/people/${member?.user.id}`;
    const { text } = await owner.open(path);
    assert.match(readableText(text), /Identity provider ID 00uA1 ?, kept by the directory/);
    assert.doesNotMatch(text, /name="idp_id"/);
    const admin = await site.signedIn(users.admin);
    assert.match(await admin.read(path), /00uA1 ?, kept by the directory/);
    const other = await owner.open(`/organizations/1/people/${users.member}`);
    assert.match(other.text, /name="idp_id"/);
    assert.doesNotMatch(other.words, /kept by the directory/);
  });
});
