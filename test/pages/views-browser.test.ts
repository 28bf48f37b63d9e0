import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  axeViolations,
  colorViolations,
  type Scheme,
  sizes,
  takePicture,
  useBrowser,
} from '#test/support/look.js';
import { missingRoutes, startViews, type View } from '#test/support/page/views.js';

/** With `TEST_SCREENSHOTS=1`, takes a picture of each view at each width in each scheme, for people to look at. */
const takesPictures = process.env.TEST_SCREENSHOTS === '1';

const open = useBrowser();

/** The first scheme of each width is checked by all rules, the other by those about colors. */
const passes = [
  { width: 'desk', schemes: ['light', 'dark'] },
  { width: 'phone', schemes: ['dark', 'light'] },
] as const;

/** How many windows check views at the same time. */
const WINDOWS = 2;

test('Every view', async (t) => {
  const { site, views } = await startViews(t);

  await t.test('includes every page of the service, so that a new one is checked, too', () => {
    assert.deepEqual(missingRoutes(site.routes, views), []);
    const added = [...site.routes, { path: '/organizations/:id/new-page', methods: ['get'] }];
    assert.deepEqual(missingRoutes(added, views), ['/organizations/:id/new-page']);
  });

  await t.test('has no violation of axe and fits, on phones and desks, in light and dark', async (t) => {
    const left = [...views];
    const mistakes: string[] = [];
    const check = async (): Promise<void> => {
      const { page } = await open(t, site, { name: 'views', options: {} });
      for (let view = left.shift(); view !== undefined; view = left.shift())
        mistakes.push(...(await mistakesOf(page, view)));
    };
    await Promise.all(Array.from({ length: WINDOWS }, check));
    if (takesPictures) await takePicturesWithoutScript(t, site, views);
    assert.deepEqual(mistakes, []);
  });

  await t.test('would be found with a violation, also if only one scheme has it', async (t) => {
    const { page } = await open(t, site, { name: 'planted', options: {} });
    const [view] = views;
    assert.ok(view !== undefined);
    const plant = (html: string): View => ({
      ...view,
      name: 'planted',
      answer: {
        ...view.answer,
        headers: new Headers(),
        text: view.answer.text.replace('</main>', `${html}</main>`),
      },
    });
    const planted = {
      'image-alt': '<img src="/assets/logo.svg">',
      wider: '<p style="width:2000px">wide</p>',
      'desk in dark: color-contrast':
        '<style>@media (prefers-color-scheme: dark) and (min-width: 800px) { .pale { color: #222; background: #111 } }</style><p class="pale">pale</p>',
    };
    for (const [mistake, html] of Object.entries(planted)) {
      const found = await mistakesOf(page, plant(html));
      assert.ok(
        found.length > 0 && found.every((one) => one.includes(mistake)),
        `${mistake}: ${found.join()}`,
      );
    }
  });
});

/** The structures of the views that axe has checked: it would find nothing new in the same elements. */
const checkedStructures = new Set<string>();

/** What is wrong with the view at each width and in each scheme. */
async function mistakesOf(page: Page, view: View): Promise<readonly string[]> {
  await show(page, view);
  const mistakes: string[] = [];
  for (const { width, schemes } of passes) {
    await page.setViewportSize(sizes[width]);
    const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'));
    if (overflow > 0) mistakes.push(`${view.name}, ${width}: ${overflow} pixels wider than the window`);
    if (takesPictures) await takePictures(page, pictureOf(view, width), schemes);
  }
  const structure = structureOf(view);
  if (checkedStructures.has(structure)) return mistakes;
  checkedStructures.add(structure);
  await page.evaluate(shorten);
  for (const { width, schemes } of passes) {
    await page.setViewportSize(sizes[width]);
    for (const scheme of schemes) {
      await page.emulateMedia({ colorScheme: scheme });
      const find = scheme === schemes[0] ? axeViolations : colorViolations;
      const found = await find(page);
      mistakes.push(...found.map((mistake) => `${view.name}, ${width} in ${scheme}: ${mistake}`));
    }
  }
  return mistakes;
}

/** Its elements and attributes, without texts, addresses and ids. */
function structureOf({ answer, opens }: View): string {
  const elements = answer.text
    .replaceAll(/>[^<]*</g, '><')
    .replaceAll(/ (action|content|datetime|for|href|id|src|value|aria-[a-z]+|data-[a-z-]+)="[^"]*"/g, ' $1');
  return `${opens}${elements}`;
}

/** Keeps the first entries of long lists, tables and selects: the others are like them. */
const shorten = `for (const list of document.querySelectorAll('tbody, select, ol, ul'))
  for (const entry of [...list.children].slice(8)) entry.remove();`;

async function takePictures(page: Page, name: string, schemes: readonly Scheme[]): Promise<void> {
  for (const scheme of schemes) {
    await page.emulateMedia({ colorScheme: scheme });
    await takePicture(page, name, scheme);
  }
}

/** Shows the answer as it was received, at its address. */
async function show(page: Page, { path, answer, opens }: View): Promise<void> {
  const { status, text, headers } = answer;
  const shown = new URL(path, 'http://x');
  const isShown = ({ pathname }: URL): boolean => pathname === shown.pathname;
  await page.setViewportSize(sizes.desk);
  await page.route(isShown, (route) =>
    route.fulfill({ status, body: text, headers: Object.fromEntries(headers) }),
  );
  await page.goto(path);
  await page.unroute(isShown);
  if (opens !== undefined) await page.locator(opens).first().click();
}

async function takePicturesWithoutScript(
  t: TestContext,
  site: { readonly url: string },
  views: readonly View[],
): Promise<void> {
  const { page } = await open(t, site, { name: 'without script', options: { javaScriptEnabled: false } });
  for (const view of views) {
    await show(page, view);
    for (const [width, scheme] of [
      ['desk', 'light'],
      ['phone', 'dark'],
    ] as const) {
      await page.setViewportSize(sizes[width]);
      await page.emulateMedia({ colorScheme: scheme });
      await takePicture(page, pictureOf(view, `${width}-without-script`), scheme);
    }
  }
}

function pictureOf({ name }: View, width: string): string {
  return `view-${name.replaceAll(/[^\w]+/g, '-')}-${width}`;
}
