import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, type TestContext, test } from 'node:test';
import { aMeeting, anOrganization, type DatasetMeeting } from '@rollcall/core/testing';
import type { Page } from 'playwright-core';
import { desk, useBrowser } from '#test/support/look.js';
import { type PageSite, password, startPageSite } from '#test/support/page/site.js';

const open = useBrowser();

const hostileNames = [
  '<script>alert("name")</script>',
  'N'.repeat(300),
  'دائرة الدعم للآباء الجدد',
  '=HYPERLINK("https://evil.example")',
  'Parents & carers 👩‍👩‍👧‍👦',
];

/** One a day for half a year around Friday 20 November 2026. */
function meetings(): readonly DatasetMeeting[] {
  return Array.from({ length: 180 }, (_, index) => {
    const startTime = new Date(Date.UTC(2026, 7, 22 + index, 8 + (index % 11)));
    const isCompleted = startTime < new Date('2026-11-20T12:00:00.000Z');
    const status = index % 13 === 12 ? 'cancel' : isCompleted ? 'complete' : 'scheduled';
    return aMeeting(index + 1, {
      name: hostileNames[index] ?? `Grief circle ${index + 1}`,
      startTime,
      endTime: new Date(startTime.getTime() + 5_400_000),
      duration: 90,
      status,
      maxAttendees: index === 100 ? 30_000 : 6 + (index % 7),
      price: index % 4 === 0 ? 12.5 : null,
    });
  });
}

async function site(context: TestContext): Promise<PageSite> {
  const started = await startPageSite(context);
  const userIds = [301, 302, 303, 304];
  await started.load({
    organizations: [anOrganization(1, { name: 'Northwind Wellness', eap: true })],
    meetings: meetings(),
  });
  await started.addUser({ id: 300, organizations: [1], role: 'admin' });
  for (const id of userIds) await started.addUser({ id, organizations: [1] });
  await started.load({
    registrations: meetings().flatMap(({ id, startTime }) =>
      userIds.slice(id % 4).map((userId) => ({ meetingId: id, userId, registeredAt: startTime })),
    ),
  });
  return started;
}

/** Presses the button, and reads the file that it downloads. */
async function downloaded(
  page: Page,
  button: string,
): Promise<{ readonly name: string; readonly text: string }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).press('Enter'),
  ]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

/** The number of meetings beside the downloads. */
const count = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true });

