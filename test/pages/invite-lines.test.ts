import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { maxInvitationLines } from '@rollcall/core/rules';
import { dana, invitePath, manyPath, startInvitationSite } from '../support/page/invitation-site.js';

describe('A list of people', () => {
  test('may have 500 long lines; one more is refused, and the input is kept', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const line = (number: number) => `p${number}@example.test,${'Å'.repeat(60)},${'界'.repeat(60)}`;
    const lines = Array.from({ length: maxInvitationLines }, (_, index) => line(index));
    const refused = await admin.fillIn(manyPath, { people: [...lines, line(500)].join('\n') });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /id="people-hint">People must have at most 500 lines</);
    assert.ok(refused.text.includes(line(500)));
    assert.equal((await site.core.listInvitations({ organization: { id: 1 } })).totalItems, 0);

    const answer = await admin.fillIn(manyPath, { people: lines.join('\n') });
    assert.equal(answer.status, 200);
    assert.match(answer.words, /Invited 500 people/);
    assert.equal((await site.core.listInvitations({ organization: { id: 1 } })).totalItems, 500);
  });

  test('that is empty or has no valid line gets a message, and nothing changes', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const before = [...site.changes];
    const empty = await admin.fillIn(manyPath, { people: ' \n ' });
    assert.equal(empty.status, 422);
    assert.match(empty.text, /id="people-hint">Enter at least one line</);
    const bad = await admin.fillIn(manyPath, { people: '<b>x</b>' });
    assert.equal(bad.status, 422);
    assert.match(bad.words, /Invited 0 of 1 person/);
    assert.deepEqual(site.changes, before);
  });

  test('of which no line needs another try has no form', async (t) => {
    const { admin } = await startInvitationSite(t);
    const { status, text, words } = await admin.fillIn(manyPath, { people: 'user-101@example.test,Is,Here' });
    assert.equal(status, 422);
    assert.match(words, /Line 1 needs no second try, because the person is a member or in an earlier line\./);
    assert.doesNotMatch(text, /<textarea/);
  });

  test('that is sent again returns the same links', async (t) => {
    const { admin } = await startInvitationSite(t);
    const people = 'one@example.test,One,First\ntwo@example.test,Two,Second';
    const urls = async () => {
      const { status, text } = await admin.fillIn(manyPath, { people });
      assert.equal(status, 200);
      return /id="urls">([^<]*)</.exec(text)?.[1];
    };
    assert.equal(await urls(), await urls());
  });

  test('may be larger than any other form, up to a limit that the page names', async (t) => {
    const { admin } = await startInvitationSite(t);
    const padding = 'x'.repeat(30 * 1024);
    assert.equal(
      (await admin.fillIn(manyPath, { people: 'one@example.test,One,First', padding })).status,
      200,
    );
    assert.equal((await admin.fillIn(invitePath, { ...dana, padding })).status, 413);
    const tooLarge = await admin.fillIn(manyPath, { people: 'x'.repeat(1_000_001) });
    assert.equal(tooLarge.status, 413);
    assert.match(
      tooLarge.words,
      /too large Nothing was changed\. Shorten what you entered, or split it into several parts/,
    );
  });
});

describe('A list that is larger than other forms', () => {
  test('is read only from people who may send one', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const stranger = site.visitor();
    await stranger.open('/sign-in');
    const link = await site.linkFor(100);
    const bound = site.visitor();
    await bound.fillIn(link, {});
    const others = { 403: bound, 404: await site.signedIn(101), 303: stranger };
    for (const [status, client] of Object.entries(others)) {
      const page = await client.open(client === stranger ? '/sign-in' : '/organizations/1/meetings');
      const { form_token = '' } = page.fields;
      const send = (people: string) => client.send({ path: manyPath, fields: { form_token, people } });
      assert.equal((await send('x'.repeat(10_000))).status, Number(status));
      assert.equal((await send('x'.repeat(30_000))).status, 413, status);
    }
    const wrong = { form_token: 'x', people: 'x'.repeat(30_000) };
    assert.equal((await admin.send({ path: manyPath, fields: wrong })).status, 403);
    for (const path of ['/organizations/2/invitations/many', '/organizations/01/invitations/many'])
      assert.equal((await admin.send({ path, fields: wrong })).status, 413, path);
  });
});
