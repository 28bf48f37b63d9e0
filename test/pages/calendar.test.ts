import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { Unavailable } from '@rollcall/core';
import { aMeeting, anOrganization, aUser, type Dataset, testUuid } from '@rollcall/core/testing';
import { CalendarFiles } from '#adapters/pages/calendar/calendar-files.js';
import { calendarFile, renderCalendar } from '#adapters/pages/calendar/icalendar.js';
import { calendarIn } from '#test/support/icalendar.js';
import { formFields, type PageClient, readableText } from '#test/support/page/client.js';
import { sampleMeetings } from '#test/support/page/samples.js';
import { type PageSite, startPageSite } from '#test/support/page/site.js';
import { startSite } from '#test/support/security/site.js';
import { type DatabaseKind, databaseKinds } from '#test/support/storage.js';

const password = 'a good password';
const meetings = '/organizations/1/meetings';
const calendar = '/organizations/1/calendar';

interface Started {
  readonly site: PageSite;
  readonly dana: PageClient;
}

/** Dana is user 100, whose meetings are those of the samples; user 101 is a member of 1 and 2 without any. */
async function start(
  context: TestContext,
  { database, dataset = {} }: { readonly database?: DatabaseKind; readonly dataset?: Dataset } = {},
): Promise<Started> {
  const site = await startPageSite(context, database === undefined ? {} : { database });
  await site.load({ organizations: sampleMeetings.organizations ?? [] });
  await site.addUser({ id: 100, password, organizations: [1] });
  await site.addUser({ id: 101, password, organizations: [1, 2] });
  const leaders = (sampleMeetings.users ?? []).filter(({ id }) => id >= 200);
  await site.load({ ...sampleMeetings, users: leaders, memberships: [] });
  await site.load(dataset);
  return { site, dana: await signedIn(site, 100) };
}

async function signedIn(site: PageSite, id: number): Promise<PageClient> {
  const client = site.visitor();
  await client.fillIn('/sign-in', { email: `user-${id}@example.test`, password });
  return client;
}

/** Sends the form of the page; gives the path of the address that it is answered with. */
async function openFeed(client: PageClient, page = calendar): Promise<string> {
  const answer = await client.fillIn(page, {}, calendar);
  assert.equal(answer.status, 200, answer.text);
  const url = /id="calendar-url">([^<]*)</.exec(answer.text)?.[1];
  return new URL(url ?? assert.fail('there is no address')).pathname;
}

const program = { headers: { Accept: 'text/calendar' } };

/** Whether the address gives a calendar to a program without any cookie. */
async function works({ visitor }: PageSite, path: string): Promise<boolean> {
  const { status } = await visitor().open(path, program);
  assert.ok(status === 200 || status === 404, String(status));
  return status === 200;
}

