import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { cookiesOf, desk, useBrowser } from '#test/support/look.js';
import { page as log, testPage, withWebhook } from '#test/support/page/webhook-site.js';

const organization = '/organizations/1';
const open = useBrowser();

/** A window of an admin, whose organization has something in each list. */
async function site(context: TestContext): Promise<Page> {
  const { started, client, register } = await withWebhook(context);
  for (const name of ['Ada', 'Bea']) await register(name);
  for (const email of ['cy@example.test', 'di@example.test']) await started.invite({ email });
  const { page } = await open(context, started, desk);
  await page.context().addCookies(cookiesOf(client, started));
  return page;
}

async function boxOf(part: Locator) {
  const { x = 0, y = 0, width = 0, height = 0 } = (await part.boundingBox()) ?? {};
  return { x, y, width, height };
}

describe('On a desk', () => {
  test('each list begins on the first screen, with its search in one line', async (t) => {
    const page = await site(t);
    for (const path of [`${organization}/people`, `${organization}/invitations`, log]) {
      await page.goto(path);
      const row = await boxOf(page.locator('table.data tbody tr').first());
      assert.ok(
        row.height > 0 && row.y + row.height < 900,
        `${path}: the first row ends at ${row.y + row.height}`,
      );
      assert.ok(row.height <= 48, `${path}: a row has ${row.height} pixels`);
      if (path === log) continue;
      const field = await boxOf(page.getByLabel(/^Search /));
      const button = await boxOf(page.getByRole('button', { name: 'Search' }));
      assert.ok(Math.abs(field.y - button.y) < 1 && Math.abs(field.height - button.height) < 1, path);
    }
  });

  test('the sections stay where they are, whichever is open', async (t) => {
    const page = await site(t);
    const places = new Set<string>();
    for (const path of ['', '/meetings', '/all-meetings', '/webhooks', '/people']) {
      await page.goto(`${organization}${path}`);
      const links = await page.locator('.sections a').all();
      places.add((await Promise.all(links.map(async (link) => (await boxOf(link)).x.toFixed(1)))).join(' '));
    }
    assert.equal(places.size, 1, [...places].join('\n'));
  });

  test('a test of the webhook leaves the page where it is, and its result is in view', async (t) => {
    const page = await site(t);
    await page.goto(testPage);
    await page.getByRole('button', { name: 'Send a test' }).click();
    const result = page.getByRole('status').getByText('Answered 200');
    await result.waitFor();
    assert.deepEqual([await page.evaluate('scrollY'), new URL(page.url()).hash], [0, '']);
    const { y, height } = await boxOf(result);
    assert.ok(y > 0 && y + height < 900);
  });

  test('paper has the list, and nothing to press', async (t) => {
    const page = await site(t);
    await page.goto(`${organization}/invitations`);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const isShown = (selector: string) => page.locator(selector).first().isVisible();
    assert.equal(await isShown('table.data tbody tr'), true);
    for (const selector of ['.sections', '.menu', '.filters', 'search', 'main .actions'])
      assert.equal(await isShown(selector), false, selector);
    const colors = await page.evaluate('getComputedStyle(document.querySelector("table.data td")).color');
    assert.equal(colors, 'rgb(45, 49, 56)', 'in the colors of light mode');
  });
});
