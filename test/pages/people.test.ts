import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { aMeeting, aUser } from '@rollcall/core/testing';
import { shownPages } from '#adapters/express/pages/design/list.js';
import { anIdentity, aSignOn } from '#core/testing/new-sign-on.js';
import { copiedText, type PageClient, readableText } from '#test/support/page/client.js';
import { type PageSite, password, startOwnedSite } from '#test/support/page/site.js';
import { answered, withWebhook } from '#test/support/page/webhook-site.js';
import { webhookAt } from '../support/webhook-at.js';

const page = '/organizations/1/people';
const organization = { id: 1 };

/** User 101 is a member, 102 belongs to no organization, 103 to another one. */
const startSite = (context: TestContext) =>
  startOwnedSite(context, { 101: ['member', 1], 102: ['member'], 103: ['member', 2] });

const found = (text: string) => [...text.matchAll(/people\/(\d+)"/g)].map(([, id]) => Number(id));

const roleOf = async ({ core }: PageSite, userId: number) =>
  (await core.listMembers({ organization })).items.find(({ user }) => user.id === userId)?.role;

describe('The people of an organization', () => {
  test('are listed with their roles, the owners first', async (t) => {
    const { site, owner } = await startSite(t);
    await site.load({
      users: [aUser(104, { firstName: '<b>Bold</b>', lastName: 'L'.repeat(300) })],
      memberships: [{ organizationId: 1, userId: 104, role: 'admin', idpId: 'idp-<i>104</i>' }],
    });
    const { status, text, words } = await owner.open(page);
    assert.equal(status, 200);
    assert.match(words, /3 people, owners first/);
    assert.match(
      words,
      /First100 Last100 user-100@example\.test Owner – Password \d+ \w+ \d{4}, [\d:]+ <b>Bold<\/b> L{300} user-104@example\.test Admin idp-<i>104<\/i> Login link Never First101 Last101/,
    );
    assert.doesNotMatch(words, /user-10[23]@|Joined/);
    assert.match(await owner.read(`${page}?sort=newest`), /Sign-in Joined /);
    assert.match(text, /<a href="\/organizations\/1\/people\/101">/);
  });

  test('are shown to admins, who invite them, but can’t change them', async (t) => {
    const { site } = await startSite(t);
    await site.addUser({ id: 104, organizations: [1], role: 'admin' });
    const admin = await site.signedIn(104);
    const list = await admin.open(page);
    assert.match(list.words, /3 people, owners first/);
    const person = await admin.open(`${page}/101`);
    assert.match(
      person.words,
      /First101 Last101 Email address user-101@example\.test Role Member Identity provider ID None UUID .* Last sign-in Never/,
    );
    assert.doesNotMatch(person.text, /Correct the name|Remove from the organization|Sign them out|Save the/);
    const { form_token = '' } = list.fields;
    const fields = { form_token, role: 'owner', shown_role: 'member' };
    assert.equal((await admin.send({ path: `${page}/101`, fields })).status, 404);
    assert.equal(await roleOf(site, 101), 'member');
  });
});

test('A link above a title leads back to its list as it was searched, filtered and paged', async (t) => {
  const { site, owner } = await startSite(t);
  await site.load({ meetings: [aMeeting(5, { organizationId: 1 })] });
  const person = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Fox' };
  const { uuid } = await site.core.inviteUser({ organization, ...person });
  await site.core.configureWebhook({ organization, how: 'set', webhook: webhookAt('https://a.test/') });
  const { deliveryId } = await site.core.testWebhook({ organization: { id: 1, name: 'Northwind' } });
  const backFrom = async (client: PageClient, path: string) => {
    const { text, status } = await client.open(path);
    assert.equal(status, 200, path);
    return /class="back-link"><a href="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  };
  const lists = [
    [page, 'search=Last+100&role=owner&page=2', `${page}/101`],
    ['/organizations/1/invitations', 'search=D%C3%A4na&sort=name', `/organizations/1/invitations/${uuid}`],
    ['/organizations/1/all-meetings', 'search=Pacing&status=all', '/organizations/1/all-meetings/5'],
    ['/organizations/1/webhooks', 'state=delivered', `/organizations/1/webhooks/deliveries/${deliveryId}`],
  ] as const;
  for (const [list, query, detail] of lists) {
    const anchor = list.endsWith('webhooks') ? '#log' : '';
    assert.equal(await backFrom(owner, detail), `${list}${anchor}`, 'another list was searched');
    await owner.open(`${list}?${query}`);
    await owner.open('/organizations/1');
    assert.equal(await backFrom(owner, detail), `${list}?${query}${anchor}`);
    assert.equal(await backFrom(owner, detail), `${list}?${query}${anchor}`, 'a second time');
  }
  const [people] = lists;
  await owner.open(`${page}?${people[1]}`);
  await owner.open(page);
  assert.equal(await backFrom(owner, people[2]), page);
  await owner.open(`${page}?search=${encodeURIComponent('"><b>')}&next='//evil.test'`);
  assert.equal(await backFrom(owner, people[2]), page, 'an address that signing in would not lead to');
  await owner.open(`${page}?${people[1]}`);
  const other = await site.signedIn(100);
  other.setCookie('place', owner.cookie('place') ?? '');
  assert.equal(await backFrom(other, people[2]), page, 'another session');
});

describe('The list of people', () => {
  /** Members 201 to 320, the odd ones admins, each with the name of the number backwards. */
  async function startLargeSite(context: TestContext) {
    const started = await startSite(context);
    const ids = Array.from({ length: 120 }, (_, index) => 201 + index);
    await started.site.load({
      users: ids.map((id) => aUser(id, { firstName: String(1000 - id), lastName: 'X' })),
      memberships: ids.map((userId) => ({
        ...{ organizationId: 1, userId, idpId: null },
        role: userId % 2 === 1 ? 'admin' : 'member',
      })),
    });
    return started;
  }

  test('is filtered by role, and keeps the search and the order', async (t) => {
    const { owner } = await startLargeSite(t);
    const admins = await owner.open(`${page}?role=admin`);
    assert.match(admins.words, /60 admins/);
    assert.deepEqual(found(admins.text).slice(0, 2), [201, 203]);
    assert.match(admins.text, /<option value="admin" selected>Admins \(60\)</);
    assert.match(admins.text, /<option value="member">Members \(61\)</);
    const both = await owner.open(`${page}?role=admin&search=30&sort=name`);
    assert.deepEqual(found(both.text), [309, 307, 305, 303, 301]);
    assert.match(both.text, /<option value="admin" selected>Admins \(5\)</);
    assert.doesNotMatch(both.text, /Owners/, 'no owner matches');
    assert.match(both.text, /<option value="name" selected>/);
    const none = await owner.open(`${page}?role=owner&search=30`);
    assert.match(none.words, /No owners with “ 30 ” .*No one matches\./);
    for (const odd of ['role=king', 'role=constructor', 'role=admin&role=owner', 'sort=x', 'sort=toString'])
      assert.match(await owner.read(`${page}?${odd}`), /122 people, owners first/, odd);
  });

  test('is sorted by name, or the newest first', async (t) => {
    const { site, owner } = await startLargeSite(t);
    assert.deepEqual(found((await owner.open(`${page}?sort=name`)).text).slice(0, 3), [320, 319, 318]);
    site.clock.advance(1000);
    await site.core.addMember({
      ...{ organizationId: 1, email: aUser(102).email, role: 'member', idpId: null },
      by: { who: { kind: 'user', userId: 100 }, from: null },
    });
    assert.equal(found((await owner.open(`${page}?sort=newest`)).text)[0], 102);
  });

  test('has numbered pages, which keep the filters', async (t) => {
    const { owner } = await startLargeSite(t);
    const numbers = ({ text }: { readonly text: string }) =>
      [...text.matchAll(/<a href="([^"]*)" aria-label="Page \d+"( aria-current="page")?>(\d+)</g)].map(
        ([, href, current, number]) => [href, Number(number), current !== undefined],
      );
    assert.deepEqual(numbers(await owner.open(`${page}?page=2`)), [
      ['?page=1', 1, false],
      ['?page=2', 2, true],
      ['?page=3', 3, false],
    ]);
    assert.deepEqual(numbers(await owner.open(`${page}?role=member&sort=name`)), [
      ['?role=member&amp;sort=name&amp;page=1', 1, true],
      ['?role=member&amp;sort=name&amp;page=2', 2, false],
    ]);
    assert.deepEqual(numbers(await owner.open(`${page}?role=owner`)), []);
  });

  test('can be downloaded as CSV, with the search and the role', async (t) => {
    const { site, owner } = await startLargeSite(t);
    const { text } = await owner.open(`${page}?role=admin&search=30&sort=name`);
    const [, href = ''] = /<a href="([^"]*people\.csv[^"]*)"/.exec(text) ?? [];
    const file = await owner.open(href.replaceAll('&amp;', '&'));
    assert.equal(file.status, 200);
    assert.equal(file.headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.equal(
      file.headers.get('content-disposition'),
      'attachment; filename=northwind-wellness-people.csv',
    );
    assert.equal(file.headers.get('cache-control'), 'no-store');
    assert.deepEqual(
      file.text.match(/user-\d+/g),
      [301, 303, 305, 307, 309].map((id) => `user-${id}`),
    );
    assert.equal((await owner.open(`${page}.csv`)).text.split('\r\n').length, 1 + 122 + 1);
    assert.equal((await owner.open(`${page}.csv?search=${'x'.repeat(301)}`)).status, 422);
    assert.equal((await owner.open(`${page}.csv`, { method: 'HEAD' })).status, 200);
    const admin = await site.signedIn(101);
    assert.equal((await admin.open(`${page}.csv`)).status, 404);
    assert.deepEqual(await site.activity(), [
      ['people-exported', '122 rows', 100],
      ['people-exported', '5 rows', 100],
    ]);
    assert.match(await owner.read('/organizations/1/activity'), /list of people 122 rows/);
  });

  test('has as many numbers as fit, however many pages there are', () => {
    const shown = (current: number, total: number) =>
      shownPages(current, total)
        .map((number) => number ?? '…')
        .join(' ');
    assert.equal(shown(1, 2), '1 2');
    assert.equal(shown(1, 5), '1 2 … 5');
    assert.equal(shown(3, 5), '1 2 3 4 5');
    assert.equal(shown(4, 400), '1 2 3 4 5 … 400');
    assert.equal(shown(5, 400), '1 … 4 5 6 … 400');
    assert.equal(shown(397, 400), '1 … 396 397 398 399 400');
    assert.equal(shown(400, 400), '1 … 399 400');
  });
});

describe('Searching for people', () => {
  const find = (owner: PageClient, search: string) =>
    owner.open(`${page}?search=${encodeURIComponent(search)}`);

  test('finds names and addresses by their parts, and says what was searched for', async (t) => {
    const { site, owner } = await startSite(t);
    await site.load({
      users: [aUser(104, { firstName: 'Özge <b>', lastName: 'Yılmaz' })],
      memberships: [{ organizationId: 1, userId: 104, role: 'member', idpId: 'nw-4711' }],
    });
    const one = await find(owner, ' yılmaz ÖZG ');
    assert.equal(one.status, 200);
    assert.deepEqual(found(one.text), [104]);
    const read = one.words;
    assert.match(read, /1 person with “ yılmaz ÖZG ” in their name, email address or ID/);
    assert.match(read, /Show everyone/);
    assert.match(one.text, /<input id="search"[^>]* value="yılmaz ÖZG"/);
    assert.deepEqual(found((await find(owner, '<B>')).text), [104]);
    assert.deepEqual(found((await find(owner, 'ozge yilmaz')).text), [104]);
    assert.deepEqual(found((await find(owner, 'NW-4711')).text), [104]);
    assert.deepEqual(found((await find(owner, 'USER-101@')).text), [101]);
    assert.deepEqual(found((await find(owner, 'user-10')).text), [100, 101, 104]);
    assert.doesNotMatch((await owner.open(page)).text, /Show everyone/);
    assert.deepEqual(found((await owner.open(`${page}?search=x&search=y`)).text), [100, 101, 104]);
  });

  test('says that no one matches, and links to everyone', async (t) => {
    const { owner } = await startSite(t);
    const none = await find(owner, 'user-103');
    assert.equal(none.status, 200);
    const read = none.words;
    assert.match(read, /No people with “ user-103 ” in their name, email address or ID/);
    assert.match(read, /No one matches\..*Show everyone/);
    assert.match(none.text, /<a href="\/organizations\/1\/invitations\?search=user-103">invitations<\/a>/);
    assert.match(none.text, /<a href="\/organizations\/1\/people"[^>]*>Show everyone<\/a>/);
    assert.doesNotMatch(none.text, /<table/);
  });

  test('is kept from page to page', async (t) => {
    const { site, owner } = await startSite(t);
    const ids = Array.from({ length: 60 }, (_, index) => 200 + index);
    await site.load({
      users: ids.map((id) => aUser(id, { firstName: 'A & B' })),
      memberships: ids.map((userId) => ({ organizationId: 1, userId, role: 'member', idpId: null })),
    });
    const first = await find(owner, 'a &');
    const [, next = ''] = /href="([^"]*)" rel="next"/.exec(first.text) ?? [];
    assert.equal(next, '?search=a+%26&amp;page=2');
    const second = await owner.open(`${page}${next.replace('&amp;', '&')}`);
    assert.equal(found(second.text).length, 10);
    assert.match(second.text, /href="\?search=a\+%26&amp;page=1" rel="prev"/);
    const past = await owner.open(`${page}?search=a+%26&page=9`);
    assert.match(past.words, /60 people with .* This page is empty/);
    assert.match(past.text, /<a href="\?search=a\+%26&amp;page=1"[^>]*>Go to the first page/);
  });

  test('says why a search cannot match any name, and keeps the input', async (t) => {
    const { owner } = await startSite(t);
    const long = await find(owner, 'x'.repeat(301));
    assert.equal(long.status, 422);
    assert.match(long.words, /Search must have at most 300 characters/);
    assert.match(long.text, /value="x{301}"/);
    assert.match(long.text, /<title>Error: People/);
    assert.doesNotMatch(long.text, /<table/);
    const hidden = await owner.open(`${page}?search=a%00b`);
    assert.equal(hidden.status, 422);
    assert.match(hidden.words, /Search must not contain control characters/);
  });
});

describe('People and invitations', () => {
  test('are two views of one page, which leads to the form to invite', async (t) => {
    const { owner } = await startSite(t);
    for (const [path, current] of [
      [page, 'Members'],
      ['/organizations/1/invitations', 'Invitations'],
    ] as const) {
      const { text } = await owner.open(path);
      assert.match(
        text,
        new RegExp(`<nav class="filters" aria-label="People">.*aria-current="true">${current}<`, 's'),
      );
      assert.match(
        text,
        /<h1>People<\/h1><a href="\/organizations\/1\/invitations\/new" class="button primary"/,
      );
      assert.match(text, /<a href="\/organizations\/1\/people" aria-current="page">People</);
    }
  });
});

describe('A person', () => {
  test('is shown with their invitation, last sign-in, next meetings and what they did', async (t) => {
    const { site, owner } = await startSite(t);
    const person = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };
    const by = { who: { kind: 'user', userId: 100 }, from: '192.0.2.1' } as const;
    const { uuid, invitationUrl } = await site.core.inviteUser({ organization, ...person, by });
    await site.visitor().fillIn(new URL(invitationUrl).pathname, { password });
    const member = await site.core.readUser({ organization, uuid });
    const path = `${page}/${member.user.id}`;
    const read = () => owner.read(path);
    const first = await read();
    assert.match(
      first,
      /Last sign-in 20 Nov 2026, 12:00 with their password Invitation Accepted 20 Nov 2026, 12:00 , by First100 Last100/,
    );
    assert.match(
      first,
      /Next meetings None that you can see\. .* What they did here No changes in the last year\./,
    );
    assert.ok((await owner.open(path)).text.includes(`href="/organizations/1/invitations/${uuid}"`));

    const startTime = new Date('2026-11-21T18:00:00.000Z');
    await site.load({
      meetings: [
        aMeeting(1, { name: 'Yoga <1>', startTime }),
        aMeeting(2, { name: 'Private', startTime, privacy: true }),
        aMeeting(3, { name: 'Of the service', startTime, organizationId: null, eapOrganizationIds: [1] }),
      ],
      registrations: [1, 2, 3].map((meetingId) => ({
        ...{ meetingId, userId: member.user.id, registeredAt: site.clock.now() },
      })),
    });
    site.clock.advance(60_000);
    await site.visitor().fillIn(await site.linkFor(member.user.id, uuid), {});
    const later = await read();
    assert.match(later, /Last sign-in 20 Nov 2026, 12:01 with a login link/);
    assert.match(later, /Next meetings Meeting When Place Yoga <1> 21 Nov 2026, 18:00 Registered/);
    assert.doesNotMatch(later, /Private|Of the service/, 'an organization does not see who is in these');
    assert.match(later, /What they did here .* Signed in with a login link/);
    site.clock.advance(60_000);
    await site.storage.signOns.save(1, () => aSignOn());
    await site.storage.identities.link(anIdentity(member.user.id, { linkedAt: site.clock.now() }));
    assert.match(await read(), /Last sign-in 20 Nov 2026, 12:02 at the identity provider/);
    await site.addUser({ id: 104, organizations: [1], role: 'admin' });
    const { text, words } = await (await site.signedIn(104)).open(path);
    assert.match(words, /Next meetings Meeting When Place Yoga <1>/);
    assert.doesNotMatch(text, /What they did here/);
  });

  test('is shown with the newest event about them, its state and a link to its delivery', async (t) => {
    const { started, client } = await withWebhook(t, [answered(200), answered(500)]);
    const { core } = started;
    const join = async (firstName: string): Promise<number> => {
      const person = { email: `${firstName}@example.test`, firstName, lastName: 'Kim' };
      return (await core.registerUser({ organizationId: 1, ...person })).user.id;
    };
    const open = async (userId: number, by = client) => (await by.open(`${page}/${userId}`)).text;
    const eventOf = async (userId: number) =>
      /Newest event (.*?) Times are in UTC\. /.exec(readableText(await open(userId)))?.[1];

    assert.equal(await eventOf(102), 'No event');
    const ada = await join('ada');
    await started.deliver();
    // At the same moment.
    const bea = await join('bea');
    assert.equal(await eventOf(bea), 'Waiting');
    started.clock.advance(60_000);
    await started.deliver();
    assert.deepEqual(
      [await eventOf(ada), await eventOf(bea)],
      ['Delivered on 20 Nov 2026, 12:00', 'Failed on 20 Nov 2026, 12:01 , undelivered'],
    );
    const [failed] = (await core.listDeliveries({ organization, state: 'failed' })).deliveries;
    const deliveryId = failed?.id ?? 0;
    for (const by of [client, await started.signedIn(100)])
      assert.match(
        await open(bea, by),
        new RegExp(`<a href="/organizations/1/webhooks/deliveries/${deliveryId}">Failed on `),
      );
    await core.redeliver({ organization, deliveryId, by: { who: { kind: 'operator' }, from: null } });
    assert.equal(await eventOf(bea), 'Waiting');
  });

  test('gets a login link, which is shown once, from owners and admins', async (t) => {
    const { site, owner } = await startSite(t);
    await site.addUser({ id: 104, organizations: [1], role: 'admin' });
    for (const client of [owner, await site.signedIn(104)]) {
      const answer = await client.fillIn(`${page}/101`, {}, `${page}/101/login-link`);
      assert.deepEqual([answer.status, answer.location], [303, `${page}/101/login-link/new`]);
      const shown = await client.open(answer.location ?? '');
      const url = new URL(copiedText(shown.text, 'login-link') ?? 'none');
      assert.equal((await site.visitor().fillIn(url.pathname, {})).location, '/organizations/1/meetings');
      const again = await client.open(answer.location ?? '');
      assert.doesNotMatch(again.text, /\/login\//);
      assert.match(again.words, /The login link can’t be shown again/);
      const [, entry = []] = await site.activity();
      assert.deepEqual(entry.slice(0, 2), ['login-link-issued', aUser(101).email]);
    }
    assert.equal((await owner.fillIn(page, {}, `${page}/103/login-link`)).status, 404);
  });

  test('is signed out by owners: of everything, or if they belong to another organization, of its links', async (t) => {
    const { site, owner } = await startSite(t);
    const member = await site.signedIn(101);
    const question = await owner.read(`${page}/101/sign-out`);
    assert.match(
      question,
      /Sign First101 Last101 out\? Sessions that login links of Northwind Wellness started end at once/,
    );
    assert.equal((await member.open('/account')).status, 200);
    const answer = await owner.fillIn(`${page}/101/sign-out`, {});
    assert.deepEqual([answer.status, answer.location], [303, `${page}/101`]);
    assert.match(await owner.read(`${page}/101`), /First101 Last101\u2069 is signed out\./);
    assert.equal((await member.open('/account')).status, 303);
    const [entry] = (await site.core.listActivity({ organization })).items;
    assert.deepEqual(
      [entry?.action, entry?.subject, entry?.user?.id, entry?.about?.id],
      ['member-signed-out', aUser(101).email, 100, 101],
    );

    await site.core.addMember({ organizationId: 2, email: aUser(101).email, role: 'member', idpId: null });
    const again = await site.signedIn(101);
    const bound = await site.signedInByLink(101);
    await owner.fillIn(`${page}/101/sign-out`, {});
    assert.deepEqual(
      [(await again.open('/account')).status, (await bound.open('/organizations/1/meetings')).status],
      [200, 303],
    );
    await owner.fillIn(`${page}/101/sign-out`, {});
    assert.match(await owner.read(`${page}/101`), /was not signed in\./);
  });
});

describe('The name', () => {
  const form = `${page}/101/name`;

  test('is corrected on a page of its own, to which the page of the member links', async (t) => {
    const { site, owner } = await startSite(t);
    assert.match((await owner.open(`${page}/101`)).text, new RegExp(`href="${form}"`));
    const refused = await owner.fillIn(form, { first_name: 'Ada', last_name: ' ' });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /id="last_name-hint">Last name is required/);
    assert.equal(refused.fields.first_name, 'Ada');
    const saved = await owner.fillIn(form, { first_name: 'Ada', last_name: '<Byron>' });
    assert.deepEqual([saved.status, saved.location], [303, `${page}/101`]);
    const shown = await owner.read(`${page}/101`);
    assert.match(shown, /Name saved\. .*Ada <Byron>/);
    const [entry] = (await site.core.listActivity({ organization })).items;
    assert.deepEqual([entry?.action, entry?.user?.id], ['name-changed', 100]);
  });

  test('of someone whom another organization has, too, is not changed', async (t) => {
    const { site, owner } = await startSite(t);
    await site.core.addMember({ organizationId: 2, email: aUser(101).email, role: 'member', idpId: null });
    const answer = await owner.fillIn(form, { first_name: 'Ada' });
    assert.equal(answer.status, 422);
    assert.match(answer.words, /This account is also used outside this organization/);
    assert.equal((await owner.fillIn(page, { first_name: 'x' }, `${page}/103/name`)).status, 404);
    const { user } = await site.core.readMember({ organization, userId: 101 });
    assert.equal(user.firstName, 'First101');
  });
});

