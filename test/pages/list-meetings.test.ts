import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aMeeting, aUser } from '@rollcall/core/testing';
import { readableText } from '#test/support/page/client.js';
import { at, type ExportFixtures, names, spread, useExportSite } from '#test/support/page/export-site.js';

const { site, openExport } = useExportSite();

async function openList(given: ExportFixtures) {
  const opened = await openExport(given);
  const page = `/organizations/${opened.own.id}/all-meetings`;
  const open = async (query = '') => (await opened.client.open(page + query)).text;
  return { ...opened, page, open };
}

function namesIn(html: string): readonly string[] {
  return [...html.matchAll(/<a class="one-line" href="[^"]*"><bdi>([^<]*)</g)].map(([, name = '']) => name);
}

function rowsOf(html: string): readonly string[] {
  const [, body = ''] = /<tbody[^>]*>(.*?)<\/tbody>/s.exec(html.slice(html.indexOf('meeting-list'))) ?? [];
  return [...body.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) => readableText(row));
}

describe('The list of an organization’s meetings', () => {
  test('is what “Meetings” leads to, begins with the next ones, and shows time, host, seats, who waits and the status in words', async () => {
    const { open, page, own } = await openList({
      meetings: [
        ...spread,
        aMeeting(7, { name: 'Now', host: ' ', ...at('2026-11-20T11:30:00.000Z') }),
        aMeeting(8, {
          ...{ name: 'In a year', status: 'not_confirmed', waitList: true, maxAttendees: 1200 },
          ...at('2027-11-20T18:00:00.000Z'),
        }),
      ],
      seats: [5],
    });
    await site().load({
      users: [aUser(own.id + 500_000)],
      waitingPlaces: [
        {
          ...{ meetingId: own.id * 10_000 + 8, userId: own.id + 500_000, status: 'waiting' },
          createdAt: new Date(0),
        },
      ],
    });
    const text = await open();
    assert.match(text, new RegExp(`<a href="${page}" aria-current="page">Meetings</a>`));
    assert.match(
      readableText(text),
      /Meetings 4 upcoming meetings, earliest first\. 1 of 1,236 seats taken By week Export/,
    );
    assert.deepEqual(rowsOf(text), [
      'Now Fri 20 Nov, 11:30 – 0 of 12 – Under way',
      'Tonight Fri 20 Nov, 18:00 Dana K. 1 of 12 – Scheduled',
      'Next month Wed 9 Dec, 18:00 Dana K. 0 of 12 – Scheduled',
      'In a year Sat 20 Nov 2027, 18:00 Dana K. 0 of 1,200 1 Not confirmed',
    ]);
    assert.doesNotMatch(
      text.slice(text.indexOf('meeting-list')),
      />\d{4}-\d{2}-\d{2}T|>scheduled|>complete</,
    );
  });

  test('has a view for each status, with the latest first unless they are coming', async () => {
    const { open } = await openList({
      meetings: [...spread, aMeeting(7, { name: 'Forgotten', ...at('2026-11-01T10:00:00.000Z') })],
    });
    assert.deepEqual(namesIn(await open('?status=past')), ['Last week', 'Last month', 'Long ago']);
    assert.deepEqual(namesIn(await open('?status=past&sort=earliest')).at(0), 'Long ago');
    const canceled = await open('?status=canceled');
    assert.deepEqual(namesIn(canceled), ['Cancelled today']);
    assert.doesNotMatch(canceled, /seats taken\b.*By week/, 'canceled meetings offer none');
    const all = await open('?status=all&sort=earliest');
    assert.deepEqual(namesIn(all), [...names.slice(0, 2), 'Forgotten', ...names.slice(2)]);
    assert.match(readableText(all), /6 meetings and 1 canceled, earliest first/);
    assert.match(
      readableText(await open('?status=all&search=today')),
      /Meetings 1 canceled meeting with “ today ” in/,
    );
    assert.match(readableText(canceled), /Meetings 1 canceled meeting By week/);
    const ended = await open('?status=ended');
    assert.deepEqual(rowsOf(ended), ['Forgotten Sun 1 Nov, 10:00 Dana K. 0 of 12 – Not completed']);
    assert.match(rowsOf(await open('?status=past'))[0] ?? '', /Completed$/);
    assert.match(rowsOf(await open('?status=canceled'))[0] ?? '', /Canceled$/);
    for (const odd of ['?status=odd', '?status[]=past', '?status=__proto__', '?sort=x&dates=x&from=x'])
      assert.deepEqual(namesIn(await open(odd)), ['Tonight', 'Next month'], odd);
  });

  test('finds names, topics and hosts, and days, which stay with every link', async () => {
    const { open } = await openList({ meetings: spread });
    const found = await open('?status=all&search=L%C3%A4st+dana');
    assert.deepEqual(namesIn(found), ['Last week', 'Last month']);
    assert.match(readableText(found), /2 meetings with “ Läst dana ” in the name, topic or host/);
    assert.match(found, /href="[^"]*\?search=L%C3%A4st\+dana&amp;status=past">Completed</);
    assert.match(found, /<input type="hidden" name="status" value="all"/);
    assert.match(found, /<p role="status">2 meetings/);
    const month = await open('?status=all&dates=last_month');
    assert.deepEqual(namesIn(month), ['Last month']);
    assert.match(month, /<option value="last_month" selected>Last month</);
    const past = await open('?dates=last_month');
    assert.deepEqual(namesIn(past), ['Last month']);
    assert.match(past, /aria-current="true"[^>]*>All</);
    assert.doesNotMatch(past, /name="status"/, 'other dates have their own usual status');
    assert.match(past, /href="[^"?]*"[^>]*>\s*Clear\s*</);
    const upcoming = await open('?dates=last_month&status=upcoming');
    assert.deepEqual(namesIn(upcoming), []);
    assert.match(upcoming, /<input type="hidden" name="status" value="upcoming"/);
    const days = await open('?status=all&dates=custom&from=2026-11-11&to=2026-11-20&sort=earliest');
    assert.deepEqual(namesIn(days), ['Last week', 'Cancelled today', 'Tonight']);
    assert.match(
      readableText(days),
      /2 meetings and 1 canceled from 11 Nov 2026 to 20 Nov 2026, earliest first/,
    );
    assert.match(days, /name="from" type="date"[^>]* value="2026-11-11"/);
    assert.match(
      readableText(await open('?dates=custom&from=2026-12-09')),
      /1 upcoming meeting from 9 Dec 2026/,
    );
    assert.match(readableText(await open('?dates=today')), /1 upcoming meeting on 20 Nov 2026/);
  });

  test('keeps what was typed wrongly, and says what is wrong beside each field', async () => {
    const { client, page } = await openList({ meetings: spread });
    const long = 'x'.repeat(301);
    const { status, text } = await client.open(`${page}?search=${long}&dates=custom&from=2026-02-30&to=x`);
    assert.equal(status, 422);
    for (const problem of [
      'Search must have at most 300 characters',
      'From must be an existing day, such as 2026-11-20',
      'To must be an existing day, such as 2026-11-20',
    ])
      assert.ok(readableText(text).includes(problem), problem);
    assert.ok(text.includes(`value="${long}"`) && text.includes('value="2026-02-30"'));
    const order = await client.open(`${page}?dates=custom&from=2026-11-02&to=2026-11-01`);
    assert.match(order.words, /To must not be before the start/);
  });

  test('says why it is empty, and what to do', async () => {
    const { open } = await openList({ meetings: spread.slice(0, 1) });
    assert.match(readableText(await open()), /There are none with this status\. Show all meetings/);
    assert.match(readableText(await open('?search=x')), /No meeting matches\. .* Clear the search/);
    assert.match(readableText(await open('?page=7&status=past')), /This page is empty/);
    const { open: openEmpty } = await openList({});
    assert.match(
      readableText(await openEmpty('?status=all')),
      /Meetings appear here when the people who run .* import them/,
    );
  });

  test('leads to an export with the same status and days', async () => {
    const { client, open, page, own } = await openList({ meetings: spread });
    const exported = async (query: string) => {
      const [, href = ''] =
        /<a href="([^"]*)" class="button secondary">Export</.exec(await open(query)) ?? [];
      const { status, text } = await client.open(href.replaceAll('&amp;', '&'));
      assert.equal(status, 200, href);
      const shown = text.slice(text.indexOf('The first meetings'));
      return [
        /<strong>([^<]*)</.exec(text)?.[1],
        names.filter((name) => shown.includes(`<bdi>${name}</bdi>`)).join(),
      ];
    };
    assert.deepEqual(await exported(''), ['2 meetings', 'Tonight,Next month']);
    assert.deepEqual(await exported('?status=past'), ['3 meetings', 'Long ago,Last month,Last week']);
    assert.deepEqual(await exported('?status=all'), ['6 meetings', names.join()]);
    assert.deepEqual(await exported('?status=past&dates=last_week'), ['1 meeting', 'Last week']);
    assert.deepEqual(await exported('?dates=today'), ['1 meeting', 'Tonight']);
    const from = '?status=all&dates=custom&from=2026-11-20';
    assert.deepEqual(await exported(from), ['3 meetings', 'Cancelled today,Tonight,Next month']);
    assert.deepEqual(await exported('?status=canceled&dates=custom&to=2026-10-20'), [
      '2 meetings',
      'Long ago,Last month',
    ]);
    assert.match(
      await open('?dates=custom&from=x'),
      new RegExp(`href="/organizations/${own.id}/export\\?tick=defaults`),
    );
    assert.equal((await client.open(`${page.replace('all-meetings', 'export')}`)).status, 200);
  });

  test('has rows of one line, in pages of 50', async () => {
    const many = Array.from({ length: 120 }, (_, index) =>
      aMeeting(index + 1, { name: `Circle ${index + 1}.`, ...at('2026-12-01T10:00:00.000Z') }),
    );
    const { open } = await openList({ meetings: many });
    const pages = await Promise.all(['', '?page=2', '?page=3'].map(open));
    assert.deepEqual(
      pages.flatMap(namesIn),
      many.map(({ name }) => name),
    );
    assert.match(pages[1] ?? '', /href="\?page=3" rel="next"/);
  });
});

