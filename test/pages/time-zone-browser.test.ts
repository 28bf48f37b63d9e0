import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizes, useBrowser } from '#test/support/look.js';
import { sampleMeetings } from '#test/support/page/samples.js';
import { startPageSite } from '#test/support/page/site.js';

const open = useBrowser();

test('The script of the pages shows times in the reader’s zone by reloading the page once', async (t) => {
  const started = await startPageSite(t);
  await started.load(sampleMeetings);
  const options = { viewport: sizes.desk, timezoneId: 'Asia/Tokyo' };
  const { page } = await open(t, started, { name: 'desk in Tokyo', options });
  let loads = 0;
  page.on('response', (response) => {
    if (response.url().endsWith('/organizations/1/meetings')) loads += 1;
  });
  await page.goto(await started.linkFor(100));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Times are in Asia/Tokyo.').waitFor();
  assert.equal(await page.getByText('03:00 – 04:00 GMT+9').count(), 1);
  const before = loads;
  await page.reload();
  await page.getByText('Times are in Asia/Tokyo.').waitFor();
  assert.deepEqual([before <= 2, loads - before], [true, 1]);
});
