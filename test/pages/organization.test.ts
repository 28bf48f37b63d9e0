import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aMeeting } from '@rollcall/core/testing';
import { type Answer, copiedText, follow, type PageClient, readableText } from '#test/support/page/client.js';
import { startOwnedSite } from '#test/support/page/site.js';
import { webhookAt } from '../support/webhook-at.js';

const page = '/organizations/1';
const settings = `${page}/settings`;
const keyPage = '/organizations/1/access-key';
const organization = { id: 1 };

/** Sends the form of a page, and opens the page that shows the new key. */
async function generate(
  client: PageClient,
  from = keyPage,
  fields: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return follow(client, await client.fillIn(from, fields, keyPage));
}

const keyIn = ({ text }: Answer): string | undefined => /\b\d{24}\b/.exec(readableText(text))?.[0];

describe('The page of an organization', () => {
  test('shows what a program needs to call the API, and that there is no access key yet', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    const { status, text, words } = await owner.open(settings);
    assert.equal(status, 200);
    assert.match(words, /Northwind Wellness/);
    assert.equal(copiedText(text, 'base-url'), `${site.url}/api/v2`);
    assert.match(words, /Organization ID 1 /);
    assert.match(words, /There is no access key yet/);
    assert.match(text, /aria-current="page">Settings</);
    const home = (await owner.open(page)).text;
    assert.match(readableText(home), /No activity yet/);
    assert.match(home, /aria-current="page">Home</);
  });

  test('is the home of admins, too, without the settings, the first steps and the activity', async (t) => {
    const { site } = await startOwnedSite(t);
    await site.addUser({ id: 150, organizations: [1], role: 'admin' });
    const admin = await site.signedIn(150);
    const { location } = await admin.open('/meetings');
    assert.equal(location, page);
    const read = await admin.read(page);
    assert.match(read, /Webhook Not set up .* People 2 .* Pending invitations 0 .* Meetings this week 0/);
    assert.doesNotMatch(read, /First steps|activity|Settings/);
    for (const path of [settings, `${page}/activity`, `${page}/calls`])
      assert.equal((await admin.open(path)).status, 404, path);
  });

  test('begins with the webhook, the people, the pending invitations and the meetings of the week', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    const tiles = async () => {
      const { text } = await owner.open(page);
      const found = [...text.matchAll(/<li><a class="card" href="([^"]*)">(.*?)<\/a><\/li>/gs)];
      return found.map(([, path, html = '']) => `${path} ${readableText(html)}`);
    };
    await site.core.registerUser({
      organizationId: 1,
      email: 'a@example.test',
      firstName: 'A',
      lastName: 'B',
    });
    const to = '/organizations/1';
    assert.deepEqual(await tiles(), [
      `${to}/webhooks Webhook Not set up Nothing delivered yet`,
      `${to}/people People 2 1 new this week`,
      `${to}/invitations?state=pending Pending invitations 0 No one is waiting`,
      `${to}/all-meetings?status=all&amp;dates=this_week Meetings this week 0 0 of 0 seats taken`,
    ]);
    await site.core.configureWebhook({ organization, how: 'set', webhook: webhookAt('https://a.test/') });
    await site.core.inviteUser({ organization, email: 'b@example.test', firstName: 'B', lastName: 'C' });
    await site.load({
      meetings: [aMeeting(1, { organizationId: 1, startTime: new Date('2026-11-18T18:00:00Z') })],
    });
    assert.equal(
      (await tiles())[3],
      `${to}/all-meetings?status=all&amp;dates=this_week Meetings this week 1 0 of 12 seats taken`,
    );
    site.clock.advance(3 * 24 * 3_600_000);
    await site.core.inviteUser({ organization, email: 'd@example.test', firstName: 'D', lastName: 'E' });
    const later = await site.signedIn(100);
    const { words } = await later.open(page);
    assert.match(words, /Webhook On Nothing delivered yet People 2 No one new this week Pending/);
    assert.match(words, /Pending invitations 2 The oldest from 20 Nov Meetings this week 0/);
  });

  test('masks the access key, and says when it was created and last used', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    const { accessKey } = await site.core.generateAccessKey({ organizationId: 1 });
    assert.match(await owner.read(settings), /Created 20 Nov 2026, 12:00 Last used Never/);
    site.clock.advance(5 * 60_000);
    await site.core.authenticate({ accessKey: accessKey.reveal(), address: 'a test' });
    const used = await owner.open(settings);
    assert.match(used.words, /Last used 20 Nov 2026, 12:05/);
    assert.ok(!used.text.includes(accessKey.reveal()) && keyIn(used) === undefined);
  });

  test('tells two keys apart by their last digits and their names, and leaves out digits that are not stored', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    const first = await site.core.generateAccessKey({ organizationId: 1 });
    const digits = (key: typeof first) => key.accessKey.reveal().slice(-4);
    const facts = async () => {
      const { text } = await owner.open(settings);
      const [, card = ''] = /<dl[^>]*>(.*?)<\/dl>/s.exec(text.slice(text.indexOf('id="access-key"'))) ?? [];
      return readableText(card);
    };
    const named = await owner.fillIn(`${keyPage}/name`, { name: 'Payroll \u05d0' });
    assert.match((await follow(owner, named)).text, /Name saved\./);
    assert.match(await facts(), new RegExp(`24 digits, ending in ${digits(first)} Payroll \u05d0 Created`));
    assert.match((await owner.open(settings)).text, /<bdi>Payroll \u05d0<\/bdi>/);

    const second = await site.core.generateAccessKey({ organizationId: 1, keepOldForHours: 24 });
    await owner.fillIn(`${keyPage}/name`, { name: 'Payroll, new' });
    const both = await facts();
    assert.match(both, new RegExp(`Key .*ending in ${digits(second)} Payroll, new Created`));
    assert.match(both, new RegExp(`Old key .*ending in ${digits(first)} Payroll \u05d0 Works until`));
    assert.match(await owner.read(keyPage), new RegExp(`ending in ${digits(second)}`));

    await owner.fillIn(`${keyPage}/name`, { name: ' ' });
    assert.doesNotMatch(await facts(), /Payroll, new/);
    await site.storage.organizations.replaceAccessKey({
      organizationId: 1,
      hash: 'made before',
      at: new Date(),
    });
    assert.match(await facts(), /Key •••• •••• •••• •••• •••• •••• 24 digits, not shown Created/);
    assert.match(await owner.read(`${page}/activity`), /Named the access key/);
  });

  test('a wrong name of the access key is refused at its field, and a key that was replaced is not named', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    assert.equal((await owner.open(`${keyPage}/name`)).location, keyPage);
    await site.core.generateAccessKey({ organizationId: 1 });
    for (const [name, problem] of [
      ['x'.repeat(61), /Name must have at most 60 characters/],
      ['one\u2028two', /Name must not contain line breaks/],
    ] as const) {
      const refused = await owner.fillIn(`${keyPage}/name`, { name });
      assert.equal(refused.status, 422);
      assert.match(refused.words, problem);
      assert.equal(refused.fields.name, name);
    }
    const open = await owner.fieldsOf(`${keyPage}/name`);
    await site.core.generateAccessKey({ organizationId: 1 });
    const late = await owner.send({ path: `${keyPage}/name`, fields: { ...open, name: 'Payroll' } });
    assert.equal(late.status, 422);
    assert.match(late.words, /There is another access key by now; nothing was changed/);
    assert.equal((await site.core.readAccessKey({ organization }))?.name, null);
  });
});

