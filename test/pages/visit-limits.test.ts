import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { startSiteOf } from '#test/support/page/site.js';

const program = { headers: { Accept: 'text/calendar' } };
const MAX_PAGES = 12;
const MAX_FEEDS = 4;

async function start(context: TestContext) {
  const visits = { pages: MAX_PAGES, feeds: MAX_FEEDS };
  const site = await startSiteOf(context, { 100: ['member', 1], 101: ['member', 1] }, { visits });
  return {
    site,
    async feed(userId: number) {
      const { url } = await site.core.createCalendarFeed({ organizationId: 1, userId });
      return new URL(url).pathname;
    },
  };
}

/** A request from another address, as the proxy of the site reports it. */
const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });

async function statuses(
  times: number,
  ask: (count: number) => Promise<{ readonly status: number }>,
): Promise<number[]> {
  const found: number[] = [];
  for (let count = 0; count < times; count += 1) found.push((await ask(count)).status);
  return found;
}

const successesThen = (count: number, status: number): number[] => [...Array(count).fill(200), status];

describe('The limit of page requests', () => {
  test('applies to one user at every address, and affects no one else', async (t) => {
    const started = await start(t);
    const [one, other] = [await started.site.signedIn(100), await started.site.signedIn(101)];
    const page = '/organizations/1/meetings';
    const everywhere = (count: number) => one.open(page, from(`192.0.2.${count}`));
    assert.deepEqual(await statuses(MAX_PAGES + 1, everywhere), successesThen(MAX_PAGES, 429));

    const refused = await one.open(page);
    assert.equal(refused.status, 429);
    assert.match(String(refused.headers.get('retry-after')), /^[1-9]\d?$/);
    assert.equal(refused.headers.get('x-error-code'), 'too-many-requests');
    assert.match(refused.words, /Too many requests .* Please wait a minute, then try again\./);
    assert.equal((await other.open(page)).status, 200);
    assert.equal((await one.open('/assets/default-avatar.svg')).status, 200);

    started.site.clock.advance(61_000);
    assert.equal((await one.open(page)).status, 200);
    assert.deepEqual(started.site.reports, []);
  });

  test('includes addresses without a page, because their answer reads the session too', async (t) => {
    const started = await start(t);
    const one = await started.site.signedIn(100);
    const unknown = await statuses(MAX_PAGES + 1, (count) => one.open(`/nothing/${count}`));
    assert.deepEqual(unknown, [...Array(MAX_PAGES).fill(404), 429]);
    assert.equal((await one.open('/organizations/1/meetings')).status, 429);
    assert.equal((await (await started.site.signedIn(101)).open('/nothing')).status, 404);
  });

  for (const [network, address, elsewhere] of [
    ['the address', (count: number) => `192.0.2.1:${1024 + count}`, '192.0.2.2'],
    ['the /64', (count: number) => `2001:db8:0:1::${count}`, '2001:db8:0:2::1'],
  ] as const) {
    test(`applies to ${network} without a session, whatever the cookie says`, async (t) => {
      const { site } = await start(t);
      const ask = (count: number) => {
        const client = site.visitor();
        client.setCookie('session', `made-up-${count}`);
        return client.open('/sign-in', from(address(count)));
      };
      assert.deepEqual(await statuses(MAX_PAGES + 1, ask), successesThen(MAX_PAGES, 429));
      assert.equal((await site.visitor().open('/docs', from(address(99)))).status, 429);
      assert.equal((await site.visitor().open('/sign-in', from(elsewhere))).status, 200);
    });
  }

  test('applies before anything is done: a form changes nothing', async (t) => {
    const started = await start(t);
    const one = await started.site.signedIn(100);
    await statuses(MAX_PAGES, () => one.open('/account'));
    const before = [...started.site.changes];
    assert.equal((await one.send({ path: '/sign-out', fields: {} })).status, 429);
    assert.deepEqual(started.site.changes, before);
  });
});

describe('The limit of calendar requests', () => {
  test('applies to each feed, with messages for programs and for people, and ends after a minute', async (t) => {
    const { site, feed } = await start(t);
    const [own, other] = [await feed(100), await feed(101)];
    assert.deepEqual(
      await statuses(MAX_FEEDS + 1, () => site.visitor().open(own, program)),
      successesThen(MAX_FEEDS, 429),
    );
    const line = await site.visitor().open(own, program);
    assert.deepEqual(
      [line.text, ...['content-type', 'x-error-code'].map((name) => line.headers.get(name))],
      ['Too many requests for this calendar\n', 'text/plain; charset=utf-8', 'too-many-requests'],
    );
    assert.match(String(line.headers.get('retry-after')), /^[1-9]\d?$/);
    const page = await site.visitor().open(own);
    assert.equal(page.status, 429);
    assert.match(page.text, /<h1>Too many requests<\/h1>/);
    assert.equal((await site.visitor().open(other, program)).status, 200);
    site.clock.advance(61_000);
    assert.equal((await site.visitor().open(own, program)).status, 200);
  });

  test('counts guessed feeds for the address, and soon does not look them up', async (t) => {
    const { site, feed } = await start(t);
    const own = await feed(100);
    // All addresses are in one /64.
    const as = (count: number) => ({
      headers: { ...program.headers, ...from(`2001:db8:0:1::${count}`).headers },
    });
    const ask = (count: number) => site.visitor().open(`/calendar/guess-${count}.ics`, as(count));
    assert.deepEqual(await statuses(MAX_PAGES + 2, ask), [...Array(MAX_PAGES).fill(404), 429, 429]);
    assert.equal((await site.visitor().open(own, as(99))).status, 429);
    assert.equal((await site.visitor().open(own, program)).status, 200);
  });
});
