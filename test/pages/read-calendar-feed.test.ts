import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Unavailable } from '@rollcall/core';
import { aMeeting, anOrganization, aUser } from '@rollcall/core/testing';
import { calendarIn } from '#test/support/icalendar.js';
import { startSite } from '#test/support/security/site.js';
import {
  asProgram,
  calendarPath,
  createFeed,
  isFeed,
  startCalendarSite,
} from '../support/page/calendar-site.js';

describe('A private calendar address', () => {
  test('gives all of the member’s meetings to anyone who knows it, until it is replaced', async (t) => {
    const { site, dana } = await startCalendarSite(t);
    const first = await createFeed(dana);
    assert.match(first, /^\/calendar\/[\w.-]{40,}\.ics$/);
    const file = await site.visitor().open(first, asProgram);
    assert.equal(file.headers.get('content-type'), 'text/calendar; charset=utf-8');
    assert.deepEqual(file.headers.getSetCookie(), []);
    assert.equal(file.headers.get('cache-control'), 'private, no-cache', 'caches must revalidate it');
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
    const second = await createFeed(dana, `${calendarPath}/replace`);
    assert.notEqual(second, first);
    assert.deepEqual([await isFeed(site, first), await isFeed(site, second)], [false, true]);
  });

  test('stops working as soon as it is revoked, and can be created again', async (t) => {
    const { site, dana } = await startCalendarSite(t);
    const path = await createFeed(dana);
    const answer = await dana.fillIn(`${calendarPath}/revoke`, {});
    assert.deepEqual([answer.status, answer.location], [303, calendarPath]);
    assert.equal(await isFeed(site, path), false);
    const text = await dana.read(calendarPath);
    assert.match(text, /Calendar address revoked\./);
    assert.match(text, /Create a calendar address/);
    assert.equal(await isFeed(site, await createFeed(dana)), true);
  });
});

test('The links in calendars and the commands of the guide have the path of PUBLIC_URL', async (t) => {
  const publicUrl = 'https://host.example.test/rollcall';
  const { site, dana } = await startCalendarSite(t, { publicUrl });
  const page = `${publicUrl}/organizations/1/meetings`;
  const { url } = await site.core.createCalendarFeed({ organizationId: 1, userId: 100 });
  const feed = url.slice(publicUrl.length);
  const files = [
    await site.visitor().open(feed, asProgram),
    await dana.open('/organizations/1/meetings/1.ics'),
  ];
  for (const { text } of files)
    assert.deepEqual([...new Set(calendarIn(text).events.map((event) => event.URL))], [page]);
  const { text } = await site.visitor().open('/docs/guide/quick-start');
  assert.deepEqual(text.match(/API=\S+/g), [`API=${publicUrl}/api/v2`]);
});

