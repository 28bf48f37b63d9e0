import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { after, before, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startBrowser } from './browser.js';
import type { DatabaseKind } from './storage.js';

/** Where pictures of the pages go; git ignores it. */
export const screenshots = fileURLToPath(new URL('../../screenshots/', import.meta.url));

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

export const sizes = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 900 } } as const;

export interface Look {
  readonly name: string;
  readonly options: BrowserContextOptions;
}

/** For anything in a window. */
const STEP_TIMEOUT_MS = 15_000;

/** Each page must be whole in each of these. A journey through them all runs over every kind of storage. */
export const looks: readonly (Look & { readonly database: DatabaseKind })[] = [
  { name: 'desk', database: 'memory', options: { viewport: sizes.desk } },
  { name: 'phone', database: 'sqlite', options: { viewport: sizes.phone } },
  {
    name: 'desk without script',
    database: 'postgres',
    options: { viewport: sizes.desk, javaScriptEnabled: false },
  },
  {
    name: 'phone without script',
    database: 'memory',
    options: { viewport: sizes.phone, javaScriptEnabled: false },
  },
];

/** A window that lets nothing pass: no message in the console, no request to another host, nothing wider than it is. */
export interface Window {
  readonly page: Page;
  /** Checks what holds for every page, and keeps a picture. */
  look(name: string): Promise<void>;
}

export type OpenWindow = (
  context: TestContext,
  site: { readonly url: string },
  look: Look,
) => Promise<Window>;

/** One browser for all tests of the file that calls this; each window has a profile of its own. */
export function useBrowser(): OpenWindow {
  let browser: Browser;
  before(async () => {
    await mkdir(screenshots, { recursive: true });
    browser = await startBrowser();
  });
  after(() => browser.close());
  return (context, site, look) => open({ context, browser, site, look });
}

async function open({
  context,
  browser,
  site,
  look: { name: lookName, options },
}: {
  readonly context: TestContext;
  readonly browser: Browser;
  readonly site: { readonly url: string };
  readonly look: Look;
}): Promise<Window> {
  const profile = await browser.newContext({ ...options, baseURL: site.url });
  context.after(() => profile.close());
  profile.setDefaultTimeout(STEP_TIMEOUT_MS);
  const page = await profile.newPage();
  const messages: string[] = [];
  const elsewhere: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(error.message));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== site.url) elsewhere.push(request.url());
  });
  return {
    page,
    async look(name) {
      assert.deepEqual(
        messages.filter((message) => !isOwnStatus(message)),
        [],
        name,
      );
      assert.deepEqual(elsewhere, [], name);
      assert.equal(await page.locator('h1').count(), 1, `${name} has one h1`);
      if (options.javaScriptEnabled === false) return;
      await inEachScheme(page, async (scheme) => {
        const path = `${screenshots}${name}-${lookName}${scheme === 'dark' ? '-dark' : ''}.png`;
        await page.screenshot({ path, fullPage: true, animations: 'disabled' });
        // Half of the four, as each takes as long as all the rest: wide in light, narrow in dark.
        if ((options.viewport === sizes.desk) === (scheme === 'light'))
          assert.deepEqual(await barriers(page), [], `${name} in ${scheme}`);
      });
      const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      assert.ok(Number(overflow) <= 0, `${name} is ${overflow} pixels wider than the window`);
    },
  };
}

/** Without script the pages look the same: there are pictures with script only. */
async function inEachScheme(page: Page, step: (scheme: 'light' | 'dark') => Promise<void>): Promise<void> {
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await step(scheme);
  }
  await page.emulateMedia({ colorScheme: null });
}

/** What axe finds that keeps people out: its rule and where. */
async function barriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  return page.evaluate<string[]>(`axe.run().then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`);
}

/** Chromium itself notes every answer of 400 and above. */
function isOwnStatus(message: string): boolean {
  return message.startsWith('Failed to load resource: the server responded with a status of 4');
}
