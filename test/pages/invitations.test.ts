import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { copiedText, formFields, type PageClient, readableText } from '#test/support/page/client.js';
import { password } from '#test/support/page/site.js';
import {
  dana,
  invitePath,
  listPath,
  manyPath,
  startInvitationSite,
} from '../support/page/invitation-site.js';

/** Invites with the form, and reads the paths of the invitation's page and of its link. */
async function invite(
  admin: PageClient,
  person: Readonly<Record<string, string>> = dana,
): Promise<{ path: string; url: string }> {
  const answer = await admin.fillIn(invitePath, person);
  assert.equal(answer.status, 303, answer.text);
  const { text } = await admin.open(answer.location ?? '');
  return { path: `${listPath}/${answer.location?.split('invited=')[1]}`, url: urlIn(text) };
}

const urlIn = (html: string): string => new URL(copiedText(html, 'invitation-url') ?? 'none').pathname;

/** Opens the page that asks, and confirms. */
async function confirm(client: PageClient, path: string): Promise<void> {
  const answer = await client.fillIn(path, {});
  assert.equal(answer.status, 303, answer.text);
}

describe('Inviting from the page', () => {
  test('leads to a page with the link, which the invited person can open, and the list shows who invited them and when', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const { path, url } = await invite(admin);
    assert.match(path, /^\/organizations\/1\/invitations\/[0-9a-f-]{36}$/);
    assert.match(
      await site.visitor().read(url),
      /Join Northwind Wellness First100 Last100 invites you to join as a member\. You’ll see your meetings/,
    );
    assert.match(
      await admin.read(listPath),
      /Dana Kim dana@example\.test Pending 20 Nov 2026, 12:00 First100 Last100/,
    );
    const { items } = await site.core.listInvitations({ organization: { id: 1 } });
    assert.deepEqual(items[0]?.invitedBy, { kind: 'user', userId: 100 });
    const activity = await site.core.listActivity({ organization: { id: 1 } });
    assert.deepEqual(
      activity.items.map(({ action, subject, actor }) => [action, subject, actor.who]),
      [['user-invited', dana.email, { kind: 'user', userId: 100 }]],
    );
  });

  test('three people are invited with three forms, each ready for the next one below the link of the last', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    let page = await admin.open(invitePath);
    for (const name of ['Ada', 'Bea', 'Cleo']) {
      const fields = {
        ...page.fields,
        email: `${name}@example.test`,
        first_name: name,
        last_name: 'X',
      };
      const sent = await admin.send({ path: invitePath, fields });
      assert.equal(sent.status, 303);
      page = await admin.open(sent.location ?? '');
      assert.match(page.words, new RegExp(`The invitation is ready.*${name} X is invited`));
      const { email, first_name } = page.fields;
      assert.deepEqual([email, first_name], ['', '']);
      assert.equal((await site.visitor().open(urlIn(page.text))).status, 200);
    }
    for (const unknown of ['x', '00000000-0000-4000-8000-000000000099'])
      assert.equal((await admin.open(`${invitePath}?invited=${unknown}`)).status, 200);
  });

  test('inviting someone again says whom the pending invitation names, and renews it with what was typed', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const { path, url } = await invite(admin);
    const typed = {
      email: dana.email.toUpperCase(),
      first_name: 'Dora',
      last_name: 'Kim-<b>',
      expires_in_days: '7',
    };
    const sent = await admin.fillIn(invitePath, typed);
    assert.equal(sent.status, 200);
    assert.match(
      sent.words,
      /Dana Kim was invited before This address has a pending invitation from 20 Nov 2026, 12:00 \(UTC\)\. .* Dora Kim-<b> gets a new link/,
    );
    assert.equal(urlIn(sent.text), url);
    const { items } = await site.core.listInvitations({ organization: { id: 1 } });
    assert.deepEqual([items[0]?.firstName, items[0]?.expiresAt], ['Dana', null]);
    const [renewal = ''] = /<form [^>]*action="[^"]*\/renew".*?<\/form>/s.exec(sent.text) ?? [];
    const renewed = await admin.send({ path: `${path}/renew`, fields: formFields(renewal) });
    assert.deepEqual([renewed.status, renewed.location], [303, path]);
    const after = await site.core.readInvitation({ organization: { id: 1 }, uuid: path.slice(-36) });
    assert.deepEqual([after.firstName, after.lastName], ['Dora', 'Kim-<b>']);
    assert.equal(after.expiresAt?.getTime(), site.clock.now().getTime() + 7 * 24 * 60 * 60_000);
    assert.equal((await site.visitor().open(url)).status, 410);
  });

  test('an invitation that expires says until when, and then that it has expired', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    assert.match((await admin.open(invitePath)).text, /<option value="30" selected>In 30 days</);
    const { path, url } = await invite(admin, { ...dana, expires_in_days: '7' });
    assert.match(await admin.read(path), /Expires 27 Nov 2026, 12:00/);
    assert.match(await admin.read(listPath), /dana@example\.test Pending until 27 Nov 20 Nov/);
    assert.match(await site.visitor().read(url), /expires on 27 Nov 2026, 12:00/);
    const wrong = await admin.fillIn(invitePath, {
      ...dana,
      email: 'a@example.test',
      expires_in_days: '366',
    });
    assert.match(wrong.text, /id="expires_in_days-hint">Link expires must be a whole number from 1 to 365/);
    site.clock.advance(7 * 24 * 60 * 60_000);
    const late = await site.visitor().open(url);
    assert.equal(late.status, 410);
    assert.match(late.words, /This invitation has expired/);
    const again = await site.signedIn(100);
    assert.match(await again.read(listPath), /dana@example\.test Expired/);
    assert.match(await again.read(path), /This invitation has expired\. .* Renew it/);
    assert.equal((await again.fillIn(`${path}/renew`, { expires_in_days: '7' })).status, 303);
    assert.match((await again.open(`${path}/renew`)).text, /<option value="7" selected>/);
    assert.match(await again.read(path), /State Pending .* Expires 4 Dec 2026, 12:00/);
  });

  test('an owner invites an admin, whose link other admins do not see; an admin invites members only', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    await site.addUser({ id: 103, organizations: [1], role: 'owner' });
    const owner = await site.signedIn(103);
    assert.doesNotMatch((await admin.open(invitePath)).text, /name="role"/);
    const refused = await admin.fillIn(invitePath, { ...dana, role: 'admin' });
    assert.match(refused.words, /Role must be member, unless an owner invites/);
    assert.equal((await owner.fillIn(invitePath, { ...dana, role: 'owner' })).status, 422);
    const { path, url } = await invite(owner, { ...dana, role: 'admin' });
    assert.match(await owner.read(path), /Role Admin/);
    for (const shown of [path, listPath, `${listPath}.csv`])
      assert.ok(!(await admin.open(shown)).text.includes(url), shown);
    assert.match(await admin.read(path), /Only owners see this link/);
    assert.match(await admin.read(`${path}/renew`), /they join as a member/);
    assert.match(await site.visitor().read(url), /to join as an admin\. You’ll manage/);
    await site.visitor().fillIn(url, { password });
    const { items } = await site.core.listUsers({ organization: { id: 1 }, email: dana.email });
    assert.equal(items[0]?.role, 'admin');
    const [entry = []] = await site.activity();
    assert.deepEqual(entry.slice(0, 2), ['role-changed', `${dana.email}: admin`]);
  });

  test('an inviter who is no longer an owner invites a member', async (t) => {
    const { site } = await startInvitationSite(t);
    for (const id of [103, 104]) await site.addUser({ id, organizations: [1], role: 'owner' });
    const { url } = await invite(await site.signedIn(103), { ...dana, role: 'admin' });
    await site.core.changeRole({ organization: { id: 1 }, userId: 103, role: 'admin' });
    assert.match(await site.visitor().read(url), /invites you to join as a member/);
    await site.visitor().fillIn(url, { password });
    const { items } = await site.core.listUsers({ organization: { id: 1 }, email: dana.email });
    assert.equal(items[0]?.role, 'member');
  });

  test('an accepted invitation leads to the person, as long as they are a member', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const { path, url } = await invite(admin);
    await site.visitor().fillIn(url, { password });
    const [member] = (await site.core.listUsers({ organization: { id: 1 }, email: dana.email })).items;
    const { text, words } = await admin.open(path);
    assert.match(words, /Invited 20 Nov 2026, 12:00 by First100 Last100 Accepted 20 Nov 2026/);
    assert.ok(text.includes(`<a href="/organizations/1/people/${member?.user.id}"><bdi>Dana Kim`));
    await site.core.removeMember({ organization: { id: 1 }, userId: member?.user.id ?? 0 });
    assert.doesNotMatch((await admin.open(path)).text, /organizations\/1\/people\/\d/);
  });

  test('a renewed invitation has a new link, and the old link says that it was revoked', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const { path, url: old } = await invite(admin);
    await confirm(admin, `${path}/renew`);
    const page = await admin.open(path);
    assert.match(page.words, /Invitation renewed\. Send them the new link: the old one no longer/);
    const renewed = urlIn(page.text);
    assert.notEqual(renewed, old);
    const [oldPage, renewedPage] = [await site.visitor().open(old), await site.visitor().open(renewed)];
    assert.deepEqual([oldPage.status, renewedPage.status], [410, 200]);
    assert.match(oldPage.words, /This invitation was revoked/);
    assert.doesNotMatch(oldPage.text, /<form/);
    assert.doesNotMatch((await admin.open(path)).text, /has a new URL/, 'the message is shown once');
  });

  test('a person is listed once, and the page of the invitation has the earlier ones', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const { path } = await invite(admin);
    assert.match(await admin.read(path), / Invited 20 Nov 2026, 12:00 by First100 Last100 /);
    site.clock.advance(60_000);
    await confirm(admin, `${path}/renew`);
    assert.match(
      await admin.read(path),
      / Invited 20 Nov 2026, 12:00 by First100 Last100 Renewed 20 Nov 2026, 12:01 by First100 Last100 .* Renew it to replace the link/,
    );
    site.clock.advance(60_000);
    await confirm(admin, `${path}/revoke`);
    const list = await admin.open(listPath);
    const paths = [...list.text.matchAll(/<a href="([^"]+)"><bdi>Dana Kim/g)].map(([, found]) => found);
    assert.deepEqual(paths, [path]);
    assert.match(list.words, /1 invitation .* Dana Kim dana@example\.test Revoked/);
    const page = await admin.open(path);
    assert.match(
      page.words,
      /State Revoked .* Ended 20 Nov 2026, 12:02 .* Other invitations of this address .* 20 Nov 2026, 12:00 Dana Kim Replaced 20 Nov 2026, 12:01/,
    );
    assert.doesNotMatch(page.text, /Who did what/);
    await invite(admin, { ...dana, email: `jor${dana.email}` });
    await site.addUser({ id: 103, organizations: [1], role: 'owner' });
    const ofOwner = await (await site.signedIn(103)).open(path);
    assert.doesNotMatch(ofOwner.text, /jordana/);
    assert.match(
      ofOwner.words,
      /Who did what .* 12:02 First100 Last100 \S+ Revoked .* 12:01 First100 Last100 \S+ Renewed .* 12:00 First100 Last100 \S+ Invited/,
    );
    const [, earlier = ''] = /<td[^>]*>|<th[^>]*scope="row"[^>]*><a href="([^"]+)"/.exec(
      page.text.slice(page.text.indexOf('id="history"')),
    ) ?? ['', ''];
    const old = await admin.open(earlier);
    assert.match(old.words, /State Replaced .* the person was invited again/);
    assert.ok(old.text.includes(`<a href="${path}">Open the new invitation</a>`), old.text);
    assert.doesNotMatch(old.text, /Renew the invitation/);
  });

  test('a renewed invitation names who invited first, not one of the same address that was revoked before', async (t) => {
    const { site, admin } = await startInvitationSite(t, 'memory');
    await site.addUser({ id: 103, organizations: [1], role: 'owner' });
    const owner = await site.signedIn(103);
    const { path: unrelated } = await invite(admin);
    await confirm(admin, `${unrelated}/revoke`);
    const minute = () => site.clock.advance(60_000);
    minute();
    const { path } = await invite(owner);
    const read = () => admin.read(path);
    assert.match(await read(), / Invited 20 Nov 2026, 12:01 by First103 Last103 (?!Renewed)/);
    for (const time of ['12:02', '12:03']) {
      minute();
      await confirm(admin, `${path}/renew`);
      const dates = `Invited 20 Nov 2026, 12:01 by First103 Last103 Renewed 20 Nov 2026, ${time} by First100`;
      assert.ok((await read()).includes(dates));
    }
    minute();
    await confirm(admin, `${path}/revoke`);
    minute();
    await confirm(owner, `${path}/renew`);
    assert.match(await read(), / 12:01 by First103 Last103 Renewed 20 Nov 2026, 12:05 by First103 /);
    minute();
    await confirm(admin, `${path}/renew`);
    for (let number = 0; number < 20; number += 1) await site.invite({ email: `${number}${dana.email}` });
    assert.match(
      await read(),
      / Invited 20 Nov 2026, 12:05 by First103 Last103 Renewed 20 Nov 2026, 12:06 by First100 /,
      'also without the activity',
    );
  });

  test('a revoked invitation says so when it is opened, and is listed without its link', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const { path, url } = await invite(admin);
    await confirm(admin, `${path}/revoke`);
    const text = await admin.read(path);
    assert.match(text, /Invitation revoked\. Its link no longer works\./);
    assert.match(text, /State Revoked .* Renew it to give the person a new link/);
    assert.equal((await site.visitor().open(url)).status, 410);
    for (const shown of [listPath, path]) assert.ok(!(await admin.open(shown)).text.includes(url), shown);
  });

  test('an ID is kept, shown, and given to the member; one that is taken is refused beside its field', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const { path, url } = await invite(admin, { ...dana, idp_id: ' d-1 ' } as typeof dana);
    assert.match(await admin.read(path), /Identity provider ID d-1 Role Member State Pending/);
    const taken = { ...dana, email: 'kim@example.test', idp_id: 'd-1' };
    const refused = await admin.fillIn(invitePath, taken);
    assert.equal(refused.status, 422);
    assert.match(
      refused.text,
      /id="idp_id-hint">Identity provider ID belongs to a pending invitation: <a href="([^"]*)"><bdi>Dana Kim<\/bdi>/,
    );
    assert.ok(refused.text.includes(`invitation: <a href="${path}">`));
    assert.equal((await site.core.listInvitations({ organization: { id: 1 } })).totalItems, 1);
    await site.visitor().fillIn(url, { password });
    const { items } = await site.core.listUsers({ organization: { id: 1 }, email: dana.email });
    assert.equal(items[0]?.idpId, 'd-1');
    const ofMember = await admin.fillIn(invitePath, taken);
    assert.match(
      ofMember.text,
      /id="idp_id-hint">Identity provider ID belongs to another member: <a href="\/organizations\/1\/people\/\d+"/,
    );
    assert.match(ofMember.text, /<details class="more" open/);
  });

  test('renewing corrects the name and the ID, also of a revoked invitation', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    await site.core.inviteUser({
      ...{
        organization: { id: 1 },
        email: 'kim@example.test',
        firstName: 'K',
        lastName: 'L',
        idpId: 'k-1',
      },
    });
    const { path, url } = await invite(admin);
    const before = [...site.changes];
    const wrong = await admin.fillIn(`${path}/renew`, { first_name: '', idp_id: 'k-1' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /id="first_name-hint">First name is required</);
    const taken = await admin.fillIn(`${path}/renew`, { first_name: 'Dána', idp_id: 'k-1' });
    assert.match(
      taken.text,
      /id="idp_id-hint">Identity provider ID belongs to a pending invitation: <a href="[^"]*"><bdi>K L<\/bdi>/,
    );
    const { first_name, last_name, idp_id } = taken.fields;
    assert.deepEqual([first_name, last_name, idp_id], ['Dána', 'Kim', 'k-1']);
    assert.equal(urlIn((await admin.open(path)).text), url);
    assert.deepEqual(site.changes.slice(0, before.length), before);

    site.clock.advance(1000);
    const corrected = await admin.fillIn(`${path}/renew`, { first_name: 'Dána', idp_id: 'd-1' });
    assert.deepEqual([corrected.status, corrected.location], [303, path]);
    const text = await admin.read(path);
    assert.match(text, /Invitation for Dána Kim .* Identity provider ID d-1 Role Member State Pending/);
    await confirm(admin, `${path}/revoke`);
    const list = await admin.open(`${listPath}?state=revoked`);
    assert.ok(list.text.includes(`<a href="${path}/renew"`), list.text);
    await confirm(admin, `${path}/renew`);
    const again = await admin.open(path);
    assert.match(again.words, /Invitation renewed\. .* Identity provider ID d-1 Role Member State Pending/);
    assert.equal((await site.visitor().open(urlIn(again.text))).status, 200);
  });

  test('a list gets a result for each line: an invalid line says why, and does not stop the others', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const answer = await admin.fillIn(manyPath, {
      people: [
        'email,first name,last name',
        'one@example.test,One,First',
        'nonsense',
        '',
        'two@example.test;Two;Second',
        'three@example.test\tThree\t',
        'user-101@example.test,Is,Here',
        'ONE@example.test,One,Again',
        'one@example.test,One,First',
      ].join('\r\n'),
    });
    assert.equal(answer.status, 200);
    const text = answer.words;
    assert.ok(text.includes('Invited 2 of 7 people'), text);
    assert.ok(
      text.includes(
        '2 one@example.test Invited ' +
          '3 nonsense Not invited Needs an email address, a first name and a last name, and may have an ID. This line has 1 field ' +
          '5 two@example.test Invited ' +
          '6 three@example.test Not invited Last name is required ' +
          '7 user-101@example.test Not invited This person is already a member ' +
          '8 ONE@example.test Not invited Email address is in line 2 already ' +
          '9 one@example.test Not invited Email address is in line 2 already ',
      ),
      text,
    );
    // Another person with an address or an ID that an earlier line has may be a slip.
    const left = /<textarea[^>]*>([^<]*)</.exec(answer.text)?.[1];
    assert.equal(left, 'nonsense\nthree@example.test\tThree\t\nONE@example.test,One,Again');
    const why = 'need no second try, because these people are members or in an earlier line.';
    assert.ok(text.includes(`Lines 7 and 9 ${why} Fix the other lines and try again`), text);
    const urls = /id="urls">([^<]*)</.exec(answer.text)?.[1]?.split('\n') ?? [];
    const { items } = await site.core.listInvitations({ organization: { id: 1 }, state: 'pending' });
    const stored = items.map(({ email, invitationUrl }) => `${email}\t${invitationUrl}`);
    assert.deepEqual([...urls].sort(), stored.sort());
    assert.equal(urls.length, 2);
  });
});