describe('The first steps', () => {
  const steps = (html: string) =>
    [...html.matchAll(/<li( class="done")?><span class="tick"[^>]*><\/span>(.*?)<\/li>/gs)].map(
      ([, done, item = '']) => `${done === undefined ? 'open' : 'done'}: ${readableText(item)}`,
    );

  test('of a new owner each lead to their page, and are ticked when they are done', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    const { text, words } = await owner.open(page);
    assert.deepEqual(steps(text), [
      'open: Generate the access key Your programs need it to call the API.',
      'open: Set up the webhook Your endpoint is told when someone joins your organization.',
      'open: Invite someone You get a link to send them.',
      'open: Download an export Your meetings as CSV or JSON.',
    ]);
    assert.match(words, /First steps 0 of 4 done\./);
    const [list = ''] = /<ol class="plain">.*?<\/ol>/s.exec(text) ?? [];
    const links = [...list.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
    assert.deepEqual(links, [
      `${settings}#access-key`,
      `${page}/webhooks/settings`,
      `${page}/invitations/new`,
      `${page}/export`,
    ]);
    for (const link of links) assert.equal((await owner.open(link)).status, 200, link);

    await owner.fillIn(settings, {}, keyPage);
    await site.invite();
    const some = (await owner.open(page)).text;
    assert.deepEqual(
      steps(some).map((step) => step.slice(0, 4)),
      ['done', 'open', 'done', 'open'],
    );
    assert.match(readableText(some), /2 of 4 done\..* Generate the access key \(done\)/);
  });

  test('can be hidden from all owners, in every browser, and shown again', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    await site.addUser({ id: 150, organizations: [1], role: 'owner' });
    const colleague = await site.signedIn(150);
    const form = `${page}/first-steps`;
    const hidden = await follow(owner, await owner.fillIn(page, {}, form));
    assert.match(hidden.words, /The first steps are hidden\. You can show them again at the end/);
    for (const browser of [owner, colleague]) {
      const { text } = await browser.open(page);
      assert.deepEqual(steps(text), []);
      assert.match(text, /Show the first steps<\/button>/);
    }
    assert.match(await colleague.read(page), /Hid the first steps/);

    const { text } = await follow(colleague, await colleague.fillIn(page, {}, form));
    assert.equal(steps(text).length, 4);
    assert.match(text, /name="hidden" value="yes"\/><button[^>]*>Hide these steps</);
    assert.equal(steps((await owner.open(page)).text).length, 4);
  });

  test('are gone when all are done', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    await site.core.generateAccessKey({ organizationId: 1 });
    await site.invite();
    const webhook = webhookAt('https://partner.test/hooks');
    await site.core.configureWebhook({ organization, how: 'set', webhook });
    assert.equal(steps((await owner.open(page)).text).length, 4);
    assert.equal((await owner.open(`${page}/export/meetings.csv?column[]=name`)).status, 200);
    const { words } = await owner.open(page);
    assert.doesNotMatch(words, /First steps|first steps/);
    assert.match(words, /Downloaded an export of meetings CSV/);
  });
});

