import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { testUuid } from '@rollcall/core/testing';
import { enter } from '#test/support/keyboard.js';
import { looks, sizes, useBrowser } from '#test/support/look.js';
import { sampleMeetings } from '#test/support/page/samples.js';
import { type PageSite, startPageSite } from '#test/support/page/site.js';

const password = 'a good password';

const open = useBrowser();

async function site(context: TestContext): Promise<PageSite> {
  const started = await startPageSite(context);
  await started.load(sampleMeetings);
  await started.addUser({ id: 300, password, organizations: [1, 2] });
  return started;
}

describe('The script of the pages', () => {
  test('shows times in the reader’s zone by reloading the page once', async (t) => {
    const started = await site(t);
    const options = { viewport: sizes.desk, timezoneId: 'Asia/Tokyo' };
    const { page } = await open(t, started, { name: 'desk in Tokyo', options });
    let loads = 0;
    page.on('response', (response) => {
      if (response.url().endsWith('/organizations/1/meetings')) loads += 1;
    });
    await page.goto(await started.linkFor({ organizationId: 1, uuid: testUuid(100) }));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Times are in Asia/Tokyo.').waitFor();
    assert.equal(await page.getByText('03:00 – 04:00 GMT+9').count(), 1);
    const before = loads;
    await page.reload();
    await page.getByText('Times are in Asia/Tokyo.').waitFor();
    assert.deepEqual([before <= 2, loads - before], [true, 1]);
  });
});

for (const look of looks) {
  describe(`In a browser (${look.name})`, () => {
    test('a login link opens the meetings with one click, and later says that it was used', async (t) => {
      const started = await site(t);
      const window = await open(t, started, look);
      const { page } = window;
      const path = await started.linkFor({ organizationId: 1, uuid: testUuid(100) });
      await page.goto(path);
      await window.look('login-link');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Hello, Dana' }).waitFor();
      await window.look('meetings');
      await page.goto(path);
      await page.getByRole('heading', { name: 'This login link was already used' }).waitFor();
      await window.look('login-link-used');
    });

    test('a user signs in, chooses an organization and signs out with the keyboard only', async (t) => {
      const started = await site(t);
      const window = await open(t, started, look);
      const { page } = window;
      await page.goto('/');
      await window.look('sign-in');
      await page.getByLabel('Email address').focus();
      await page.keyboard.type('user-300@example.test');
      await page.keyboard.press('Tab');
      await page.keyboard.type('wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      await window.look('sign-in-problem');
      await page.getByLabel('Password').focus();
      await page.keyboard.type(password);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Your organizations' }).waitFor();
      await window.look('organizations');
      await page.getByRole('link', { name: 'Northwind Wellness' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Hello, First300' }).waitFor();
      await enter(page, page.locator('.account summary'));
      await enter(page, page.getByRole('button', { name: 'Sign out' }));
      await page.getByText('You are signed out.').waitFor();
      await window.look('signed-out');
      await page.goto('/nothing/here');
      await window.look('not-found');
    });
  });
}