describe('A calendar that a program already has', () => {
  const tagOf = ({ headers }: { readonly headers: Headers }): string =>
    headers.get('etag') ?? assert.fail('there is no tag');

  // Without this header, fetch asks for a new copy.
  const revalidating = { 'Cache-Control': 'max-age=0' };

  test('is not sent again until its content changes', async (t) => {
    const { site, dana } = await startCalendarSite(t);
    const path = await createFeed(dana);
    const ask = (tag?: string, method = 'GET') =>
      site.visitor().open(path, {
        method,
        headers: {
          ...asProgram.headers,
          ...(tag !== undefined && { ...revalidating, 'If-None-Match': tag }),
        },
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

    await site.load({ meetings: [{ ...aMeeting(1, { name: 'Another name' }) }] });
    const changed = await ask(tag);
    assert.equal(changed.status, 200);
    assert.match(changed.text, /SUMMARY:Another name/);
    assert.notEqual(tagOf(changed), tag);
    assert.equal((await ask(tagOf(changed))).status, 304);
  });

  test('is not found once its address is revoked', async (t) => {
    const { site, dana } = await startCalendarSite(t);
    const path = await createFeed(dana);
    const tag = tagOf(await site.visitor().open(path, asProgram));
    await site.core.revokeCalendarFeed({ organizationId: 1, userId: 100 });
    const headers = { ...asProgram.headers, ...revalidating, 'If-None-Match': tag };
    assert.equal((await site.visitor().open(path, { headers })).status, 404);
  });

  test('does not block other requests while many meetings are rendered', async (t) => {
    const meetings = Array.from({ length: 900 }, (_, index) =>
      aMeeting(1_000 + index, { description: 'long, "quoted" and äöü; '.repeat(40) }),
    );
    const registeredAt = new Date('2026-11-01T10:00:00.000Z');
    const registrations = meetings.map(({ id }) => ({ meetingId: id, userId: 101, registeredAt }));
    const { site } = await startCalendarSite(t, { dataset: { meetings, registrations } });
    const { url } = await site.core.createCalendarFeed({ organizationId: 1, userId: 101 });
    let iterations = 0;
    let next = setImmediate(function countIteration() {
      iterations += 1;
      next = setImmediate(countIteration);
    });
    const { text } = await site.visitor().open(new URL(url).pathname, asProgram);
    clearImmediate(next);
    assert.equal(calendarIn(text).events.length, 900);
    assert.ok(iterations >= 90, `${iterations} iterations of the event loop`);
  });
});

describe('A calendar address that does not work', () => {
  const odd = ['/calendar/x.ics', '/calendar/%00.ics', `/calendar/${'x'.repeat(3000)}.ics`];

  test('gets a page for people and a line for programs, and is never cached', async (t) => {
    const { site } = await startCalendarSite(t);
    for (const path of odd) {
      const page = await site.visitor().open(path);
      assert.equal(page.status, 404);
      assert.match(page.words, /This calendar does not exist The address may have been revoked/);
      const line = await site.visitor().open(path, asProgram);
      assert.deepEqual([line.status, line.text], [404, 'This calendar does not exist or was revoked\n']);
      for (const { headers } of [page, line])
        assert.deepEqual(
          ['cache-control', 'x-error-code'].map((name) => headers.get(name)),
          ['no-store', 'unknown-path'],
        );
    }
    assert.deepEqual(site.reports, []);
  });

  test('may be that of a removed member, or a token of another kind', async (t) => {
    const { site, dana } = await startCalendarSite(t);
    const path = await createFeed(dana);
    await site.core.removeMember({ organization: { id: 1 }, userId: 100 });
    assert.equal(await isFeed(site, path), false);
    const login = await site.linkFor(101);
    assert.equal(await isFeed(site, login.replace(/^\/login\/(.*)$/, '/calendar/$1.ics')), false);
  });

  test('differs from one that can’t be looked up: programs are asked to retry, and no log contains it', async (t) => {
    const site = await startSite();
    t.after(() => site.stop());
    await site.load({
      organizations: [anOrganization(1)],
      users: [aUser(1)],
      memberships: [{ organizationId: 1, userId: 1, role: 'member', idpId: null }],
    });
    const { url } = await site.core.createCalendarFeed({ organizationId: 1, userId: 1 });
    const path = new URL(url).pathname;
    assert.equal((await site.send('GET', path, asProgram)).status, 200);
    site.replace('calendarFeeds', {
      find: () => Promise.reject(new Unavailable('the database is away', { retryAfter: 7 })),
    });
    const { status, headers, text } = await site.send('GET', path, asProgram);
    assert.deepEqual([status, headers['retry-after']], [503, '7']);
    assert.deepEqual(JSON.parse(text), { error: 'Service Unavailable' });
    const token = path.slice('/calendar/'.length, -'.ics'.length);
    assert.ok(!JSON.stringify([site.lines, site.reports]).includes(token));
    const routes = site.lines.filter(({ msg }) => msg === 'request').map(({ route }) => route);
    assert.deepEqual(routes, ['/calendar/:token.ics', '/calendar/:token.ics']);
  });
});