describe('A meeting as a file', () => {
  test('says what the page says, in UTC, under a name that tells which meeting it is', async (t) => {
    const { site, dana } = await start(t);
    const file = await dana.open(`${meetings}/2.ics`);
    assert.equal(file.status, 200);
    assert.equal(file.headers.get('content-type'), 'text/calendar; charset=utf-8');
    assert.equal(file.headers.get('content-disposition'), 'attachment; filename=meeting-2.ics');
    assert.equal(file.headers.get('cache-control'), 'no-store');
    assert.deepEqual(calendarIn(file.text), {
      facts: {
        VERSION: '2.0',
        PRODID: '-//Acme Care//Rollcall//EN',
        METHOD: 'PUBLISH',
        NAME: 'Northwind Wellness',
        'X-WR-CALNAME': 'Northwind Wellness',
        'REFRESH-INTERVAL;VALUE=DURATION': 'PT1H',
        'X-PUBLISHED-TTL': 'PT1H',
      },
      events: [
        {
          UID: 'meeting-2@127.0.0.1',
          DTSTAMP: '20261120T120000Z',
          DTSTART: '20261120T231500Z',
          DTEND: '20261121T004500Z',
          SUMMARY: 'Sleep, stress and shift work: an evening for people who never get enough of the first',
          LOCATION: 'Online, on Acme Care',
          DESCRIPTION:
            'You are on the waitlist.\nTopic: Stress\nGroup leader: Jörg Ö.\n' +
            'Short talks, then questions.\n\nBring something to write, and come as you are.',
          URL: `${site.url}${meetings}`,
          STATUS: 'TENTATIVE',
        },
      ],
    });
  });

  test('says where it takes place in the words of the page', async (t) => {
    const { dana } = await start(t);
    const file = await dana.open(`${meetings}/1.ics`);
    assert.match(file.text, /\r\nLOCATION:Online\\, by Zoom\r\n/);
    const [, words] =
      /<dt>Location<\/dt><dd><bdi>(Online, by Zoom)</.exec((await dana.open(meetings)).text) ?? [];
    assert.equal(calendarIn(file.text).events[0]?.LOCATION, words);
  });

  test('is linked from the page where the member has a place, and only there', async (t) => {
    const { dana } = await start(t);
    const { text } = await dana.open(meetings);
    const linked = [...text.matchAll(/href="([^"]*)\.ics" aria-labelledby="add-(\d+) meeting-\2"/g)];
    assert.deepEqual(
      linked.map(([, path]) => path),
      [1, 2, 3, 4].map((id) => `${meetings}/${id}`),
    );
    for (const [, path] of linked) assert.equal((await dana.open(`${path}.ics`)).status, 200);
    for (const rejectedOrExpired of [5, 6])
      assert.equal((await dana.open(`${meetings}/${rejectedOrExpired}.ics`)).status, 404);
  });

  test('is private: a meeting outside the calendar looks like one that does not exist', async (t) => {
    const { site, dana } = await start(t);
    const other = await signedIn(site, 101);
    const missing = await dana.open(`${meetings}/99.ics`);
    assert.equal(missing.status, 404);
    assert.match(readableText(missing.text), /Page not found/);
    const asOther = await other.open(`${meetings}/99.ics`);
    assert.equal((await other.open(`${meetings}/1.ics`)).text, asOther.text);
    for (const odd of ['0', '01', '-1', '1.0', 'x', '%00', '9'.repeat(20), '1e0']) {
      assert.equal((await dana.open(`${meetings}/${odd}.ics`)).status, 404, odd);
    }
    assert.equal((await dana.open('/organizations/2/meetings/1.ics')).status, 404);
    const stranger = await site.visitor().open(`${meetings}/1.ics`);
    assert.deepEqual(
      [stranger.status, stranger.location],
      [303, `/sign-in?next=${encodeURIComponent(meetings)}`],
    );
  });

  test('keeps every text as it is, however it tries to be more than a text', async (t) => {
    const texts = [
      'W'.repeat(300),
      'دائرة الدعم 👩‍👩‍👧‍👦'.repeat(20),
      '<script>alert(1)</script>; a, b \\ c\\n "d": e',
      ' BEGIN:VEVENT ',
      '=1+1',
      '',
    ];
    for (const [index, text] of texts.entries()) {
      const id = 50 + index;
      const { dana } = await start(t, {
        dataset: {
          organizations: [anOrganization(1, { name: text })],
          meetings: [aMeeting(id, { name: text, topic: text, description: text, location: text })],
          registrations: [{ meetingId: id, userId: 100, registeredAt: new Date(0) }],
        },
      });
      const file = await dana.open(`${meetings}/${id}.ics`);
      const { facts, events } = calendarIn(file.text);
      assert.deepEqual([facts.NAME, facts['X-WR-CALNAME']], [text, text]);
      assert.equal(events.length, 1);
      const { SUMMARY, LOCATION, DESCRIPTION } = events[0] ?? {};
      const description = text === '' ? '' : `Topic: ${text}\n${text}`;
      assert.deepEqual([SUMMARY, LOCATION, DESCRIPTION], [text, text, description]);
    }
  });

  test('has no line that a text began, and no control characters', async (t) => {
    const evil = 'a\r\nEND:VEVENT\nb\rc\u0000\u0007\td\u0085';
    const { dana } = await start(t, {
      dataset: {
        organizations: [anOrganization(1, { name: evil })],
        meetings: [aMeeting(50, { name: evil })],
        registrations: [{ meetingId: 50, userId: 100, registeredAt: new Date(0) }],
      },
    });
    const { facts, events } = calendarIn((await dana.open(`${meetings}/50.ics`)).text);
    const text = 'a\nEND:VEVENT\nb\nc   d ';
    assert.deepEqual([facts.NAME, events.map(({ SUMMARY }) => SUMMARY)], [text, [text]]);
  });

  test('has no end where it ends when it starts: there may be none then', async (t) => {
    const time = new Date('2026-11-22T10:00:00.000Z');
    const { dana } = await start(t, {
      dataset: {
        meetings: [aMeeting(50, { startTime: time, endTime: time })],
        registrations: [{ meetingId: 50, userId: 100, registeredAt: new Date(0) }],
      },
    });
    const [event = {}] = calendarIn((await dana.open(`${meetings}/50.ics`)).text).events;
    assert.equal(event.DTSTART, '20261122T100000Z');
    assert.ok(!('DTEND' in event));
  });
});