describe('The page of invitations', () => {
  test('says what to do if there are no invitations, and when a filter finds none', async (t) => {
    const { admin } = await startInvitationSite(t);
    assert.match(
      await admin.read(listPath),
      /No invitations yet\. When you invite someone, you get a link to send them\./,
    );
    assert.match(
      await admin.read(`${listPath}?state=revoked`),
      /No revoked or expired invitations No invitation matches\. Choose another state\./,
    );
    assert.match(
      (await admin.open(listPath)).text,
      /<a href="\/organizations\/1\/invitations\/new"[^>]*>Invite someone</,
    );
  });

  test('says how many were found, which screen readers read after a search or a filter', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const count = async (query: string) => {
      const [, attributes, text] = /<p class="list-count"([^>]*)>(.*?)<\/p>/s.exec(
        (await admin.open(`${listPath}${query}`)).text,
      ) ?? [null, null, ''];
      return [attributes, readableText(text)];
    };
    assert.deepEqual(await count(''), [null, '']);
    await site.invite({ email: 'ada@example.test', firstName: 'Ada' });
    assert.deepEqual(await count(''), ['', '1 invitation']);
    for (let number = 0; number < 60; number += 1)
      await site.invite({ email: `bea-${number}@example.test`, firstName: 'Bea' });
    const status = ' role="status"';
    assert.deepEqual(await count('?page=2'), ['', '61 invitations']);
    assert.deepEqual(await count('?state=pending'), [status, '61 pending invitations']);
    assert.deepEqual(await count('?state=revoked'), [status, 'No revoked or expired invitations']);
    const ada = '1 pending invitation with “ ada ” in the name, email address or ID';
    assert.deepEqual(await count('?search=ada&state=pending'), [status, ada]);
    const nobody = 'No invitations with “ <b> ” in the name, email address or ID';
    assert.deepEqual(await count('?search=<b>'), [status, nobody]);
    assert.deepEqual(await count(`?search=${'x'.repeat(301)}`), [null, '']);
  });

  test('shows each problem next to its field and keeps the input', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const before = [...site.changes];
    const page = await admin.fillIn(invitePath, { email: 'dana', first_name: '"><b>', last_name: '' });
    assert.equal(page.status, 422);
    assert.match(page.text, /id="email-hint">Enter a valid email address/);
    assert.match(page.text, /id="last_name-hint">Last name is required</);
    const { email, first_name, last_name, idp_id } = page.fields;
    assert.deepEqual([email, first_name, last_name, idp_id], ['dana', '"><b>', '', '']);
    const member = await admin.fillIn(invitePath, { ...dana, email: 'user-101@example.test' });
    assert.match(member.text, /id="email-hint">This person is already a member/);
    assert.deepEqual(site.changes, before);
  });

  test('filters by state, and keeps the filter from page to page', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    for (let number = 100; number < 155; number += 1) {
      await site.invite({ email: `p${number}@example.test`, firstName: 'P', lastName: String(number) });
      site.clock.advance(1000);
    }
    const { path } = await invite(admin, { ...dana, email: 'gone@example.test' });
    await confirm(admin, `${path}/revoke`);
    const found = async (query: string) => {
      const { text } = await admin.open(`${listPath}${query}`);
      return [...text.matchAll(/data-title="Email address"[^>]*><bdi>([^<]*)</g)].map(([, email]) => email);
    };
    const states = async (query: string) => {
      const { text } = await admin.open(`${listPath}${query}`);
      return /<select id="state".*?<\/select>/s.exec(text)?.[0].match(/[A-Z][a-z ]+(?: \(\d+\))?(?=<)/g);
    };
    assert.deepEqual(await states(''), ['All states', 'Pending (55)', 'Revoked or expired (1)']);
    assert.deepEqual(await states('?search=gone&state=pending'), [
      ...['All states', 'Pending (0)', 'Revoked or expired (1)'],
    ]);
    assert.deepEqual(await found('?state=revoked'), ['gone@example.test']);
    const replaced = await admin.open(`${listPath}?state=replaced`);
    assert.match(replaced.words, /No replaced invitations/);
    assert.deepEqual(await found('?state=accepted'), []);
    assert.equal((await found('')).length, 50);
    const [first, second] = [await found('?state=pending'), await found('?state=pending&page=2')];
    assert.deepEqual([first.length, first[0], second.length], [50, 'p154@example.test', 5]);
    const { text } = await admin.open(`${listPath}?state=pending`);
    assert.match(text, /href="\?state=pending&amp;page=2" rel="next"/);
    for (const odd of ['?state=x', '?state=constructor', '?state=a&state=b', '?page=-1', '?page=x'])
      assert.equal((await admin.open(`${listPath}${odd}`)).status, 200, odd);
    assert.match(await admin.read(`${listPath}?page=9`), /This page is empty/);
  });

  test('can be downloaded as CSV, with the search and the state', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const { url } = await invite(admin, { ...dana, first_name: '=1+1' });
    await invite(admin, { ...dana, email: 'other@example.test' });
    const { text } = await admin.open(`${listPath}?search=dana%40&state=pending`);
    const [, href = ''] = /<a href="([^"]*invitations\.csv[^"]*)"/.exec(text) ?? [];
    const file = await admin.open(href.replaceAll('&amp;', '&'));
    assert.equal(
      file.headers.get('content-disposition'),
      'attachment; filename=northwind-wellness-invitations.csv',
    );
    assert.match(
      file.text,
      /^"ID",.*\r\n"[^"]*","dana@example\.test","'=1\+1","Kim",,"member","pending",.*\r\n$/,
    );
    assert.ok(file.text.includes(url));
    await admin.open(`${listPath}.csv`, { method: 'HEAD' });
    assert.equal((await admin.open(`${listPath}.csv`)).status, 200);
    assert.deepEqual((await site.activity()).slice(0, 2), [
      ['invitations-exported', '2 rows', 100],
      ['invitations-exported', '1 row', 100],
    ]);
    assert.equal((await (await site.signedIn(101)).open(`${listPath}.csv`)).status, 404);
  });

  test('names the API, the command line and deleted users as inviters', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    await site.invite({ email: 'a@example.test' });
    await site.invite({
      email: 'b@example.test',
      by: { who: { kind: 'access-key' }, from: '192.0.2.1' },
    });
    const text = await admin.read(listPath);
    assert.match(text, /a@example\.test Pending [^P]* a program/);
    assert.match(text, /b@example\.test Pending [^P]* the API/);
  });

  test('has no search and no filters while there is no invitation', async (t) => {
    const { admin } = await startInvitationSite(t);
    const tools = /Search invitations|All states/;
    assert.doesNotMatch((await admin.open(listPath)).text, tools);
    assert.match((await admin.open(`${listPath}?state=revoked`)).text, tools);
    await invite(admin);
    assert.match((await admin.open(listPath)).text, tools);
  });

  test('shows names of every kind as text', async (t) => {
    const { admin } = await startInvitationSite(t);
    for (const [index, name] of [
      '<script>alert(1)</script>',
      'W'.repeat(300),
      'دانا',
      '👩‍👩‍👧‍👦',
    ].entries()) {
      const person = { email: `p${index}@example.test`, first_name: name, last_name: name };
      const { path } = await invite(admin, person);
      for (const shown of [listPath, path, `${path}/revoke`, `${path}/renew`]) {
        const page = await admin.open(shown);
        assert.ok(page.words.includes(`${name} ${name}`), shown);
        assert.doesNotMatch(page.text, /<script(?! type="module" src="\/assets\/rollcall\.js)/);
      }
    }
  });
});

