import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { copiedText, follow, plainText } from '#test/support/page/client.js';
import {
  calendarPath,
  createFeed,
  isFeed,
  meetingsPath,
  startCalendarSite,
} from '../support/page/calendar-site.js';

describe('The page of the calendar', () => {
  test('says what an address is for, and later when it was created', async (t) => {
    const { dana } = await startCalendarSite(t);
    assert.match((await dana.open(meetingsPath)).text, /<a href="\/organizations\/1\/calendar"[ >]/);
    assert.match(
      await dana.read(calendarPath),
      /See your meetings with Northwind Wellness in your own calendar app/,
    );
    await createFeed(dana);
    assert.match(
      await dana.read(calendarPath),
      /from a private address, created 20 Nov 2026, 12:00 \(UTC\)\./,
    );
  });

  test('shows an address once, in an answer that is not stored, and never again', async (t) => {
    const { site, dana } = await startCalendarSite(t);
    const fields = await dana.fieldsOf(calendarPath);
    const sent = await dana.send({ path: calendarPath, fields });
    const answer = await follow(dana, sent);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const [token = 'none'] = /(?<=\/calendar\/)[\w.-]{40,}(?=\.ics)/.exec(answer.text) ?? [];
    assert.equal(answer.text.split(token).length, 6, 'the token is in the address and in four links');
    assert.doesNotMatch(answer.text, /data-time-zone/, 'a reload would hide the address');
    assert.ok(!JSON.stringify([...sent.headers]).includes(token));
    const later = await follow(dana, sent);
    assert.match(later.words, /Your calendar address can’t be shown again Each address is shown once/);
    assert.match(later.text, /<a href="\/organizations\/1\/calendar\/replace"[^>]*>Replace the address/);
    assert.ok(!later.text.includes(token));

    const again = await dana.send({ path: calendarPath, fields });
    assert.deepEqual([again.status, again.location], [303, calendarPath]);
    const after = await dana.open(calendarPath);
    assert.match(after.words, /Nothing was changed, because your calendar address has changed/);
    assert.equal(await isFeed(site, `/calendar/${token}.ics`), true);
    for (const page of [meetingsPath, calendarPath, `${calendarPath}/replace`, `${calendarPath}/revoke`])
      assert.ok(!(await dana.open(page)).text.includes(token), page);
    assert.ok(![...dana.cookies().values()].some((value) => value.includes(token)));
  });

  test('offers links that open the calendar apps of phones and browsers, with words', async (t) => {
    const { site, dana } = await startCalendarSite(t);
    const answer = await follow(dana, await dana.fillIn(calendarPath, {}, calendarPath));
    const url = copiedText(answer.text, 'calendar-url') ?? '';
    const webcal = url.replace('http:', 'webcal:');
    assert.ok(webcal.startsWith(`webcal://${new URL(site.url).host}/calendar/`), webcal);
    const links = [
      ...answer.text.matchAll(/<a href="([^"]*)" class="button secondary" rel="noreferrer">([^<]*)</g),
    ];
    const outlook = new URLSearchParams({ url, name: 'Northwind Wellness' });
    assert.deepEqual(
      links.map(([, href = '', text]) => [text, plainText(href)]),
      [
        ['Apple Calendar', webcal],
        ['Google Calendar', `https://calendar.google.com/calendar/r?cid=${encodeURIComponent(webcal)}`],
        ['Outlook.com', `https://outlook.live.com/calendar/0/addfromweb?${outlook}`],
        ['Outlook at work', `https://outlook.office.com/calendar/0/addfromweb?${outlook}`],
      ],
    );
    assert.match(answer.words, /iPhone, iPad or Mac: .* Android: .* Outlook: /);
  });

  test('changes nothing if the feed has changed since the question', async (t) => {
    const { site, dana } = await startCalendarSite(t);
    await createFeed(dana);
    const fieldsOfQuestion = await dana.fieldsOf(`${calendarPath}/revoke`);
    site.clock.advance(1000);
    const path = await createFeed(dana, `${calendarPath}/replace`);
    for (const action of [calendarPath, `${calendarPath}/revoke`]) {
      const { status, location } = await dana.send({ path: action, fields: fieldsOfQuestion });
      assert.deepEqual([status, location], [303, calendarPath]);
      assert.match(await dana.read(calendarPath), /Nothing was changed/);
    }
    assert.equal(await isFeed(site, path), true);
  });

  test('redirects from questions about an address that does not exist', async (t) => {
    const { dana } = await startCalendarSite(t);
    for (const question of ['replace', 'revoke']) {
      const { status, location } = await dana.open(`${calendarPath}/${question}`);
      assert.deepEqual([status, location], [303, calendarPath]);
    }
  });
});