describe('The ID at the identity provider', () => {
  const save = (owner: PageClient, userId: number, idpId: string) =>
    owner.fillIn(`${page}/${userId}`, { idp_id: idpId }, `${page}/${userId}/idp-id`);

  test('is shown, changed and removed on the page of the member', async (t) => {
    const { site, owner } = await startSite(t);
    const idpId = async () => (await site.core.readMember({ organization, userId: 101 })).idpId;
    assert.equal((await owner.fieldsOf(`${page}/101`)).idp_id, '');
    const answer = await save(owner, 101, ' <nw> 1 ');
    assert.deepEqual([answer.status, answer.location], [303, `${page}/101`]);
    const shown = await owner.open(`${page}/101`);
    assert.match(shown.words, /ID saved\./);
    assert.equal(shown.fields.idp_id, '<nw> 1');
    assert.equal(await idpId(), '<nw> 1');
    assert.equal(await roleOf(site, 101), 'member');
    await save(owner, 101, '');
    assert.equal(await idpId(), null);
    const [entry] = (await site.core.listActivity({ organization })).items;
    assert.deepEqual([entry?.action, entry?.user?.id], ['idp-id-set', 100]);
    assert.deepEqual((await owner.open(`${page}/101/idp-id`)).location, `${page}/101`);
  });

  test('of another member is refused next to the field, and the input stays', async (t) => {
    const { owner } = await startSite(t);
    await save(owner, 100, 'taken');
    const answer = await save(owner, 101, 'taken');
    assert.equal(answer.status, 422);
    assert.match(
      answer.text,
      /id="idp_id-hint">Identity provider ID belongs to another member: <a href="[^"]*people\/100"><bdi>First100 /,
    );
    assert.match(answer.text, /<title>Error: First101/);
    assert.equal(answer.fields.idp_id, 'taken');
    const long = await save(owner, 101, 'x'.repeat(501));
    assert.match(long.text, /id="idp_id-hint">Identity provider ID must have at most 500 characters/);
  });

  test('that was changed meanwhile is not overwritten, but shown', async (t) => {
    const { site, owner } = await startSite(t);
    const saveOld = (idpId: string, shown: string) =>
      owner.fillIn(`${page}/101`, { idp_id: idpId, shown_idp_id: shown }, `${page}/101/idp-id`);
    await save(owner, 101, 'nw-1');
    const answer = await saveOld('mine', '');
    assert.equal(answer.status, 422);
    assert.match(answer.text, /id="idp_id-hint">Identity provider ID was changed to nw-1 in the meantime/);
    const { idp_id: typed, shown_idp_id: shown } = answer.fields;
    assert.deepEqual([typed, shown], ['mine', 'nw-1']);
    assert.equal((await site.core.readMember({ organization, userId: 101 })).idpId, 'nw-1');
    await save(owner, 101, '');
    assert.match((await saveOld('mine', 'nw-1')).text, /Identity provider ID was removed in the meantime/);
    // A form that is sent twice.
    await save(owner, 101, 'mine');
    assert.equal((await saveOld('mine', '')).status, 303);
    // A form that is refused for another reason before.
    const refused = (await saveOld('x'.repeat(501), 'nw-1')).fields;
    assert.match((await saveOld('other', refused.shown_idp_id ?? '')).text, /was changed to mine in the/);
  });
});