describe('The access key', () => {
  test('is generated with one click, shown with a first call, and works', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    const answer = await generate(owner, settings);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.doesNotMatch(answer.text, /data-time-zone/, 'the script would reload the page, and hide the key');
    const key = keyIn(answer) ?? '';
    const { token } = await site.core.authenticate({ accessKey: key, address: 'a test' });
    assert.ok(token.reveal().length > 0);
    const command = answer.words;
    assert.ok(command.includes(`curl ${site.url}/api/v2/authenticate`));
    assert.ok(command.includes(`-d '{"access_key":"${key}"}'`));
    const { items } = await site.core.listActivity({ organization });
    assert.deepEqual(
      items.map(({ action, user, actor }) => [action, user?.id, actor.from]),
      [['access-key-generated', 100, '127.0.0.1']],
    );
  });

  test('is shown on one page once, which then says so and leads on', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    const sent = await owner.fillIn(settings, {}, keyPage);
    assert.deepEqual([sent.status, sent.location], [303, `${keyPage}/new`]);
    assert.equal(keyIn(await owner.open(`${keyPage}/new`, { method: 'HEAD' })), undefined);
    const key = keyIn(await follow(owner, sent)) ?? '';
    await site.core.authenticate({ accessKey: key, address: 'a test' });
    assert.ok(!JSON.stringify([...sent.headers]).includes(key));
    const again = await follow(owner, sent);
    assert.equal(again.status, 200);
    assert.match(again.words, /The access key can’t be shown again Each access key is shown once/);
    assert.match(again.text, /<a href="\/organizations\/1\/access-key"[^>]*>Replace the access key/);
    const others = [
      ...[page, settings, keyPage, `${keyPage}/new`, `${page}/activity`, `${page}/people`].map((path) =>
        owner.open(path),
      ),
      owner.fillIn(settings, {}, keyPage),
    ];
    for (const { text, headers } of await Promise.all(others)) {
      assert.ok(!text.includes(key) && !JSON.stringify([...headers]).includes(key));
    }
    assert.ok(!JSON.stringify(site.reports).includes(key));
  });

  test('is kept in one cookie until it is shown, for five minutes and for this session and page only', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    await site.addUser({ id: 101, organizations: [1], role: 'owner' });
    await owner.fillIn(settings, {}, keyPage);
    const cookie = owner.cookie('shown-once') ?? '';
    assert.match(cookie, /^[0-9a-f]{8}\.[\w-]{60,}$/);
    const other = await site.signedIn(101);
    const sameUser = await site.signedIn(100);
    const thief = site.visitor();
    for (const client of [other, sameUser, thief]) client.setCookie('shown-once', cookie);
    for (const client of [other, sameUser, thief])
      assert.equal(keyIn(await client.open(`${keyPage}/new`)), undefined);
    for (const path of [
      page,
      keyPage,
      '/organizations/1/calendar/new',
      '/organizations/1/webhooks/secret/new',
    ])
      assert.ok(!/\d{24}/.test((await owner.open(path)).text), path);

    const later = owner.copy();
    site.clock.advance(5 * 60_000);
    assert.equal(keyIn(await later.open(`${keyPage}/new`)), undefined);
    site.clock.advance(-1);
    assert.match(keyIn(await owner.open(`${keyPage}/new`)) ?? '', /^\d{24}$/);
    assert.equal(owner.cookie('shown-once'), undefined);
  });

  test('has no page that shows or replaces it before there is one', async (t) => {
    const { owner } = await startOwnedSite(t);
    for (const [path, leadsTo] of [
      [`${keyPage}/new`, keyPage],
      [keyPage, `${settings}#access-key`],
    ] as const) {
      const { status, location } = await owner.open(path);
      assert.deepEqual([status, location], [303, leadsTo]);
    }
  });

  test('is replaced after a page that asks and says what stops working', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    const { accessKey } = await site.core.generateAccessKey({ organizationId: 1 });
    assert.match((await owner.open(settings)).text, /<a href="\/organizations\/1\/access-key"[^>]*>Replace/);
    const question = await owner.open(keyPage);
    const read = question.words;
    assert.match(read, /Replace the access key\?/);
    assert.match(read, /all of its tokens stop working at once/);
    assert.match(read, /has never been used/);
    const key = keyIn(await generate(owner)) ?? '';
    await site.core.authenticate({ accessKey: key, address: 'a test' });
    await assert.rejects(
      site.core.authenticate({ accessKey: accessKey.reveal(), address: 'a test' }),
      /Invalid Access Key/,
    );
  });

  test('can be kept for some hours when it is replaced, and the pages say until when', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    const { accessKey: old } = await site.core.generateAccessKey({ organizationId: 1 });
    for (const keep_old_hours of ['169', 'x', '-1', '1.5']) {
      const refused = await owner.fillIn(keyPage, { keep_old_hours });
      assert.deepEqual([refused.status, keyIn(refused)], [422, undefined], keep_old_hours);
      assert.match(
        refused.text,
        /Time until the current key stops working must be a whole number from 0 to 168/,
      );
    }
    const answer = await generate(owner, keyPage, { keep_old_hours: '24' });
    assert.match(answer.words, /The old key and its tokens work until/);
    const key = keyIn(answer) ?? '';
    for (const accessKey of [key, old.reveal()])
      await site.core.authenticate({ accessKey, address: 'a test' });
    assert.match(await owner.read(settings), /Old key .* ending in \d{4} Works until/);
    assert.match(await owner.read(keyPage), /The key before the current one works until/);

    await owner.fillIn(keyPage, {});
    assert.doesNotMatch(await owner.read(settings), /Old key/);
    for (const accessKey of [key, old.reveal()])
      await assert.rejects(site.core.authenticate({ accessKey, address: 'a test' }), /Invalid Access Key/);
  });

  test('is replaced once if the form is sent again, and the page says so', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    const fields = await owner.fieldsOf(settings);
    const key = keyIn(await follow(owner, await owner.send({ path: keyPage, fields }))) ?? '';
    const again = await owner.send({ path: keyPage, fields });
    assert.equal(again.status, 409);
    assert.match(again.words, /The access key was already replaced/);
    assert.equal(keyIn(again), undefined);
    await site.core.authenticate({ accessKey: key, address: 'a test' });
    const actions = (await site.core.listActivity({ organization })).items.map(({ action }) => action);
    assert.deepEqual(actions, ['access-key-generated']);
  });

  test('is not replaced by a form that does not say which one it is about', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    for (const generation of ['', 'x', '-1', '1.5', '9'.repeat(16), ' 0']) {
      const answer = await owner.fillIn(settings, { generation }, keyPage);
      assert.equal(answer.status, 400, generation);
    }
    assert.equal(await site.core.readAccessKey({ organization }), null);
  });
});

