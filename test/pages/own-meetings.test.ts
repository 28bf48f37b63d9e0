import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { aMeeting, aUser, type Dataset } from '@rollcall/core/testing';
import { readableText } from '#test/support/page/client.js';
import { sampleMeetings } from '#test/support/page/samples.js';
import { credentials, startOwnedSite, startSiteOf } from '#test/support/page/site.js';

const home = '/organizations/1/meetings';

/** Starts a site with this data, on which the member 100 of organization 1 has signed in. */
async function site(context: TestContext, dataset: Dataset = {}) {
  const started = await startSiteOf(context, { 100: ['member', 1] });
  await started.load(dataset);
  return { site: started, client: await started.signedIn(100) };
}

/** The member has a seat in these meetings. */
const seats = (...ids: readonly number[]) => ({
  registrations: ids.map((meetingId) => ({ meetingId, userId: 100, registeredAt: new Date(0) })),
});

const hourFrom = (start: number | string) => {
  const startTime = new Date(start);
  return { startTime, endTime: new Date(startTime.getTime() + 3_600_000) };
};

/** `count` meetings of the member, an hour apart. */
function manyMeetings(count: number): Dataset {
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const start = Date.UTC(2026, 10, 21);
  return {
    meetings: ids.map((id) =>
      aMeeting(id, {
        name: `Meeting number ${id}.`,
        startTime: new Date(start + id * 3_600_000),
        endTime: new Date(start + id * 3_600_000 + 1_800_000),
      }),
    ),
    ...seats(...ids),
  };
}

describe('The way to the meetings', () => {
  test('tells people without an organization what to expect', async (t) => {
    const client = await (await startSiteOf(t, { 100: ['member'] })).signedIn(100);
    const page = await client.open('/meetings');
    assert.equal(page.status, 200);
    assert.match(page.words, /You are not a member of any organization yet/);
    assert.match(page.text, /<a href="\/account"[^>]*>Go to your account<\/a>/);
  });
});