for (const database of databaseKinds) {
  describe(`A private calendar address, over ${database}`, () => {
    test('gives all of the member’s meetings to anyone who knows it, until it is replaced', async (t) => {
      const { site, dana } = await start(t, { database });
      const first = await openFeed(dana);
      assert.match(first, /^\/calendar\/[\w.-]{40,}\.ics$/);
      const file = await site.visitor().open(first, program);
      assert.equal(file.headers.get('content-type'), 'text/calendar; charset=utf-8');
      assert.deepEqual(
        calendarIn(file.text).events.map(({ UID, STATUS }) => [UID, STATUS]),
        [
          ['meeting-1@127.0.0.1', 'CONFIRMED'],
          ['meeting-2@127.0.0.1', 'TENTATIVE'],
          ['meeting-3@127.0.0.1', 'CONFIRMED'],
          ['meeting-4@127.0.0.1', 'TENTATIVE'],
        ],
      );
      site.clock.advance(60_000);
      const second = await openFeed(dana, `${calendar}/replace`);
      assert.notEqual(second, first);
      assert.deepEqual([await works(site, first), await works(site, second)], [false, true]);
    });

    test('is dead as soon as it is revoked, and there can be a new one', async (t) => {
      const { site, dana } = await start(t, { database });
      const path = await openFeed(dana);
      const answer = await dana.fillIn(`${calendar}/revoke`, {});
      assert.deepEqual([answer.status, answer.location], [303, calendar]);
      assert.equal(await works(site, path), false);
      const text = readableText((await dana.open(calendar)).text);
      assert.match(text, /Calendar address revoked\./);
      assert.match(text, /Create a private address/);
      assert.equal(await works(site, await openFeed(dana)), true);
    });
  });
}

describe('The page of the calendar', () => {
  test('says what an address is for while there is none, and afterwards since when there is one', async (t) => {
    const { dana } = await start(t);
    assert.match((await dana.open(meetings)).text, /<a href="\/organizations\/1\/calendar">/);
    assert.match(
      readableText((await dana.open(calendar)).text),
      /See your meetings with Northwind Wellness in your own calendar app/,
    );
    await openFeed(dana);
    assert.match(
      readableText((await dana.open(calendar)).text),
      /address on 20 Nov 2026, 12:00 .* Times are in UTC\./,
    );
  });

  test('shows an address once, in an answer that is not stored, and never again', async (t) => {
    const { site, dana } = await start(t);
    const fields = formFields((await dana.open(calendar)).text);
    const answer = await dana.send({ path: calendar, fields });
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const [token = 'none'] = /(?<=\/calendar\/)[\w.-]{40,}(?=\.ics)/.exec(answer.text) ?? [];
    assert.equal(answer.text.split(token).length, 2, 'it is in the answer once');

    const again = await dana.send({ path: calendar, fields });
    assert.deepEqual([again.status, again.location], [303, calendar]);
    const after = await dana.open(calendar);
    assert.match(readableText(after.text), /Nothing was changed, because your calendar address has changed/);
    assert.equal(await works(site, `/calendar/${token}.ics`), true);
    for (const page of [meetings, calendar, `${calendar}/replace`, `${calendar}/revoke`])
      assert.ok(!(await dana.open(page)).text.includes(token), page);
    assert.ok(![...dana.cookies().values()].some((value) => value.includes(token)));
  });

  test('changes nothing when the feed has changed since the question', async (t) => {
    const { site, dana } = await start(t);
    await openFeed(dana);
    const asked = formFields((await dana.open(`${calendar}/revoke`)).text);
    site.clock.advance(1000);
    const path = await openFeed(dana, `${calendar}/replace`);
    for (const action of [calendar, `${calendar}/revoke`]) {
      const { status, location } = await dana.send({ path: action, fields: asked });
      assert.deepEqual([status, location], [303, calendar]);
      assert.match(readableText((await dana.open(calendar)).text), /Nothing was changed/);
    }
    assert.equal(await works(site, path), true);
  });

  test('leads back from questions about an address that is not there', async (t) => {
    const { dana } = await start(t);
    for (const question of ['replace', 'revoke']) {
      const { status, location } = await dana.open(`${calendar}/${question}`);
      assert.deepEqual([status, location], [303, calendar]);
    }
  });

  test('is there for people who came by a link, like their meetings', async (t) => {
    const { site } = await start(t);
    const bound = site.visitor();
    await bound.fillIn(await site.linkFor({ organizationId: 1, uuid: testUuid(100) }), {});
    assert.equal(await works(site, await openFeed(bound)), true);
    assert.equal((await bound.open('/organizations/2/calendar')).status, 403);
  });

  test('is private: another organization looks like one that does not exist', async (t) => {
    const { site, dana } = await start(t);
    const { form_token = '' } = formFields((await dana.open(calendar)).text);
    const missing = await dana.open('/organizations/9/calendar');
    assert.equal(missing.status, 404);
    const before = [...site.changes];
    for (const path of ['', '/replace', '/revoke'].map((page) => `/organizations/2/calendar${page}`)) {
      assert.equal((await dana.open(path)).text, missing.text, path);
      const sent = await dana.send({ path, fields: { form_token, feed: '' } });
      assert.ok([404, 405].includes(sent.status), path);
      assert.equal((await site.visitor().open(path)).location, `/sign-in?next=${encodeURIComponent(path)}`);
    }
    assert.deepEqual(
      site.changes.filter((change) => change.startsWith('calendarFeeds')),
      before.filter((change) => change.startsWith('calendarFeeds')),
    );
  });

  test('changes nothing when it is opened, nor does reading a calendar, which leaves no cookie', async (t) => {
    const { site, dana } = await start(t);
    const path = await openFeed(dana);
    const before = [...site.changes];
    for (const method of ['GET', 'HEAD']) {
      for (const page of [calendar, `${calendar}/replace`, `${calendar}/revoke`, `${meetings}/1.ics`])
        assert.equal((await dana.open(page, { method })).status, 200, page);
      const read = await site.visitor().open(path, { method, ...program });
      assert.deepEqual([read.status, read.headers.getSetCookie()], [200, []]);
      assert.equal(read.headers.get('cache-control'), 'private, no-cache', 'it is asked each time');
    }
    assert.deepEqual(site.changes, before);
  });
});