describe('The name of the organization', () => {
  const namePage = `${page}/name`;

  test('is changed by an owner, shown everywhere at once, and in the activity', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    assert.match(
      (await owner.open(settings)).text,
      /<a href="\/organizations\/1\/name"[^>]*>Change the name<\/a>/,
    );
    const invitation = await site.invite();
    const name = 'Südwind & Söhne';
    const saved = await owner.fillIn(namePage, { name });
    assert.deepEqual([saved.status, saved.location], [303, settings]);
    const read = (await follow(owner, saved)).words;
    assert.match(read, /Name saved\./);
    assert.match(await owner.read(page), /Renamed the organization Northwind Wellness → Südwind & Söhne/);
    for (const path of [`${page}/people`, `${page}/meetings`, '/account/sessions', '/', invitation])
      assert.doesNotMatch(await owner.read(path), /Northwind/, path);
    assert.match(await site.visitor().read(invitation), /Join Südwind & Söhne/);
  });

  test('that an earlier import stored with line breaks can be changed', async (t) => {
    const { site, owner } = await startOwnedSite(t, {}, { name: ' Northwind\nWell\u2028ness ' });
    assert.equal((await owner.fillIn(namePage, { name: 'Northwind' })).status, 303);
    assert.equal((await site.core.listOrganizations())[0]?.name, 'Northwind');
  });

  test('is refused next to the field with what was typed, by the rules for new organizations', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    for (const [name, message] of [
      [' ', 'Name is required'],
      ['x'.repeat(301), 'Name must have at most 300 characters'],
      ['A\u202eB', 'Name must not contain line breaks or characters that change the direction of text'],
    ] as const) {
      const { status, text, words, fields } = await owner.fillIn(namePage, { name });
      assert.equal(status, 422);
      assert.match(text, /<title>Error: The name of Northwind Wellness/);
      assert.match(text, /aria-invalid="true"/);
      assert.ok(words.includes(message), words);
      assert.equal(fields.name, name);
    }
    assert.equal((await site.core.listOrganizations())[0]?.name, 'Northwind Wellness');
    assert.deepEqual((await site.core.listActivity({ organization })).items, []);
  });
});