describe('Changing a role', () => {
  test('takes effect at once', async (t) => {
    const { site, owner } = await startSite(t);
    const admin = await site.signedIn(101);
    assert.equal((await admin.open(page)).status, 404);
    const answer = await owner.fillIn(`${page}/101`, { role: 'owner' });
    assert.deepEqual([answer.status, answer.location], [303, `${page}/101`]);
    const after = await owner.open(`${page}/101`);
    assert.match(after.words, /Role changed\./);
    assert.match(after.text, /<option value="owner" selected>/);
    assert.equal((await admin.open(page)).status, 200);
    await owner.fillIn(`${page}/101`, { role: 'member' });
    assert.equal((await admin.open(page)).status, 404);
  });

  test('is refused for the last owner, and for an unknown role', async (t) => {
    const { site, owner } = await startSite(t);
    const last = await owner.fillIn(`${page}/100`, { role: 'admin' });
    assert.equal(last.status, 422);
    assert.match(
      last.text,
      /role="alert"><svg.*?<\/svg>This is the last owner. Make someone else an owner first</,
    );
    const none = await owner.fillIn(`${page}/101`, { role: '' });
    assert.match(none.words, /Role must be one of owner, admin, member/);
    assert.deepEqual([await roleOf(site, 100), await roleOf(site, 101)], ['owner', 'member']);
  });

  test('that someone else has changed in the meantime asks first, and says what changed', async (t) => {
    const { site, owner } = await startSite(t);
    const member = `${page}/101`;
    const shown = await owner.fieldsOf(member);
    await site.core.changeRole({ organization, userId: 101, role: 'admin' });
    const stale = await owner.send({ path: member, fields: { ...shown, role: 'owner' } });
    assert.equal(stale.status, 422);
    assert.match(
      stale.words,
      /Someone changed the role to Admin after you opened this page\. Save again to make it Owner\./,
    );
    assert.match(stale.text, /<option value="owner" selected>/);
    assert.equal(await roleOf(site, 101), 'admin');
    await owner.send({ path: member, fields: { ...stale.fields, role: 'owner' } });
    assert.equal(await roleOf(site, 101), 'owner');
    // A form that is sent twice.
    const twice = await owner.send({ path: member, fields: { ...stale.fields, role: 'owner' } });
    assert.equal(twice.status, 303);
  });

  test('of your own leads to a page that you may open', async (t) => {
    const { site, owner } = await startSite(t);
    await owner.fillIn(`${page}/101`, { role: 'owner' });
    assert.match(await owner.read(`${page}/100`), /This is you/);
    const answer = await owner.fillIn(`${page}/100`, { role: 'member' });
    assert.deepEqual([answer.status, answer.location], [303, '/meetings']);
    assert.equal((await owner.open('/meetings')).location, '/organizations/1/meetings');
    assert.equal(await roleOf(site, 100), 'member');
  });
});