describe('A calendar that its program has already', () => {
  const tagOf = ({ headers }: { readonly headers: Headers }): string =>
    headers.get('etag') ?? assert.fail('there is no tag');

  // Without it this client says that it wants nothing but a new one.
  const asked = { 'Cache-Control': 'max-age=0' };

  test('is not sent again until it shows something else', async (t) => {
    const { site, dana } = await start(t);
    const path = await openFeed(dana);
    const ask = (tag?: string, method = 'GET') =>
      site.visitor().open(path, {
        method,
        headers: { ...program.headers, ...(tag !== undefined && { ...asked, 'If-None-Match': tag }) },
      });
    const first = await ask();
    const tag = tagOf(first);
    site.clock.advance(60_000);
    for (const [known, method] of [
      [tag, 'GET'],
      [tag, 'HEAD'],
      [`"another", ${tag}`, 'GET'],
      ['*', 'GET'],
    ] as const) {
      const again = await ask(known, method);
      assert.deepEqual([again.status, again.text, tagOf(again)], [304, '', tag], known);
    }
    assert.equal((await ask('"another"')).status, 200);
    assert.equal((await ask()).text, first.text, 'it was written once, and says when');

    await site.load({ meetings: [{ ...aMeeting(1, { name: 'Another name' }) }] });
    const changed = await ask(tag);
    assert.equal(changed.status, 200);
    assert.match(changed.text, /SUMMARY:Another name/);
    assert.notEqual(tagOf(changed), tag);
    assert.equal((await ask(tagOf(changed))).status, 304);
  });

  test('is written once for all who ask at once, and kept while there is room for it', async (t) => {
    const { site } = await start(t);
    const { url } = await site.core.createCalendarFeed({ organizationId: 1, userId: 100 });
    const content = await site.core.readCalendarFeed({ token: /([\w.-]+)\.ics$/.exec(url)?.[1] ?? '' });
    const [meeting = assert.fail('there is no meeting')] = content.meetings;
    // Three of them have room.
    const meetings = [{ ...meeting, description: 'x'.repeat(5_000_000) }];
    const file = { ...content, meetings, origin: 'http://localhost', serviceName: 'Acme' };
    const files = new CalendarFiles();
    const written = async (key: string) => (await files.of(key, file)).bytes();
    const [one, again] = await Promise.all([written('one'), written('one')]);
    assert.ok(again === one);
    for (const other of ['two', 'three']) await written(other);
    assert.ok((await written('one')) === one);
    const three = await written('three');
    await written('four');
    assert.ok((await written('one')) === one, 'it was asked for after two');
    assert.ok((await written('three')) === three);
    for (const other of ['five', 'six', 'seven']) await written(other);
    assert.ok((await written('one')) !== one, 'there is no room for all of them');
  });

  test('is gone all the same when its address is revoked', async (t) => {
    const { site, dana } = await start(t);
    const path = await openFeed(dana);
    const tag = tagOf(await site.visitor().open(path, program));
    await site.core.revokeCalendarFeed({ organizationId: 1, userId: 100 });
    const headers = { ...program.headers, ...asked, 'If-None-Match': tag };
    assert.equal((await site.visitor().open(path, { headers })).status, 404);
  });

  test('with very many meetings is written while others have their turns', async (t) => {
    const meetings = Array.from({ length: 900 }, (_, index) =>
      aMeeting(1_000 + index, { description: 'long, "quoted" and äöü; '.repeat(40) }),
    );
    const registeredAt = new Date('2026-11-01T10:00:00.000Z');
    const registrations = meetings.map(({ id }) => ({ meetingId: id, userId: 101, registeredAt }));
    const { site } = await start(t, { dataset: { meetings, registrations } });
    const { url } = await site.core.createCalendarFeed({ organizationId: 1, userId: 101 });
    const content = await site.core.readCalendarFeed({ token: /([\w.-]+)\.ics$/.exec(url)?.[1] ?? '' });
    let turns = 0;
    let next = setImmediate(function turn() {
      turns += 1;
      next = setImmediate(turn);
    });
    const file = { ...content, origin: 'http://localhost', serviceName: 'Acme' };
    const bytes = await renderCalendar(file);
    clearImmediate(next);
    assert.equal(bytes.toString(), calendarFile(file));
    assert.equal(calendarIn(bytes.toString()).events.length, 900);
    assert.ok(turns >= 30, `${turns} turns`);
  });
});

