import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  deliveryFilters,
  deliveryQueryIn,
  readQuery,
} from '#adapters/express/pages/webhooks/delivery-query.js';
import { subjectOf } from '#adapters/express/pages/webhooks/delivery-texts.js';
import { countText } from '#adapters/express/pages/webhooks/list-deliveries.js';
import { readableText } from '#test/support/page/client.js';
import { answered, page, testPage, url, withWebhook } from '#test/support/page/webhook-site.js';

describe('The log of deliveries', () => {
  test('can be searched by time, in the reader’s zone, and by event', async (t) => {
    const { started, client, register } = await withWebhook(t);
    const ids: number[] = [];
    for (const name of ['ada', 'bea', 'cid']) ids.push(await register(name));
    client.setCookie('time_zone', 'Asia/Tokyo');
    const found = async (query: string) => {
      const { status, text } = await client.open(`${page}?${query}`);
      assert.equal(status, 200, query);
      return [...text.matchAll(/href="[^"]*\/deliveries\/(\d+)"/g)].map(([, id]) => ids.indexOf(Number(id)));
    };
    assert.deepEqual(await found('since=2026-11-20T21:01'), [2, 1]);
    assert.deepEqual(await found('until=2026-11-20T21:01'), [0]);
    assert.deepEqual(await found('since=2026-11-20T21:01&until=2026-11-20T21:02&state=delivered'), [1]);
    assert.deepEqual(await found('since=2026-11-20T21:01&state=failed'), []);
    const { deliveries } = await started.core.listDeliveries({ organization: { id: 1 } });
    assert.deepEqual(await found(`event=+${deliveries[1]?.eventId.toUpperCase()}+`), [1]);
    assert.deepEqual(await found('event=nonsense'), []);
    assert.deepEqual(await found('person=BEA'), [1]);
    assert.deepEqual(await found('person=person-1@example'), [0]);
    assert.deepEqual(await found('person=nobody'), []);
    assert.equal((await client.open(`${page}?person=${'x'.repeat(301)}`)).status, 422);
    assert.deepEqual(await found('since=&until=&person=&event='), [2, 1, 0]);

    const { text } = await client.open(`${page}?state=delivered&since=2026-11-20T21:01`);
    assert.match(text, /<details class="search" open>/);
    assert.match(text, /name="since"[^>]* value="2026-11-20T21:01"/);
    assert.match(text, /type="hidden" name="state" value="delivered"/);
    assert.ok(text.includes('href="/organizations/1/webhooks?since=2026-11-20T21%3A01#log"'));
  });

  test('begins with the first and ends before the second of a time that the clocks show twice', () => {
    const found = (time: string) =>
      readQuery(deliveryQueryIn({ since: time, until: time }), 'America/New_York').criteria;
    const period = (since: string, until: string) => ({
      since: new Date(since),
      until: new Date(until),
      olderThan: null,
    });
    assert.deepEqual(found('2026-11-01T01:30'), period('2026-11-01T05:30Z', '2026-11-01T06:30Z'));
    assert.deepEqual(found('2026-03-08T02:30'), period('2026-03-08T07:00Z', '2026-03-08T07:00Z'));
    assert.deepEqual(found('2026-11-20T18:00:30'), period('2026-11-20T23:00:30Z', '2026-11-20T23:00:30Z'));
  });

  test('says next to the field that a time is invalid, and keeps the input as text', async (t) => {
    const { client } = await withWebhook(t);
    const { status, text } = await client.open(`${page}?since=%22%3E%3Cb%3E&until=soon&event=%3Cb%3E`);
    assert.equal(status, 422);
    assert.match(text, /id="since-hint">Since must be a date and time, such as 2026-11-20T18:00</);
    assert.match(text, /id="until-hint">Until must be a date and time/);
    assert.doesNotMatch(text, /<b>/);
  });

  test('shows each delivery with its result in words, with every filter', async (t) => {
    const reasons = ['no connection within 5 s', 'certificate not trusted', 'private address'];
    const failures = reasons.map((reason) => ({
      ...answered(500),
      status: null,
      phase: 'connect' as const,
      reason,
    }));
    const { started, client, register } = await withWebhook(t, [...failures, answered(500), answered(200)]);
    for (const name of ['ada', 'bea', 'cid', 'dan', 'eva']) await register(name);
    await client.fillIn(testPage, {});
    await started.core.registerUser({
      organizationId: 1,
      email: 'f@example.test',
      firstName: 'F',
      lastName: 'P',
    });

    const rows = async (show: string) => {
      const { text } = await client.open(`${page}?state=${show}`);
      const body = /<tbody[^>]*>(.*)<\/tbody>/s.exec(text)?.[1] ?? '';
      return body
        .split('</tr>')
        .slice(0, -1)
        .map((row) => readableText(row));
    };
    const people = ['dan 4', 'cid 3', 'bea 2', 'ada 1'].map((person) =>
      person.replace(/ (.)/, ' Person person-$1@example.test'),
    );
    const results = ['answered 500', ...reasons.toReversed()];
    const failed = results.map(
      (reason, index) => `20 Nov 2026, 12:0${3 - index}:00 ${people[index]} Failed ${reason} Resend`,
    );
    const eva = 'eva Person person-5@example.test';
    const delivered = `20 Nov 2026, 12:04:00 ${eva} Delivered answered 200`;
    const testUser = 'Webhook Test webhook-test@example.invalid';
    const tested = `20 Nov 2026, 12:05:00 ${testUser} Test Delivered answered 200`;
    const pending = `20 Nov 2026, 12:05:00 F P f@example.test Pending not sent yet`;
    assert.deepEqual(await rows('failed'), failed);
    assert.deepEqual(await rows('delivered'), [tested, delivered]);
    assert.deepEqual(await rows('pending'), [pending]);
    assert.deepEqual(await rows('tests'), [tested]);
    assert.deepEqual(await rows('skipped'), []);
    assert.deepEqual(await rows('held'), []);
    for (const other of ['all', 'nonsense', '"><b>'])
      assert.deepEqual(await rows(encodeURIComponent(other)), [pending, tested, delivered, ...failed]);

    await started.storage.outbox.hold();
    const why = 'our database was restored from a backup, so this may already have been sent';
    assert.deepEqual(await rows('held'), [
      `${pending.replace('Pending not sent yet', `Held ${why}`)} Resend`,
    ]);
    assert.deepEqual([await rows('pending'), await rows('failed')], [[], failed]);
    const [held] = (await started.core.listDeliveries({ organization: null, state: 'held' })).deliveries;
    const path = `${page}/deliveries/${held?.id}`;
    const shown = await client.read(path);
    assert.ok(
      shown.includes(`Held Result ${why} Resend it if your endpoint has not received this event ID.`),
      shown,
    );
    assert.equal((await client.fillIn(path, {})).status, 303);
    assert.deepEqual([(await rows('pending')).length, await rows('held')], [1, []]);
    await started.storage.outbox.hold();
    assert.equal(await started.core.dropHeld({ organization: { id: 1 } }), 1);
    assert.deepEqual(await rows('skipped'), [
      `${pending.replace('Pending not sent yet', 'Skipped dropped while it was held')}`,
    ]);
  });

  test('has no filters and no search while there is nothing to find', async (t) => {
    const { client, register } = await withWebhook(t);
    const tools = /Deliveries to show|Search by person/;
    const { text, words } = await client.open(page);
    assert.match(words, /Recent deliveries No deliveries yet\. Send a test/);
    assert.match(text, /<a href="\/organizations\/1\/webhooks\/test"[^>]*>Go to the test<\/a>/);
    assert.doesNotMatch(text, tools);
    assert.match((await client.open(`${page}?state=failed`)).text, tools);
    await register('ada');
    assert.match((await client.open(page)).text, tools);
  });

  test('says how many each filter has, and offers none that has none', async (t) => {
    const { client, register } = await withWebhook(t, [answered(500), answered(500), answered(200)]);
    const filters = async (query = '') => {
      const { text } = await client.open(`${page}${query}`);
      const [nav = ''] = /<nav[^>]*aria-label="Deliveries to show".*?<\/nav>/s.exec(text) ?? [];
      return readableText(nav);
    };
    for (const name of ['ada', 'bea', 'cid']) await register(name);
    assert.equal(await filters(), 'All Failed 2 Delivered 1');
    await client.fillIn(testPage, {});
    assert.equal(await filters(), 'All Failed 2 Delivered 2 Tests 1', 'a test was delivered, too');
    assert.equal(
      await filters('?state=held'),
      'All Failed 2 Delivered 2 Held 0 Tests 1',
      'the chosen one stays',
    );
  });

  test('says of delivered and skipped ones that there may be more than the newest', () => {
    const none = { pending: 0, failed: 0, held: 0, tests: 0, delivered: 0, skipped: 0, hours: [] };
    const texts = (hasOlder: boolean) =>
      deliveryFilters.map((filter) => countText({ ...none, failed: 1200, delivered: 998, hasOlder }, filter));
    assert.deepEqual(texts(false), ['', '1,200', '998', '0', '0', '0', '0']);
    assert.deepEqual(
      texts(true),
      ['', '1,200', '998+', '0', '', '0', '0'],
      'some that were skipped may be older',
    );
  });

  test('begins with bars of what was delivered and what failed in the last 48 hours', async (t) => {
    const { started, client, register } = await withWebhook(t, [answered(200), answered(500), answered(200)]);
    const bars = async (reader = client) => {
      const { text } = await reader.open(page);
      const [section = ''] = /<section class="card" aria-labelledby="hours".*?<\/section>/s.exec(text) ?? [];
      return { section, text: readableText(section) };
    };
    const empty = await bars();
    assert.match(empty.text, /Events of the last 48 hours Nothing was delivered, and nothing failed\./);
    assert.doesNotMatch(empty.section, /<svg/);
    await register('ada');
    await register('bea');
    started.clock.advance(2 * 3_600_000);
    await register('cid');
    const later = await started.signedIn(101);
    await later.fillIn(testPage, {});
    later.setCookie('time_zone', 'Asia/Tokyo');
    const { section, text } = await bars(later);
    assert.match(text, /2 delivered, 1 failed\. Tests are counted only below\./);
    const titles = [...section.matchAll(/<title>([^<]*)/g)].map(([, title]) => title);
    assert.deepEqual(titles, [
      '20 Nov, 21:00: 1 delivered, 1 failed',
      '20 Nov, 23:00: 1 delivered, 0 failed',
    ]);
    assert.match(section, /aria-label="Events of the last 48 hours: failed after 20 Nov, 21:00"/);
    started.clock.advance(48 * 3_600_000);
    assert.match((await bars(await started.signedIn(101))).text, /Nothing was delivered/);
  });

  test('says how many were found after a search or a filter, as far as this page knows', async (t) => {
    const { started, client, register } = await withWebhook(t, [answered(500), answered(200)]);
    const count = async (query: string) => {
      const { text } = await client.open(`${page}?${query}`);
      return /<p class="list-count" role="status">([^<]*)<\/p>/.exec(text)?.[1];
    };
    for (let number = 0; number < 22; number += 1) await register('ada');
    await client.fillIn(testPage, {});
    assert.equal(await count(''), undefined);
    assert.equal(await count('state=failed'), '1 failed delivery');
    assert.equal(await count('state=skipped'), 'No skipped deliveries');
    assert.equal(await count('state=tests'), '1 test');
    assert.equal(await count('state=delivered'), 'The newest 20 successful deliveries');
    assert.equal(await count('until=2026-11-20T12:03'), '3 deliveries');
    assert.equal(await count('since=2030-11-20T12:03'), 'No deliveries');
    assert.equal(await count('until=soon'), undefined);
    const request = { organization: { id: 1 }, state: 'delivered', limit: 20 } as const;
    const { older } = await started.core.listDeliveries(request);
    assert.equal(await count(`state=delivered&older=${older}`), '2 older successful deliveries');
    assert.equal(await count(`older=${older}`), undefined);
  });

  test('counts the attempts of what was resent', async (t) => {
    const { started, client, register } = await withWebhook(t, [answered(500), answered(200)]);
    const id = await register('ada');
    assert.doesNotMatch(await client.read(page), /attempts/);
    await client.fillIn(`${page}/deliveries/${id}`, {});
    await started.deliver();
    assert.match(await client.read(page), /Delivered answered 200 · 2 attempts/);
  });

  test('says who each event is about, as text and shortened', async (t) => {
    const { client, register } = await withWebhook(t);
    await register('<b>Bea</b>');
    await register('👩🏽‍🚀'.repeat(35) + 'W'.repeat(50));
    const { text } = await client.open(page);
    const subjects = [...text.replace(/^.*<tbody/s, '').matchAll(/<bdi[^>]*>([^<]*)</g)].map(
      ([, subject]) => subject,
    );
    assert.deepEqual(subjects, [
      `${'👩🏽‍🚀'.repeat(35)}${'W'.repeat(25)}…`,
      'person-2@example.test',
      '&lt;b>Bea&lt;/b> Person',
      'person-1@example.test',
    ]);
  });

  test('does not say who an event is about if its body has another shape', () => {
    for (const body of [
      '',
      'null',
      '1',
      '[]',
      '{"user":7}',
      '{"user":{"email":1}}',
      '{"user":{"first_name":" "}}',
    ])
      assert.deepEqual(subjectOf({ body }), [], body);
    assert.deepEqual(subjectOf({ body: '{"user":{"email":"a@b.test"}}' }), ['a@b.test']);
  });

  test('is shown in pages, and new deliveries do not move older ones', async (t) => {
    const { client, register } = await withWebhook(t);
    for (let number = 1; number <= 21; number += 1) await register(`p${number}`);
    const idsOn = (text: string) =>
      [...text.matchAll(/href="[^"]*\/deliveries\/(\d+)"/g)].map(([, id]) => Number(id));
    const first = await client.open(`${page}?state=delivered`);
    const older = /href="([^"]*older=[^"]*)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    await register('late');
    const second = await client.open(older.replace('#log', ''));
    const [last = 0, ...others] = idsOn(second.text);
    assert.deepEqual([idsOn(first.text).length, others], [20, []]);
    assert.ok(last > 0 && last < Math.min(...idsOn(first.text)));
    assert.match(second.text, /href="\/organizations\/1\/webhooks\?state=delivered#log">Newest/);
    assert.doesNotMatch(second.text, /older=/);
    for (const older of ['nonsense', '', '1-2&older=3'])
      assert.equal((await client.open(`${page}?older=${older}`)).status, 200);
  });
});

describe('The button in a row of the log', () => {
  const resendFrom = (id: number) => `${page}/deliveries/${id}`;

  test('resends the delivery, and returns to the same list, which says so', async (t) => {
    const { started, client, register, sent } = await withWebhook(t, [
      answered(500),
      answered(500),
      answered(200),
      answered(200),
    ]);
    const first = await register('ada');
    const second = await register('bea');
    const list = `${page}?state=failed&since=2026-11-20T12%3A00%3A00`;
    const { text } = await client.open(list);
    assert.deepEqual(
      [...text.matchAll(/aria-label="Resend: delivery (\d+)"/g)].map(([, id]) => Number(id)),
      [second, first],
    );
    const { status, location } = await client.fillIn(list, {}, resendFrom(first));
    assert.deepEqual([status, location], [303, `${list}&resent=${first}#log`]);
    const landed = async (resent = first) => await client.read(`${list}&resent=${resent}`);
    assert.match(await landed(), /Recent deliveries Resending… Refresh All/);
    assert.match(await landed(), /Recent deliveries Still resending… Refresh All/);
    await started.deliver();
    assert.match(await landed(), /Recent deliveries Resent and delivered: answered 200\. All/);
    await client.fillIn(list, {}, resendFrom(second));
    await landed(second);
    await started.deliver();
    assert.match(await landed(second), /Recent deliveries Resent and delivered: answered 200\. All/);
    const opened = await client.open(`${page}/deliveries/${second}`);
    const back = /class="back-link">\s*<a href="([^"]*)"/.exec(opened.text)?.[1]?.replaceAll('&amp;', '&');
    assert.equal(back, `${list}#log`, 'the way back says it no more');
    assert.deepEqual(
      sent.slice(2).map(({ body }) => body),
      [sent[0]?.body, sent[1]?.body],
    );
    const { items } = await started.core.listActivity({ organization: { id: 1 } });
    assert.equal(items[0]?.action, 'delivery-redelivered');
  });

  test('is missing while a delivery is under way, when its person was erased, while it would be skipped, and once it is delivered', async (t) => {
    const failures = Array.from({ length: 3 }, () => answered(500));
    const { started, client, register } = await withWebhook(t, [...failures, answered(200)]);
    const buttons = async () => {
      const { text } = await client.open(page);
      return [...text.matchAll(/aria-label="Resend: delivery (\d+)"/g)].map(([, id]) => Number(id));
    };
    const id = await register('ada');
    assert.deepEqual(await buttons(), [id]);
    await client.fillIn(resendFrom(id), {});
    assert.deepEqual(await buttons(), []);
    await started.deliver();
    assert.deepEqual(await buttons(), [id]);
    const organization = { id: 1 };
    await client.fillIn(testPage, {});
    await started.core.configureWebhook({ organization, how: 'change', webhook: { enabled: false } });
    const [test] = (await started.core.listDeliveries({ organization, isTest: true })).deliveries;
    assert.deepEqual(await buttons(), [test?.id]);
    await started.core.configureWebhook({ organization, how: 'change', webhook: { enabled: true } });
    const { items } = await started.core.listMembers({ organization, search: 'person-1@example.test' });
    await started.core.eraseMember({ organization, uuid: items[0]?.user.uuid ?? '' });
    assert.deepEqual(await buttons(), [test?.id]);
    await client.fillIn(resendFrom(test?.id ?? 0), {});
    await started.deliver();
    assert.deepEqual(await buttons(), []);
  });
});

