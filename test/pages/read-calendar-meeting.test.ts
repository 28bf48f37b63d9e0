import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aMeeting, anOrganization } from '@rollcall/core/testing';
import { calendarIn } from '#test/support/icalendar.js';
import { meetingsPath, startCalendarSite } from '../support/page/calendar-site.js';

/** Meeting 50, in which Dana has a seat. */
const withMeeting = (fields: Parameters<typeof aMeeting>[1]) => ({
  meetings: [aMeeting(50, fields)],
  registrations: [{ meetingId: 50, userId: 100, registeredAt: new Date(0) }],
});

describe('A meeting as a file', () => {
  test('has the content of the page, in UTC, and a name with the number of the meeting', async (t) => {
    const { site, dana } = await startCalendarSite(t);
    const file = await dana.open(`${meetingsPath}/2.ics`);
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
        'REFRESH-INTERVAL': 'PT1H',
        'X-PUBLISHED-TTL': 'PT1H',
      },
      events: [
        {
          UID: 'meeting-2@127.0.0.1',
          DTSTAMP: '20261120T120000Z',
          SEQUENCE: '217339200',
          DTSTART: '20261120T231500Z',
          DTEND: '20261121T004500Z',
          SUMMARY: 'Sleep, stress and shift work: an evening for people who never get enough of the first',
          LOCATION: 'Online, on Acme Care',
          DESCRIPTION:
            'You are on the waitlist.\nTopic: Stress\nGroup leader: Jörg Ö.\n' +
            'Short talks, then questions.\n\nBring something to write, and come as you are.',
          URL: `${site.url}${meetingsPath}`,
          STATUS: 'TENTATIVE',
        },
      ],
    });
  });

  test('names the location as the page does', async (t) => {
    const { dana } = await startCalendarSite(t);
    const file = await dana.open(`${meetingsPath}/1.ics`);
    assert.match(file.text, /\r\nLOCATION:Online\\, by Zoom\r\n/);
    const [, words] =
      /<dt>Location<\/dt><dd><bdi>(Online, by Zoom)</.exec((await dana.open(meetingsPath)).text) ?? [];
    assert.equal(calendarIn(file.text).events[0]?.LOCATION, words);
  });

  test('is linked from meetings for which the member is registered or may get a seat, and from no others', async (t) => {
    const { dana } = await startCalendarSite(t);
    const { text } = await dana.open(meetingsPath);
    const linked = [...text.matchAll(/href="([^"]*)\.ics" aria-labelledby="add-(\d+) meeting-\2"/g)];
    assert.deepEqual(
      linked.map(([, path]) => path),
      [1, 2, 3, 4].map((id) => `${meetingsPath}/${id}`),
    );
    for (const [, path] of linked) assert.equal((await dana.open(`${path}.ics`)).status, 200);
    for (const rejectedOrExpired of [5, 6])
      assert.equal((await dana.open(`${meetingsPath}/${rejectedOrExpired}.ics`)).status, 404);
  });

  test('is private: a meeting outside the calendar looks like one that does not exist', async (t) => {
    const { site, dana } = await startCalendarSite(t);
    const other = await site.signedIn(101);
    const missing = await dana.open(`${meetingsPath}/99.ics`);
    assert.equal(missing.status, 404);
    assert.match(missing.words, /Page not found/);
    const asOther = await other.open(`${meetingsPath}/99.ics`);
    assert.equal((await other.open(`${meetingsPath}/1.ics`)).text, asOther.text);
    for (const odd of ['0', '01', '-1', '1.0', 'x', '%00', '9'.repeat(20), '1e0']) {
      assert.equal((await dana.open(`${meetingsPath}/${odd}.ics`)).status, 404, odd);
    }
    assert.equal((await dana.open('/organizations/2/meetings/1.ics')).status, 404);
    const stranger = await site.visitor().open(`${meetingsPath}/1.ics`);
    assert.deepEqual(
      [stranger.status, stranger.location],
      [303, `/sign-in?next=${encodeURIComponent(meetingsPath)}`],
    );
  });

  test('keeps every text, without control characters, and with all line breaks as those of the format', async (t) => {
    const texts = [
      'W'.repeat(300),
      'دائرة الدعم 👩‍👩‍👧‍👦'.repeat(20),
      '<script>alert(1)</script>; a, b \\ c\\n "d": e',
      ' BEGIN:VEVENT ',
      '=1+1',
      '',
    ];
    for (const [text, shown] of [
      ...texts.map((text) => [text, text] as const),
      ['a\r\nEND:VEVENT\nb\rc\u0000\u0007\td\u0085', 'a\nEND:VEVENT\nb\nc   d '],
      ['a\u2028b\u2029\u2029c', 'a\nb\n\nc'],
    ] as const) {
      const { dana } = await startCalendarSite(t, {
        dataset: {
          organizations: [anOrganization(1, { name: text })],
          ...withMeeting({ name: text, topic: text, description: text, location: text }),
        },
      });
      const file = (await dana.open(`${meetingsPath}/50.ics`)).text;
      assert.doesNotMatch(file, /[\u2028\u2029]/);
      const { facts, events } = calendarIn(file);
      assert.deepEqual([facts.NAME, facts['X-WR-CALNAME'], events.length], [shown, shown, 1]);
      const { SUMMARY, LOCATION, DESCRIPTION } = events[0] ?? {};
      const description = text === '' ? '' : `Topic: ${shown}\n${shown}`;
      assert.deepEqual([SUMMARY, LOCATION, DESCRIPTION], [shown, shown, description]);
    }
  });

  test('that is downloaded again replaces the one that a calendar has: same UID, higher SEQUENCE', async (t) => {
    const { site, dana } = await startCalendarSite(t);
    const download = async () => {
      const [event = {}] = calendarIn((await dana.open(`${meetingsPath}/2.ics`)).text).events;
      return event;
    };
    const first = await download();
    const startTime = new Date('2026-11-22T10:00:00.000Z');
    site.clock.advance(1000);
    await site.load({
      meetings: [aMeeting(2, { startTime, endTime: new Date('2026-11-22T11:00:00.000Z') })],
      registrations: [{ meetingId: 2, userId: 100, registeredAt: new Date(0) }],
    });
    const moved = await download();
    assert.equal(moved.UID, first.UID);
    assert.equal(Number(moved.SEQUENCE), Number(first.SEQUENCE) + 1);
    assert.ok(String(moved.DTSTAMP) > String(first.DTSTAMP));
    assert.deepEqual([moved.DTSTART, moved.STATUS], ['20261122T100000Z', 'CONFIRMED']);
  });

  test('has no end if it ends when it starts, because the format forbids one', async (t) => {
    const time = new Date('2026-11-22T10:00:00.000Z');
    const { dana } = await startCalendarSite(t, {
      dataset: withMeeting({ startTime: time, endTime: time }),
    });
    const [event = {}] = calendarIn((await dana.open(`${meetingsPath}/50.ics`)).text).events;
    assert.equal(event.DTSTART, '20261122T100000Z');
    assert.ok(!('DTEND' in event));
  });
});