describe('A changed invitation, or one of another organization', () => {
  test('is not changed if it has changed since the question', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const { path } = await invite(admin);
    const fieldsOfQuestion = await admin.fieldsOf(`${path}/renew`);
    await confirm(admin, `${path}/renew`);
    const renewed = urlIn((await admin.open(path)).text);

    for (const action of [`${path}/renew`, `${path}/revoke`]) {
      const again = await admin.send({ path: action, fields: fieldsOfQuestion });
      assert.deepEqual([again.status, again.location], [303, path]);
      const page = await admin.open(path);
      assert.match(page.words, /Nothing was changed, because the invitation has changed/);
      assert.match(page.text, /class="banner warning" role="status"/);
      assert.equal(urlIn(page.text), renewed);
    }
    await site.visitor().fillIn(renewed, { password });
    const closed = await admin.open(`${path}/revoke`);
    assert.deepEqual([closed.status, closed.location], [303, path]);
    assert.match(await admin.read(path), /This invitation was accepted\. Its link no longer works/);
  });

  test('does not lose an ID that someone else has added since the form was opened', async (t) => {
    const { site, admin } = await startInvitationSite(t, 'memory');
    const { path } = await invite(admin, { ...dana, idp_id: '' });
    const renew = (form: string, fields: Readonly<Record<string, string>>) =>
      admin.send({ path: `${path}/renew`, fields: { ...formFields(form), ...fields } });
    const { text: stale } = await admin.open(`${path}/renew`);
    await site.core.inviteUser({
      ...{ organization: { id: 1 }, email: dana.email, firstName: 'Dana', lastName: 'Kim', idpId: 'nw-1' },
    });
    const refused = await renew(stale, { first_name: '' });
    assert.match(refused.text, /id="first_name-hint">First name is required/);
    const asked = await renew(refused.text, { first_name: 'Dana' });
    assert.equal(asked.status, 422);
    assert.match(asked.text, /id="idp_id-hint">Identity provider ID was changed to nw-1 in the meantime/);
    const pending = async () =>
      (await site.core.listInvitations({ organization: { id: 1 }, state: 'pending' })).items[0]?.idpId;
    assert.equal(await pending(), 'nw-1');
    assert.equal((await renew(asked.text, {})).status, 303);
    assert.equal(await pending(), null);
  });

  describe('of several people at once', () => {
    const uuidsIn = (html: string) =>
      [...html.matchAll(/<input type="checkbox" name="invitation" value="([^"]*)"/g)].map(([, uuid]) => uuid);
    const selected = (action: string, uuids: readonly (string | undefined)[]) =>
      `${listPath}/selected/${action}?${uuids.map((uuid) => `invitation=${uuid}`).join('&')}`;
    const states = async ({ core }: Awaited<ReturnType<typeof startInvitationSite>>['site']) =>
      (await core.listInvitations({ organization: { id: 1 }, order: 'name' })).items.map(
        ({ lastName, state, replacedBy }) => `${lastName} ${replacedBy === null ? state : 'replaced'}`,
      );

    /** Invitations of A, B and C; that of C is revoked. */
    async function startSite(context: TestContext) {
      const started = await startInvitationSite(context);
      for (const name of ['A', 'B', 'C'])
        await started.site.invite({ email: `${name}@example.test`, firstName: 'P', lastName: name });
      const { text } = await started.admin.open(`${listPath}?sort=name`);
      const [a, b, c] = uuidsIn(text);
      await confirm(started.admin, `${listPath}/${c}/revoke`);
      return { ...started, a, b, c };
    }

    test('is revoked after a question that names them, and leaves the others', async (t) => {
      const { site, admin, a, b, c } = await startSite(t);
      const { text: list } = await admin.open(listPath);
      assert.match(list, /<form method="get" action="\/organizations\/1\/invitations\/selected\/renew"/);
      assert.match(list, /formaction="\/organizations\/1\/invitations\/selected\/revoke"/);
      const question = selected('revoke', [a, b, c]);
      const asked = await admin.read(question);
      assert.match(asked, /Revoke 2 invitations\? .* P A a@example\.test P B b@example\.test 1 other/);
      assert.deepEqual(await states(site), ['A pending', 'B pending', 'C revoked']);
      const answer = await admin.fillIn(question, {}, `${listPath}/selected/revoke`);
      assert.deepEqual([answer.status, answer.location], [303, listPath]);
      assert.match(await admin.read(listPath), /2 invitations\u2069 revoked\./);
      assert.deepEqual(await states(site), ['A revoked', 'B revoked', 'C revoked']);
      const revoked = (await site.activity()).slice(0, 2).map(([action, , userId]) => [action, userId]);
      assert.deepEqual(revoked, Array(2).fill(['invitation-revoked', 100]));
    });

    test('is renewed after a question, and the answer has the new links', async (t) => {
      const { site, admin, a, c } = await startSite(t);
      const answer = await admin.fillIn(selected('renew', [a, c]), {}, `${listPath}/selected/renew`);
      assert.equal(answer.status, 200);
      assert.match(answer.words, /Renewed 2 invitations/);
      const links = [...answer.words.matchAll(/[ac]@example\.test (http\S+)/g)].map(([, url]) => url ?? '');
      assert.equal(links.length, 2);
      for (const link of links)
        assert.equal((await site.visitor().open(new URL(link).pathname)).status, 200, link);
      assert.deepEqual((await states(site)).sort(), ['A pending', 'B pending', 'C pending']);
    });

    test('leaves what has changed since the question, and says so', async (t) => {
      const { site, admin, a, b } = await startSite(t);
      const fields = await admin.fieldsOf(selected('revoke', [a, b]));
      await confirm(admin, `${listPath}/${a}/renew`);
      await admin.send({ path: `${listPath}/selected/revoke`, fields });
      const read = await admin.read(listPath);
      assert.match(
        read,
        /1 of 2 invitations\u2069 revoked\. The others have changed since you selected them\./,
      );
      assert.deepEqual((await states(site)).slice(0, 2).sort(), ['A pending', 'B revoked']);
      const again = await admin.send({ path: `${listPath}/selected/renew`, fields });
      assert.match(again.words, /Renewed 1 of 2 invitations The others were not renewed/);
    });

    test('needs a selection of the organization’s own invitations', async (t) => {
      const { site, admin, c } = await startSite(t);
      const before = [...site.changes];
      for (const path of [
        `${listPath}/selected/revoke`,
        selected('revoke', [c, 'x', c]),
        selected('renew', ['00000000-0000-4000-8000-000000000099']),
      ]) {
        const led = await admin.open(path);
        assert.equal(led.location?.split('?')[0], listPath, path);
        assert.match(await admin.read(listPath), /Nothing was changed\. Select /);
      }
      assert.deepEqual(site.changes, before);
      const member = await site.signedIn(101);
      assert.equal((await member.open(selected('revoke', [c]))).status, 404);
    });
  });

  test('looks like one that does not exist if it belongs to another organization', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const { path } = await invite(admin);
    const owner = await site.signedIn(102);
    const elsewhere = path.replace('/organizations/1/', '/organizations/2/');
    const missing = await owner.open('/organizations/2/invitations/00000000-0000-4000-8000-000000000000');
    assert.equal(missing.status, 404);
    for (const foreign of [elsewhere, '/organizations/2/invitations/x'])
      assert.equal((await owner.open(foreign)).text, missing.text);
    const unknown = await owner.open(path.replace('/organizations/1/', '/organizations/999/'));
    assert.equal((await owner.open(path)).text, unknown.text);

    const { form_token = '' } = await owner.fieldsOf('/organizations/2/invitations/new');
    const { invitation = '' } = await admin.fieldsOf(`${path}/revoke`);
    await owner.send({ path: `${elsewhere}/revoke`, fields: { form_token, invitation } });
    await owner.send({ path: `${elsewhere}/renew`, fields: { form_token, invitation } });
    const { items } = await site.core.listInvitations({ organization: { id: 1 } });
    assert.deepEqual(
      items.map(({ id, state }) => [id, state]),
      [[invitation, 'pending']],
    );
  });
});
