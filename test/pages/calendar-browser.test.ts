import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { calendarIn } from '#test/support/icalendar.js';
import { enter } from '#test/support/keyboard.js';
import { type Look, looks, sizes, useBrowser } from '#test/support/look.js';
import { sampleMeetings } from '#test/support/page/samples.js';
import { type PageSite, startPageSite } from '#test/support/page/site.js';

const calendar = '/organizations/1/calendar';

const open = useBrowser();

async function start(context: TestContext): Promise<PageSite> {
  const site = await startPageSite(context);
  await site.load(sampleMeetings);
  return site;
}

/** The path of the address that the page shows. */
async function addressOn(page: Page): Promise<string> {
  return new URL((await page.locator('#calendar-url').textContent()) ?? '').pathname;
}

/** The number of meetings that a calendar program reads at the address, or the status if it is not 200. */
async function countMeetings(site: PageSite, path: string): Promise<number> {
  const { status, text } = await site.visitor().open(path, { headers: { Accept: 'text/calendar' } });
  return status === 200 ? calendarIn(text).events.length : status;
}

describe('The calendar in a browser', { concurrency: true }, () => {
  for (const look of looks) {
    test(`gives a file, and an address that can be replaced and revoked, by ${isPhone(look) ? 'touch' : 'keyboard'} (${look.name})`, async (t) => {
      const site = await start(t);
      const window = await open(t, site, look);
      const { page } = window;
      const follow = (target: Locator) => (isPhone(look) ? target.click() : enter(page, target));
      const heading = (name: string) => page.getByRole('heading', { name }).waitFor();

      await page.goto(await site.linkFor(100));
      await follow(page.getByRole('button', { name: 'Sign in' }));
      await heading('Hello, Dana');
      await window.look('my-meetings');
      const download = page.waitForEvent('download');
      await follow(page.getByRole('link', { name: 'Add to calendar Grief circle' }));
      const file = await download;
      assert.equal(file.suggestedFilename(), 'meeting-1.ics');
      const { events } = calendarIn(await readFile(await file.path(), 'utf8'));
      assert.deepEqual(
        events.map(({ SUMMARY }) => SUMMARY),
        ['Grief circle'],
      );

      await follow(page.getByRole('link', { name: 'Add all to your calendar' }));
      await heading('Your calendar');
      await window.look('calendar-none');
      await follow(page.getByRole('button', { name: 'Create a calendar address' }));
      await heading('Your new calendar address');
      await window.look('calendar-address');
      const first = await addressOn(page);
      assert.equal(await countMeetings(site, first), 4);
      await page.goto('/organizations/1/meetings');
      await page.goBack();
      await heading('Your calendar address can’t be shown again');
      assert.ok(!(await contentOf(page)).includes(first), 'the address is not shown after going back');
      await page.goto(calendar);
      await page.getByText('It was shown once. Lost it?').waitFor();
      await window.look('calendar-open');

      await follow(page.getByRole('link', { name: 'Replace the address' }));
      await heading('Replace your calendar address?');
      await window.look('calendar-replace');
      site.clock.advance(1000);
      await follow(page.getByRole('button', { name: 'Replace the address' }));
      await heading('Your new calendar address');
      const second = await addressOn(page);
      assert.deepEqual([await countMeetings(site, first), await countMeetings(site, second)], [404, 4]);
      await page.reload();
      await heading('Your calendar address can’t be shown again');
      await window.look('calendar-shown');
      assert.ok(!(await contentOf(page)).includes(second), 'the address is not shown after a reload');
      assert.equal(await countMeetings(site, second), 4);
      await follow(page.getByRole('link', { name: 'Go to your calendar' }));

      await follow(page.getByRole('link', { name: 'Revoke the address' }));
      await heading('Revoke your calendar address?');
      await window.look('calendar-revoke');
      await follow(page.getByRole('button', { name: 'Revoke the address' }));
      await page.getByText('Calendar address revoked').waitFor();
      await window.look('calendar-revoked');
      assert.equal(await countMeetings(site, second), 404);
    });
  }
});
function isPhone({ options }: Look): boolean {
  return options.viewport === sizes.phone;
}

/** The content of the window once it has loaded a page, which may be an error page of the browser. */
async function contentOf(page: Page): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const content = await page.content().catch(() => null);
    if (content !== null) return content;
    await pause(50);
  }
  assert.fail('the window loaded no page');
}