describe('Removing someone', () => {
  test('asks first, and ends the login links of the person', async (t) => {
    const { site, owner } = await startSite(t);
    const link = await site.linkFor(101);
    const question = await owner.open(`${page}/101/remove`);
    assert.match(
      question.words,
      /Remove First101 Last101 \? They’re signed out and their links stop working/,
    );
    assert.equal(await roleOf(site, 101), 'member');
    const answer = await owner.fillIn(`${page}/101/remove`, {});
    assert.deepEqual([answer.status, answer.location], [303, page]);
    const after = await owner.read(page);
    assert.match(after, /First101 Last101\u2069 is no longer a member of the organization\./);
    assert.doesNotMatch(after, /user-101@/);
    assert.notEqual((await site.visitor().open(link)).status, 200);
    assert.equal((await owner.open(`${page}/101`)).status, 404);
  });

  test('is refused for the last owner', async (t) => {
    const { site, owner } = await startSite(t);
    const answer = await owner.fillIn(`${page}/101/remove`, {}, `${page}/100/remove`);
    assert.equal(answer.status, 409);
    assert.match(answer.words, /This is the last owner Nothing was changed/);
    assert.match(answer.text, /<a href="\/organizations\/1\/people"[^>]*>Go back<\/a>/);
    assert.equal(await roleOf(site, 100), 'owner');
  });

  test('is not offered for the last owner', async (t) => {
    const { owner } = await startSite(t);
    const person = await owner.open(`${page}/100`);
    assert.match(person.words, /The last owner can’t be removed\./);
    assert.doesNotMatch(person.text, /people\/100\/remove/);
    const question = await owner.open(`${page}/100/remove`);
    assert.equal(question.status, 200);
    assert.match(question.words, /First100 Last100 is the last owner The last owner can’t be removed\./);
    assert.doesNotMatch(question.text, /action="[^"]*remove"/);
    assert.match((await owner.open(`${page}/101`)).text, /people\/101\/remove/);
  });

  test('of yourself leads out of the organization', async (t) => {
    const { owner } = await startSite(t);
    await owner.fillIn(`${page}/101`, { role: 'owner' });
    assert.match(await owner.read(`${page}/100/remove`), /Remove yourself\?/);
    assert.equal((await owner.fillIn(`${page}/100/remove`, {})).location, '/meetings');
    const left = await owner.read('/meetings');
    assert.match(left, /is no longer a member of the organization.*not a member of any organization/);
  });

  test('of someone who is not a member gets 404', async (t) => {
    const { owner } = await startSite(t);
    for (const id of ['103', '999', '0', '01', 'x', '1e2', '9'.repeat(16)]) {
      for (const path of [`${page}/${id}`, `${page}/${id}/remove`]) {
        assert.equal((await owner.open(path)).status, 404, path);
        assert.equal((await owner.fillIn(page, { role: 'admin' }, path)).status, 404, path);
      }
    }
  });
});