describe('The page of a meeting', () => {
  const facts = {
    ...{ name: 'Sleep <b>well</b>', meetingType: 'OneToOne', topic: 'Stress', specialFocus: 'Night shifts' },
    ...{
      location: 'https://meet.example/x',
      price: 12.5,
      description: 'One.\n\nTwo <i>x</i>.',
      waitList: true,
    },
    ...{ invitationOnly: true, eap: true },
  };

  test('has its facts, its seats, and the members in it with their places', async () => {
    const { open, own, client } = await openList({ meetings: [aMeeting(1, facts)], seats: [1] });
    const meetingId = own.id * 10_000 + 1;
    const [waiting, stranger] = [own.id + 600_000, own.id + 700_000];
    await site().load({
      users: [aUser(waiting, { firstName: 'Wanda', lastName: 'Waits' }), aUser(stranger)],
      memberships: [{ organizationId: own.id, userId: waiting, role: 'member', idpId: null }],
      waitingPlaces: [
        {
          ...{ meetingId, userId: waiting, status: 'offered', createdAt: new Date(0) },
          offeredUntil: new Date('2027-01-20T16:00:00.000Z'),
        },
      ],
      registrations: [{ meetingId, userId: stranger, registeredAt: new Date(0) }],
    });
    const text = await open(`/${meetingId}`);
    const shown = readableText(text);
    for (const fact of [
      'When Friday 20 November 2026 , 18:00 – 19:00 UTC Status Scheduled',
      'Seats 2 of 12 seats taken Waitlist 1 waiting (1 is offered a seat) Topic Stress Special focus Night shifts Host Dana K.',
      'Location https://meet.example/x Type One to one Price 12.5',
      'Good to know By invitation only · Employee Assistance Program',
      'Description One. Two <i>x</i>.',
      '1 seat is taken by people who are not members of Northwind Wellness .',
    ])
      assert.ok(shown.includes(fact), `${fact}\n${shown}`);
    assert.deepEqual(
      [...text.matchAll(/<th scope="row".*?<\/tr>/gs)].map(([row]) => readableText(row).trim()),
      [
        `First${own.id} Last${own.id} Registered 1 Nov 2026, 10:00`,
        'Wanda Waits A seat is offered until Wed 20 Jan 2027, 16:00 –',
      ],
    );
    assert.doesNotMatch(shown, new RegExp(`First${stranger}`));
    assert.equal((await client.open(`/organizations/${own.id}/people/${waiting}`)).status, 200);
    assert.ok(text.includes(`href="/organizations/${own.id}/people/${waiting}"`));
  });

  test('names no one in a private meeting, or in one of the service', async () => {
    const { open, own } = await openList({
      meetings: [aMeeting(1, { privacy: true })],
      seats: [1],
    });
    const service = own.id * 10_000 + 2;
    await site().load({
      meetings: [aMeeting(service, { organizationId: null, eapOrganizationIds: [own.id] })],
      registrations: [{ meetingId: service, userId: own.id, registeredAt: new Date(0) }],
    });
    assert.deepEqual(
      rowsOf(await open('?status=all')).map((row) => /Meeting \d+ (Private|Shared)?/.exec(row)?.[1]),
      ['Shared', 'Private'],
    );
    for (const [id, reason] of [
      [own.id * 10_000 + 1, /This meeting is private, so names are not shown\./],
      [service, /held by .* for several organizations, so names are not shown\./],
    ] as const) {
      const text = await open(`/${id}`);
      assert.match(readableText(text), reason);
      assert.match(readableText(text), /1 of 12 seats taken/);
      assert.doesNotMatch(text.slice(text.indexOf('id="people"')), /<table/);
    }
  });

  test('of another organization looks like one that does not exist', async () => {
    const other = await openList({ meetings: [aMeeting(1)] });
    const { client, page } = await openList({ meetings: [aMeeting(1)] });
    const foreign = await client.open(`${page}/${other.own.id * 10_000 + 1}`);
    assert.equal(foreign.status, 404);
    const withoutId = (html: string) => html.replace(/Request ID <code>[^<]*/, '');
    assert.equal(withoutId(foreign.text), withoutId((await client.open(`${page}/123456789`)).text));
    for (const id of ['0', '01', 'x', '1.5', '9007199254740993'])
      assert.equal((await client.open(`${page}/${id}`)).status, 404, id);
  });
});