describe('The meetings of a member', () => {
  test('greet the member by first name, and say so if there are none', async (t) => {
    const { client } = await site(t);
    assert.match(
      await client.read(home),
      /Hello, First100 Your meetings with Northwind Wellness Upcoming Past You have no upcoming meetings\./,
    );
  });

  test('are grouped by day, each with its time and zone, duration, topic, leader, seats, location and status', async (t) => {
    const leaders = (sampleMeetings.users ?? []).filter(({ id }) => id >= 200);
    const users = [aUser(100, { firstName: 'Dana', lastName: 'Kim' }), ...leaders];
    const { client } = await site(t, { ...sampleMeetings, users });
    const page = await client.open(home);
    const text = page.words;
    assert.match(text, /Hello, Dana Your upcoming meetings with Northwind Wellness/);
    assert.ok(
      text.includes(
        'Your next meeting is today 18:00 – 19:00 UTC 1 hour Grief circle Registered ' +
          'Topic Grief Group leader MS Maria S. Seats 1 of 12 seats taken Location Online, by Zoom',
      ),
      text,
    );
    assert.ok(
      text.includes(
        'Friday 20 November 2026 23:15 – Sat 21 Nov, 00:45 UTC 1 hour 30 minutes Sleep, stress and shift work: ' +
          'an evening for people who never get enough of the first On the waitlist ' +
          'Topic Stress Group leader JÖ Jörg Ö. Seats 0 of 8 seats taken Location Online, on Acme Care',
      ),
      text,
    );
    assert.doesNotMatch(text, /Registered (?:Waitlist|On the waitlist)/);
    assert.ok(text.includes('A seat is offered'));
    const pointers = text.match(/To take the seat, contact Northwind Wellness before the offer expires\./g);
    assert.equal(pointers?.length, 1);
    assert.ok(text.includes('Offer expired: no seat'));
    assert.ok(text.includes('Offer rejected: no seat'));
    assert.ok(text.includes('<script>alert("name")</script>'));
    assert.doesNotMatch(page.text, /<script(?! type="module" src="\/assets\/rollcall\.js)/);
    assert.equal(page.text.match(/<h2/g)?.length, 4);
    assert.match(page.text, /<time datetime="2026-11-20T18:00:00.000Z">18:00<\/time>/);
    const [, title = '', time = ''] = /<article [^>]*aria-labelledby="(\S+) (\S+)"/.exec(page.text) ?? [];
    assert.match(
      page.text,
      new RegExp(`<p class="when" id="${time}"><.*<h3 id="${title}"><bdi>Grief circle<`),
    );
  });

  test('show their description and location as text, and a right-to-left title turns only its own text', async (t) => {
    const given = [
      { location: 'zoom', description: 'Bring <b>tea</b>.\n\nCome early.', name: 'دائرة' },
      { location: 'acme-care', description: null },
      { location: 'big-meetings', description: ' \n' },
      { location: 'Room 4, <i>upstairs</i>', description: null },
    ];
    const meetings = given.map((fields, index) => aMeeting(index + 1, fields));
    const { client } = await site(t, { meetings, ...seats(1, 2, 3, 4) });
    const { text } = await client.open(home);
    assert.match(text, /<h3 id="meeting-1"><bdi>دائرة<\/bdi><\/h3>/);
    assert.deepEqual(
      [...text.matchAll(/<dt>Location<\/dt><dd><bdi>(.*?)<\/bdi>/g)].map(([, words]) => words),
      ['Online, by Zoom', 'Online, on Acme Care', 'Online, by Big Meetings', 'Room 4, &lt;i>upstairs&lt;/i>'],
    );
    assert.deepEqual(
      [...text.matchAll(/<p class="description" dir="auto">(.*?)<\/p>/gs)].map(([, words]) => words),
      ['Bring &lt;b>tea&lt;/b>.\n\nCome early.'],
    );
    assert.equal(text.match(/<details>/g)?.length, 1);
  });

  test('show a long description whole, and of many long ones the beginning', async (t) => {
    const open = async (descriptions: readonly string[]) => {
      const meetings = descriptions.map((description, index) => aMeeting(index + 1, { description }));
      const { client } = await site(t, { meetings, ...seats(...meetings.map(({ id }) => id)) });
      const { text } = await client.open(home);
      const notes = text.match(
        /The rest is not shown here\. To read it, add the meeting to your calendar\./g,
      );
      const shown = [...text.matchAll(/<p class="description" dir="auto">(.*?)<\/p>/gs)];
      return { notes: notes?.length ?? 0, shown: shown.map(([, words]) => words) };
    };
    const whole = 'w'.repeat(20_000);
    assert.deepEqual(await open([whole, 'short']).then(({ notes, shown }) => [notes, shown]), [
      0,
      [whole, 'short'],
    ]);
    // Half of an emoji at the end would not be a character.
    const cut = await open(['short', ...Array.from({ length: 24 }, () => `w${'🙂'.repeat(9_999)}`)]);
    assert.equal(cut.notes, 24);
    assert.deepEqual(cut.shown.slice(0, 2), ['short', `w${'🙂'.repeat(499)}…`]);
  });

  test('are shown in the days and the zone of the reader’s browser, or else in UTC', async (t) => {
    const times = {
      startTime: new Date('2026-11-20T23:30:00.000Z'),
      endTime: new Date('2026-11-21T00:15:00.000Z'),
    };
    const { client } = await site(t, { meetings: [aMeeting(1, times)], ...seats(1) });
    const shownIn = async (zone: string | null) => {
      const visitor = client.copy();
      if (zone !== null) visitor.setCookie('time_zone', zone);
      return visitor.read(home);
    };
    const inUtc = /Your next meeting is today 23:30 – Sat 21 Nov, 00:15 UTC .*Times are in UTC\./;
    for (const zone of [null, 'Mars/Olympus', '"><script>']) assert.match(await shownIn(zone), inUtc);
    assert.match(
      await shownIn('Asia/Kolkata'),
      /Your next meeting is tomorrow 05:00 – 05:45 GMT\+5:30 .*Times are in Asia\/Kolkata\./,
    );
  });

  test('show initials for leaders without a picture on this service', async (t) => {
    const { client } = await site(t, {
      ...sampleMeetings,
      users: (sampleMeetings.users ?? []).slice(1),
    });
    const { text } = await client.open(home);
    const pictures = new Set([...text.matchAll(/<img[^>]* src="([^"]*)"/g)].map(([, source]) => source));
    assert.equal(pictures.size, 1, [...pictures].join());
    assert.match(text, /<span class="avatar avatar-\d" aria-hidden="true">MS</);
    assert.match(text, /<span class="avatar avatar-\d" aria-hidden="true">JÖ</);
    assert.doesNotMatch(text, /pictures\.example/);
  });

  test('are shown in pages of 25 with links between them, each meeting once', async (t) => {
    const { client } = await site(t, manyMeetings(60));
    const pages = [home, `${home}?page=2`, `${home}?page=3`].map((path) => client.open(path));
    const texts = (await Promise.all(pages)).map(({ text }) => text);
    const numbers = texts.flatMap((text) =>
      [...text.matchAll(/Meeting number (\d+)\./g)].map(([, id]) => Number(id)),
    );
    assert.deepEqual(
      numbers,
      Array.from({ length: 60 }, (_, index) => index + 1),
    );
    const links = texts.map((text) => [
      /Page \d of \d/.exec(text)?.[0],
      /href="(\?page=\d)" rel="prev"/.exec(text)?.[1],
      /href="(\?page=\d)" rel="next"/.exec(text)?.[1],
    ]);
    assert.deepEqual(links, [
      ['Page 1 of 3', undefined, '?page=2'],
      ['Page 2 of 3', '?page=1', '?page=3'],
      ['Page 3 of 3', '?page=2', undefined],
    ]);
  });

  test('accept any page number', async (t) => {
    const { client } = await site(t, manyMeetings(30));
    for (const page of ['0', '-1', 'x', '', '1e3', '2.5', '%00', '1&page=2', '9'.repeat(300)]) {
      assert.equal((await client.open(`${home}?page=${page}`)).status, 200, page);
    }
    const past = await client.read(`${home}?page=9`);
    assert.match(past, /This page is empty\. Go to the first page/);
  });

  test('are private: another organization looks like one that does not exist', async (t) => {
    const { client } = await site(t);
    const [other, none] = [
      await client.open('/organizations/2/meetings'),
      await client.open('/organizations/3/meetings'),
    ];
    assert.equal(other.status, 404);
    assert.equal(other.text, none.text);
    const odd = ['0', '01', '-1', '1.0', '1e0', 'abc', '%00', '9007199254740993', '99999999999999999999'];
    for (const id of odd) {
      assert.equal((await client.open(`/organizations/${id}/meetings`)).status, 404, id);
    }
  });
});

describe('A long list of meetings', () => {
  test('can be searched from ten meetings on, by name, topic or host', async (t) => {
    const few = await site(t, manyMeetings(9));
    assert.doesNotMatch((await few.client.open(home)).text, /Search your meetings/);
    const { client } = await site(t, manyMeetings(60));
    assert.match((await client.open(home)).text, /<label for="search">Search your meetings</);
    const found = await client.open(`${home}?search=NUMBER+5`);
    const numbers = [...found.text.matchAll(/Meeting number (\d+)\./g)].map(([, id]) => Number(id));
    assert.deepEqual(numbers, [5, 15, 25, 35, 45, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59]);
    assert.match(found.words, /15 meetings with “ NUMBER 5 ”/);
    assert.match(found.text, /<p class="list-count" role="status">/);
    assert.doesNotMatch(found.text, /Your next meeting/);
    const one = await client.open(`${home}?search=number+60.`);
    assert.match(one.words, /Search your meetings .* Show all 1 meeting with “ number 60\. ”/);
    const page2 = await client.open(`${home}?search=meeting&page=2`);
    assert.match(page2.text, /href="\?search=meeting&amp;page=3" rel="next"/);
    const none = await client.read(`${home}?search=nothing`);
    assert.match(none, /No meeting matches\. Try a shorter search\. Show all/);
    assert.match(none, /No meetings with “ nothing ”/);
  });

  test('keeps a search that is too long, and says so beside it', async (t) => {
    const { client } = await site(t, manyMeetings(1));
    for (const path of [home, `${home}/past`]) {
      const { status, text, words } = await client.open(`${path}?search=${'x'.repeat(301)}`);
      assert.equal(status, 422);
      assert.ok(text.includes(`value="${'x'.repeat(301)}"`));
      assert.match(words, /Search must have at most 300 characters/);
    }
  });

  test('of past meetings is below its months, each with its day, and can be searched', async (t) => {
    const past = (count: number): Dataset => {
      const meetings = Array.from({ length: count }, (_, index) => {
        const times = hourFrom(Date.UTC(2026, 9 + (index % 2), 2 + index, 9));
        return aMeeting(index + 1, { name: `Circle ${index + 1}`, ...times, status: 'complete' });
      });
      return { meetings, ...seats(...meetings.map(({ id }) => id)) };
    };
    const headings = (html: string) =>
      [...html.matchAll(/<h2 id="day-[^"]*"><time datetime="([^"]*)">([^<]*)</g)].map(([, ...parts]) =>
        parts.join(' '),
      );
    const { client } = await site(t, past(11));
    const { text, words } = await client.open(`${home}/past`);
    assert.deepEqual(headings(text), ['2026-11 November 2026', '2026-10 October 2026']);
    assert.match(words, /November 2026 Wed 11 Nov 09:00 – 10:00 UTC 1 hour Circle 10 /);
    const found = (await client.open(`${home}/past?search=circle+11`)).text;
    assert.match(readableText(found), /1 meeting with “ circle 11 ”/);
    assert.deepEqual(
      [...found.matchAll(/<bdi>Circle (\d+)</g)].map(([, id]) => id),
      ['11'],
    );
    const short = await site(t, past(3));
    assert.equal(
      headings((await short.client.open(`${home}/past`)).text)[0],
      '2026-11-03 Tuesday 3 November 2026',
    );
  });
});

describe('The next meeting of a member', () => {
  const titleOf = async (context: TestContext, start: string, waitsFirst = false) => {
    const times = hourFrom(start);
    const { client } = await site(context, {
      meetings: [aMeeting(1, { ...times, waitList: true }), aMeeting(2, { ...times, name: 'Second' })],
      ...seats(waitsFirst ? 2 : 1),
      waitingPlaces: [{ meetingId: 1, userId: 100, status: 'waiting', createdAt: new Date(0) }],
    });
    const { text } = await client.open(home);
    const [, section = ''] =
      /<section class="day next-meeting" aria-labelledby="next-meeting">(.*?)<\/section>/s.exec(text) ?? [];
    const [, title = ''] = /<h2 id="next-meeting">(.*?)<\/h2>/.exec(section) ?? [];
    const names = [...section.matchAll(/<h3[^>]*><bdi>([^<]*)</g)].map(([, name]) => name);
    assert.equal(text.split(`<bdi>${names[0]}</bdi></h3>`).length, 2, 'it is on the page once');
    return [readableText(title).trim(), ...names];
  };

  test('stands above the others with its day, and is the first in which the member has a seat', async (t) => {
    for (const [start, title] of [
      ['2026-11-20T11:30:00Z', 'Your meeting has begun'],
      ['2026-11-20T18:00:00Z', 'Your next meeting is today'],
      ['2026-11-21T18:00:00Z', 'Your next meeting is tomorrow'],
    ] as const)
      assert.deepEqual(await titleOf(t, start), [title, 'Meeting 1']);
    assert.deepEqual(await titleOf(t, '2026-11-25T18:00:00Z', true), [
      'Your next meeting is on Wednesday 25 November 2026',
      'Second',
    ]);
  });
});

describe('A platform that takes answers', () => {
  async function openWith(
    context: TestContext,
    environment: Readonly<Record<string, string>>,
    offeredUntil: Date | null = null,
  ) {
    const { site, owner } = await startOwnedSite(context, {}, { environment });
    await site.load({
      meetings: [aMeeting(1, { name: 'Grief circle', waitList: true })],
      waitingPlaces: [{ meetingId: 1, userId: 100, status: 'offered', createdAt: new Date(0), offeredUntil }],
    });
    return owner;
  }

  test('is a button on each card and on the page of the meeting, and takes an offered seat', async (t) => {
    const client = await openWith(t, { MEETING_URL: 'https://meet.example/circles/{id}?from=rollcall' });
    const button = (kind: string) =>
      `<a href="https://meet.example/circles/1?from=rollcall" class="button ${kind} small" aria-label="Manage Grief circle" rel="noreferrer">Manage</a>`;
    const { text, words } = await client.open(home);
    assert.ok(text.includes(button('primary')), text);
    assert.match(words, /To take the seat, choose “Manage” before the offer expires\. Manage Add/);
    const meeting = (await client.open('/organizations/1/all-meetings/1')).text;
    assert.ok(meeting.includes(button('secondary')), meeting);
  });

  test('says until when the seat is offered, in the zone of the page, or that the offer has ended', async (t) => {
    const environment = { MEETING_URL: 'https://meet.example/circles/{id}' };
    const client = await openWith(t, environment, new Date('2026-11-20T15:30:00.000Z'));
    client.setCookie('time_zone', 'Europe/Berlin');
    const open = (await client.open(home)).text;
    assert.match(
      readableText(open),
      /Grief circle A seat is offered until Fri 20 Nov, 16:30 .* To take the seat, choose “Manage” before the offer expires\./,
    );
    assert.match(open, /class="button primary small"[^>]*>Manage</);
    const member = await client.read('/organizations/1/people/100');
    assert.match(member, /A seat is offered until Fri 20 Nov, 16:30/);

    const late = await openWith(t, environment, new Date('2026-11-20T12:00:00.000Z'));
    const ended = (await late.open(home)).text;
    assert.match(readableText(ended), /Grief circle The offer ended Fri 20 Nov, 12:00/);
    assert.doesNotMatch(readableText(ended), /A seat is offered|To take the seat/);
    assert.match(ended, /class="button secondary small"[^>]*>Manage</);
    const after = await late.read('/organizations/1/people/100');
    assert.match(after, /The offer ended Fri 20 Nov, 12:00/);
  });

  test('is missing unless it is configured, and the pages link to those who can help', async (t) => {
    const plain = (await (await openWith(t, {})).open(home)).text;
    assert.doesNotMatch(plain, /Manage/);
    const client = await openWith(t, {
      SUPPORT_URL: 'https://help.example/?a=1&b=2',
      SUPPORT_EMAIL: 'x@y.example',
    });
    const link = '<a href="https://help.example/?a=1&amp;b=2" rel="noreferrer">the people who run';
    const offer = (await client.open(home)).text;
    assert.ok(
      offer.includes(`To take the seat, contact ${link} Acme Care</a> before the offer expires.`),
      offer,
    );
    for (const [path, text] of [
      ['/account', `ask ${link} Acme Care</a>.`],
      ['/nothing', `Contact ${link} Acme Care</a>, with the request ID below.`],
    ] as const) {
      const page = await client.open(path);
      assert.ok(page.text.includes(text), page.text);
    }
    await client.fillIn('/account', {}, '/sign-out');
    const signIn = (await client.open('/sign-in')).text;
    assert.ok(signIn.includes(`Ask ${link} this service</a> to set a new one`), signIn);
  });

  test('of an address for mails, the link writes one', async (t) => {
    const client = await openWith(t, { SUPPORT_EMAIL: "o'neil+care@example.test" });
    assert.ok((await client.open('/account')).text.includes('<a href="mailto:o\'neil%2Bcare@example.test"'));
  });
});

describe('A location that is a link', () => {
  const link = 'https://meet.example/abc?pwd=1&x="><script>';
  const start = Date.parse('2026-11-20T18:00:00.000Z');
  const minute = 60_000;

  async function openAt(
    context: TestContext,
    location = link,
    place: Dataset = seats(1),
  ): Promise<(minutes: number) => Promise<string>> {
    const fields = { name: 'Grief circle', location, waitList: true, ...hourFrom(start) };
    const { site: started, client } = await site(context, { meetings: [aMeeting(1, fields)], ...place });
    return async (minutes) => {
      started.clock.advance(start + minutes * minute - started.clock.now().getTime());
      await client.fillIn('/sign-in', credentials);
      return (await client.open(home)).text;
    };
  }

  const joinLinks = (html: string): readonly string[] =>
    [
      ...html.matchAll(
        /<a href="([^"]*)" class="button primary" aria-label="Join Grief circle" rel="noreferrer">Join</g,
      ),
    ].map(([, href = '']) => href);

  test('is the primary button of the page for the first meeting that can be joined', async (t) => {
    const fields = { location: 'https://meet.example/abc', ...hourFrom(start) };
    const meetings = [1, 2].map((id) => aMeeting(id, { name: `Circle ${id}`, ...fields }));
    const { site: started, client } = await site(t, { meetings, ...seats(1, 2) });
    started.clock.advance(start - started.clock.now().getTime());
    await client.fillIn('/sign-in', credentials);
    const { text } = await client.open(home);
    const links = [...text.matchAll(/class="button (\w+)" aria-label="Join ([^"]*)"/g)];
    assert.deepEqual(
      links.map(([, kind, name]) => [kind, name]),
      [
        ['primary', 'Circle 1'],
        ['secondary', 'Circle 2'],
      ],
    );
  });

  test('is a button from 15 minutes before the start until the end', async (t) => {
    const at = await openAt(t);
    const before = await at(-15.01);
    assert.deepEqual(joinLinks(before), []);
    assert.doesNotMatch(before, /meet\.example\/abc/);
    assert.match(readableText(before), /Location Online, at meet\.example You can join here from 17:45 \./);
    assert.match(before, /data-reload-at="2026-11-20T17:45:00\.000Z"/);
    for (const minutes of [-15, 0, 59.9])
      assert.deepEqual(
        joinLinks(await at(minutes)),
        ['https://meet.example/abc?pwd=1&amp;x=%22%3E%3Cscript%3E'],
        String(minutes),
      );
    assert.deepEqual(joinLinks(await at(60)), []);
  });

  test('is none without a seat, and only HTTPS is a link', async (t) => {
    const waiting = await openAt(t, link, {
      waitingPlaces: [{ meetingId: 1, userId: 100, status: 'waiting', createdAt: new Date(0) }],
    });
    const text = await waiting(-5);
    assert.deepEqual([joinLinks(text), /meet\.example\/abc/.test(text)], [[], false]);
    for (const location of ['javascript:alert(1)', 'http://meet.example/a', 'https://', 'zoom']) {
      const at = await openAt(t, location);
      assert.deepEqual(joinLinks(await at(-5)), [], location);
    }
  });
});

describe('The past meetings of a member', () => {
  const past = `${home}/past`;

  test('are a list of their own, the latest first, without what only upcoming meetings have', async (t) => {
    const starts = ['2026-11-18T10:00:00.000Z', '2026-11-20T10:00:00.000Z', '2026-11-20T17:00:00.000Z'];
    const meetings = starts.map((start, index) =>
      aMeeting(index + 1, { name: `Number ${index + 1}.`, ...hourFrom(start) }),
    );
    const { client } = await site(t, { meetings, ...seats(1, 2, 3) });
    assert.match((await client.open(home)).text, /<a href="\/organizations\/1\/meetings\/past">Past<\/a>/);
    const shown = await client.read(past);
    assert.deepEqual(shown.match(/Number \d\./g), ['Number 2.', 'Number 1.']);
    assert.match(
      shown,
      /Upcoming Past Times are in UTC\. Friday 20 November 2026 10:00 – 11:00 UTC 1 hour Number 2\./,
    );
    assert.doesNotMatch(shown, /Registered|Add to calendar|You can join/);
  });

  test('say so if there are none, and are private', async (t) => {
    const { client, site: started } = await site(t);
    assert.match(
      await client.read(past),
      /Meetings that you had a seat in appear here after they end\. Upcoming meetings/,
    );
    assert.equal((await client.open('/organizations/2/meetings/past')).status, 404);
    const stranger = await started.visitor().open(past);
    assert.equal(stranger.location, `/sign-in?next=${encodeURIComponent(past)}`);
  });
});