describe('The state of the webhook', () => {
  const stateIn = (html: string) => {
    const [section = ''] = /<section class="card webhook-state.*?<\/section>/s.exec(html) ?? [];
    return readableText(section);
  };

  test('is on until a delivery fails, then failing since that time, and on again after a success', async (t) => {
    const { started, client, register } = await withWebhook(t, [answered(500), answered(503), answered(200)]);
    const state = async () => stateIn((await client.open(page)).text);
    const on = 'On Each new event is sent once, as soon as it happens.';
    assert.equal(await state(), `${on} URL ${url} Last delivered None yet. Tests are not counted.`);
    started.clock.advance(5000);
    await register('ada');
    assert.match(
      await state(),
      /^Failing since 20 Nov 2026, 12:00:05 \(UTC\) The last delivery failed\. The webhook is still on, and/,
    );
    await register('bea');
    assert.match(
      await state(),
      /^Failing since 20 Nov 2026, 12:00:05 \(UTC\) The last 2 deliveries failed\./,
    );
    assert.match(
      await state(),
      /Last delivered None yet. Tests are not counted. Undelivered 2 events Resend undelivered events… Dismiss…$/,
    );
    assert.equal((await started.core.readWebhook({ organization: { id: 1 } }))?.enabled, true);
    await register('cid');
    const after = on.replace('On', 'On · 2 undelivered');
    const left = 'Undelivered 2 events Resend undelivered events… Dismiss…';
    assert.equal(await state(), `${after} URL ${url} Last delivered 20 Nov 2026, 12:02:05 (UTC) ${left}`);
    const { deliveries } = await started.core.listDeliveries({ organization: { id: 1 }, state: 'failed' });
    for (const { id } of deliveries) await client.fillIn(`${page}/deliveries/${id}`, {});
    await started.deliver();
    assert.match(
      await state(),
      /^On Each new event .* Last delivered [^U]*\(UTC\)$/,
      'resent, they are forgotten',
    );
  });

  test('is off while the webhook is disabled, even if deliveries have failed, and leads to the settings', async (t) => {
    const { started, client, register } = await withWebhook(t, [answered(500)]);
    await register('ada');
    const organization = { id: 1 };
    await started.core.configureWebhook({ organization, how: 'change', webhook: { enabled: false } });
    const { text } = await client.open(page);
    assert.match(
      stateIn(text),
      /^Off Events that happen while the webhook is off are not sent, not even later/,
    );
    assert.match(text, /<a href="\/organizations\/1\/webhooks\/settings">Turn it on/);
    assert.doesNotMatch(text, /since=failing/);
  });
});