describe('The time zone of exports', () => {
  test('is chosen from a list, and can be reset', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    const { text } = await owner.open(settings);
    assert.match(text, /<select id="time_zone"[^>]* aria-describedby="time_zone-hint"/);
    assert.match(text, /id="time_zone-hint">[^<]* such as Europe\/Helsinki/);
    assert.match(text, /<option value="Europe\/Helsinki">/);
    const saved = await owner.fillIn(settings, { time_zone: 'Europe/Berlin' });
    assert.deepEqual([saved.status, saved.location], [303, settings]);
    const after = await owner.open(settings);
    assert.match(after.words, /Time zone saved\./);
    assert.match(after.text, /<option value="Europe\/Berlin" selected>/);
    assert.doesNotMatch((await owner.open(settings)).text, /Time zone saved/);
    const zoneOf = async () => (await site.core.listOrganizations())[0]?.timeZone;
    assert.equal(await zoneOf(), 'Europe/Berlin');
    await owner.fillIn(settings, { time_zone: '' });
    const read = await owner.read(page);
    assert.match(read, /exports Europe\/Berlin → default .*exports default → Europe\/Berlin/);
    assert.equal(await zoneOf(), null);
  });

  test('is refused next to the field if there is none of that name', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    const { status, text, words } = await owner.fillIn(settings, { time_zone: 'Mars/Olympus' });
    assert.equal(status, 422);
    assert.match(text, /aria-invalid="true"/);
    assert.match(words, /Time zone must be an IANA time zone/i);
    assert.match(text, /<title>Error: Settings of Northwind Wellness/);
    assert.equal((await site.core.listOrganizations())[0]?.timeZone, null);
  });

  test('that someone else has changed in the meantime asks first, and says what changed', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    const zoneOf = async () => (await site.core.listOrganizations())[0]?.timeZone;
    const changes = [
      [null, 'America/New_York', 'America/New York'],
      ['UTC', null, 'Default \\(UTC\\)'],
    ] as const;
    for (const [before, current, named] of changes) {
      await site.core.setTimeZone({ organization, timeZone: before });
      const fields = { ...(await owner.fieldsOf(settings)), time_zone: 'Europe/Helsinki' };
      await site.core.setTimeZone({ organization, timeZone: current });
      const stale = await owner.send({ path: settings, fields });
      assert.equal(stale.status, 422);
      const asked = `Someone changed the time zone to ${named} after you opened this page\\. Save again to make it Europe/Helsinki\\.`;
      assert.match(stale.words, new RegExp(asked));
      assert.match(stale.text, /<option value="Europe\/Helsinki" selected>/);
      assert.equal(await zoneOf(), current);
      const again = { ...stale.fields, time_zone: 'Europe/Helsinki' };
      assert.equal((await owner.send({ path: settings, fields: again })).status, 303);
      assert.equal(await zoneOf(), 'Europe/Helsinki');
      const twice = await owner.send({ path: settings, fields: again });
      assert.deepEqual([twice.status, twice.location], [303, settings]);
    }
  });

  test('stays selected even if the list has it under another name', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    await site.core.setTimeZone({ organization, timeZone: 'US/Eastern' });
    assert.match((await owner.open(settings)).text, /<option value="US\/Eastern" selected>/);
  });
});