describe('A calendar address that is not one', () => {
  const odd = ['/calendar/x.ics', '/calendar/%00.ics', `/calendar/${'x'.repeat(3000)}.ics`];

  test('is told to people as a page and to programs in a line, and is never stored', async (t) => {
    const { site } = await start(t);
    for (const path of odd) {
      const page = await site.visitor().open(path);
      assert.equal(page.status, 404);
      assert.match(readableText(page.text), /This calendar does not exist The address may have been revoked/);
      const line = await site.visitor().open(path, program);
      assert.deepEqual([line.status, line.text], [404, 'This calendar does not exist or was revoked\n']);
      for (const { headers } of [page, line])
        assert.deepEqual(
          ['cache-control', 'x-error-code'].map((name) => headers.get(name)),
          ['no-store', 'unknown-path'],
        );
    }
    assert.deepEqual(site.reports, []);
  });

  test('is also one whose member is gone, or whose token is of another kind', async (t) => {
    const { site, dana } = await start(t);
    const path = await openFeed(dana);
    await site.core.removeMember({ organization: { id: 1 }, userId: 100 });
    assert.equal(await works(site, path), false);
    const login = await site.linkFor({ organizationId: 1, uuid: aUser(101).uuid });
    assert.equal(await works(site, login.replace(/^\/login\/(.*)$/, '/calendar/$1.ics')), false);
  });

  test('is told from one that can’t be looked up: programs are told to come again, and no log names it', async (t) => {
    const site = await startSite();
    t.after(() => site.stop());
    await site.load({
      organizations: [anOrganization(1)],
      users: [aUser(1)],
      memberships: [{ organizationId: 1, userId: 1, role: 'member', idpId: null }],
    });
    const { url } = await site.core.createCalendarFeed({ organizationId: 1, userId: 1 });
    const path = new URL(url).pathname;
    assert.equal((await site.ask('GET', path, program)).status, 200);
    site.replace('calendarFeeds', {
      find: () => Promise.reject(new Unavailable('the database is away', { retryAfter: 7 })),
    });
    const { status, headers, text } = await site.ask('GET', path, program);
    assert.deepEqual([status, headers['retry-after']], [503, '7']);
    assert.deepEqual(JSON.parse(text), { error: 'Service Unavailable' });
    const token = path.slice('/calendar/'.length, -'.ics'.length);
    assert.ok(!JSON.stringify([site.lines, site.reports]).includes(token));
    const routes = site.lines.filter(({ msg }) => msg === 'request').map(({ route }) => route);
    assert.deepEqual(routes, ['/calendar/:token.ics', '/calendar/:token.ics']);
  });
});