/** The texts of the charts that are not inside of their chart. */
function cutTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('.chart text')].filter((text) => {
    const [inner, outer] = [text, text.ownerSVGElement].map((element) => element.getBoundingClientRect());
    return inner.left < outer.left || inner.right > outer.right || inner.bottom > outer.bottom;
  }).map((text) => text.textContent)`);
}

describe('In a browser', () => {
  test('an admin selects meetings, corrects an error, previews and downloads the files with the keyboard only', async (t) => {
    const started = await site(t);
    const window = await open(t, started, desk);
    const { page } = window;
    await page.goto('/');
    await page.getByLabel('Email address').fill('user-300@example.test');
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Meetings', exact: true }).press('Enter');
    await page.getByRole('link', { name: 'Completed', exact: true }).press('Enter');
    await page.getByText('84 completed meetings, latest first').waitFor();
    await window.look('meetings');
    await page.getByRole('link', { name: 'By week', exact: true }).press('Enter');
    await page.locator('.cut-number', { hasText: '30,044' }).waitFor();
    assert.deepEqual(await cutTexts(page), []);
    await page.getByText('Show as a table').press('Enter');
    await page.getByText('2026-W47 (this week)').waitFor();
    const [width = 0, space = 0] = await page
      .locator('.weeks')
      .evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
    assert.ok(width <= space, `the table of weeks has ${width} pixels, and space for ${space}`);
    await window.look('meetings-weeks');
    await page.goBack();
    await page.getByRole('link', { name: 'Export', exact: true }).press('Enter');
    await count(page, '84 meetings').waitFor();
    await window.look('export');

    assert.equal(await page.getByLabel('From', { exact: true }).isVisible(), false);
    await page.getByLabel('Range', { exact: true }).selectOption('Meetings between two times');
    await page.getByLabel('From', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Preview' }).press('Enter');
    await page.getByText('Enter a start').first().waitFor();
    await window.look('export-problem');

    await page.getByLabel('From', { exact: true }).fill('2026-11-16T00:00');
    await page.getByLabel('To', { exact: true }).fill('2026-11-30T23:59');
    for (const column of ['Topic', 'Host', 'Price'])
      await page.getByLabel(column, { exact: true }).press('Space');
    // Enter in a field previews, although other buttons come before that one.
    await page.getByLabel('Max Registrants', { exact: true }).press('Enter');
    await count(page, '15 meetings').waitFor();
    assert.equal(await page.getByLabel('From', { exact: true }).inputValue(), '2026-11-16T00:00');
    await window.look('export-preview');
    const command = (await page.locator('#command').textContent()) ?? '';
    assert.match(command, /reporting_days=custom&start_time=11%2F16%2F2026%2012%3A00%20AM&end_time=/);

    const csv = await downloaded(page, 'Download CSV');
    assert.equal(csv.name, 'northwind-wellness-meetings-2026-11-16-to-2026-11-30.csv');
    const [head, first = '', ...rest] = csv.text.split('\r\n');
    assert.equal(head, '\ufeff"Name","Start Time","Duration","Status","Max Registrants","Price"');
    assert.match(first, /^"Grief circle 87",2026-11-16T17:00:00.000Z,90,"complete",/);
    assert.equal(rest.length, 15);

    await page.getByLabel('Price', { exact: true }).press('Space');
    const json = await downloaded(page, 'Download JSON');
    const parsed = JSON.parse(json.text);
    assert.deepEqual(
      [json.name, parsed.meetings.length],
      ['northwind-wellness-meetings-2026-11-16-to-2026-11-30.json', 15],
    );
    assert.deepEqual(
      Object.keys(parsed.meetings[0]),
      ['name', 'start_time', 'duration', 'status', 'max_attendees'],
      'the current form, even if it was not previewed',
    );

    await page.getByLabel('From', { exact: true }).fill('2026-11-16T00:30');
    await page.getByRole('button', { name: 'Select all' }).press('Enter');
    await page
      .getByRole('columnheader', { name: 'Wait List', includeHidden: true })
      .waitFor({ state: 'attached' });
    assert.equal(await page.getByLabel('From', { exact: true }).inputValue(), '2026-11-16T00:30');
    await window.look('export-all-columns');

    await page.getByLabel('To', { exact: true }).fill('2026-11-16T01:00');
    await page.getByRole('button', { name: 'Preview' }).press('Enter');
    await page.getByText('No meetings in this range').waitFor();
    await window.look('export-empty');

    // With script, the number follows each change, and times that the range does not need are not sent.
    await page.getByLabel('Range', { exact: true }).selectOption('Everything');
    await count(page, '180 meetings').waitFor();
    assert.equal(await page.getByLabel('From', { exact: true }).isVisible(), false);
    assert.doesNotMatch(page.url(), /[?&]start_time=/);
    await page.getByLabel('Report', { exact: true }).selectOption('Employee Assistance Program only');
    await count(page, '0 meetings').waitFor();
    await page.reload();
    await count(page, '0 meetings').waitFor();

    // A period is asked for when both of its times are complete.
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('reporting_days=')) asked.push(request.url());
    });
    await page.getByLabel('Range', { exact: true }).selectOption('Meetings between two times');
    await page.getByText('Complete the form to count the meetings.').waitFor();
    await page.getByLabel('From', { exact: true }).fill('2026-11-16T00:00');
    assert.deepEqual(asked, []);
    await page.getByLabel('To', { exact: true }).fill('2026-11-30T23:59');
    await count(page, '0 meetings').waitFor();
    assert.equal(asked.length, 1);
  });
});