describe('The activity', () => {
  test('names who did what, from where and to whom, in words', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    await site.core.generateAccessKey({
      organizationId: 1,
      by: { who: { kind: 'command-line' }, from: null },
    });
    site.clock.advance(60_000);
    await site.invite();
    await owner.fillIn(settings, { time_zone: 'Asia/Tokyo' });
    const { words, status } = await owner.open(`${page}/activity`);
    assert.equal(status, 200);
    assert.match(
      words,
      /First100 Last100 user-100@example\.test Changed the time zone of exports default → Asia\/Tokyo/,
    );
    assert.match(words, /This service Invited someone dana@example\.test –/);
    assert.match(words, /Command line of this service Generated the access key –/);
    assert.match(words, /Times are in/);
  });

  test('has its last entries on the page of the organization, and all of them on its own pages', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    for (let number = 0; number < 60; number += 1) {
      site.clock.advance(1000);
      await site.core.setTimeZone({ organization, timeZone: number % 2 === 0 ? 'UTC' : 'Asia/Tokyo' });
    }
    const rows = ({ text }: Answer): number => text.match(/<tr /g)?.length ?? 0;
    const recent = await owner.open(page);
    assert.equal(rows(recent), 1 + 5);
    assert.match(recent.text, /<a href="\/organizations\/1\/activity"[^>]*>All activity</);
    const first = await owner.open(`${page}/activity`);
    assert.match(first.text, /<p class="back-link"><a href="\/organizations\/1">Home<\/a><\/p><hgroup><h1>/);
    assert.equal(rows(first), 1 + 50);
    assert.match(first.text, /href="\?page=2" rel="next"/);
    assert.equal(rows(await owner.open(`${page}/activity?page=2`)), 1 + 10);
    const past = await owner.open(`${page}/activity?page=3`);
    assert.match(past.words, /This page is empty/);
  });
});
