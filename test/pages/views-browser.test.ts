import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { axeViolations, type Look, type Scheme, sizes, takePicture, useBrowser } from '#test/support/look.js';
import { missingRoutes, startViews, type View } from '#test/support/page/views.js';

/** With `TEST_SCREENSHOTS=1`, takes a picture of each view at each width in each scheme, for people to look at. */
const takesPictures = process.env.TEST_SCREENSHOTS === '1';

const open = useBrowser();

/** Each width with the scheme in which axe checks it. */
const passes = [
  { width: 'desk', scheme: 'light' },
  { width: 'phone', scheme: 'dark' },
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

  await t.test('has no violation of axe and fits, on desks in light and on phones in dark', async (t) => {
    const left = [...views];
    const mistakes: string[] = [];
    const check = async (): Promise<void> => {
      const page = await openAt(t, site, { name: 'views', options: {} });
      for (let view = left.shift(); view !== undefined; view = left.shift())
        mistakes.push(...(await mistakesOf(page, view)));
    };
    await Promise.all(Array.from({ length: WINDOWS }, check));
    if (takesPictures) await takePicturesWithoutScript(t, site, views);
    assert.deepEqual(mistakes, []);
  });

  await t.test('would be found with a violation, also if only one scheme has it', async (t) => {
    // What is planted has styles of its own.
    const page = await openAt(t, site, { name: 'planted', options: { bypassCSP: true } });
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
      'phone in dark: color-contrast':
        '<style>@media (prefers-color-scheme: dark) { .pale { color: #222; background: #111 } }</style><p class="pale">pale</p>',
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

/** A window at an address of the site, so that it loads the styles and scripts of the views. */
async function openAt(t: TestContext, site: { readonly url: string }, look: Look): Promise<Page> {
  const { page } = await open(t, site, look);
  await page.goto('/sign-in');
  return page;
}

/** The kinds of elements that axe has checked: it would find nothing new in a view without another one. */
const checkedKinds = new Set<string>();

/** What is wrong with the view at each width and in each scheme. */
async function mistakesOf(page: Page, view: View): Promise<readonly string[]> {
  const kinds = await page.evaluate(kindsOfElements, view.answer.text);
  const hasNew = view.opens !== undefined || kinds.some((kind) => !checkedKinds.has(kind));
  for (const kind of kinds) checkedKinds.add(kind);
  await show(page, view);
  const mistakes: string[] = [];
  for (const { width } of passes) {
    await page.setViewportSize(sizes[width]);
    const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'));
    if (overflow > 0) mistakes.push(`${view.name}, ${width}: ${overflow} pixels wider than the window`);
    if (takesPictures) await takePictures(page, pictureOf(view, width), ['light', 'dark']);
  }
  if (!hasNew) return mistakes;
  await page.evaluate(shorten);
  for (const { width, scheme } of passes) {
    await page.setViewportSize(sizes[width]);
    await page.emulateMedia({ colorScheme: scheme });
    const found = await axeViolations(page);
    mistakes.push(...found.map((mistake) => `${view.name}, ${width} in ${scheme}: ${mistake}`));
  }
  return mistakes;
}

/** Each kind of element in its place, by what axe looks at, and the order of the headings. */
function kindsOfElements(html: string): readonly string[] {
  const page = new DOMParser().parseFromString(html, 'text/html');
  const nameOf = (element: Element | null | undefined) =>
    `${element?.localName}.${element?.getAttribute('class')}`;
  const kindOf = (element: Element) => {
    const attributes = element
      .getAttributeNames()
      .filter((name) => /^(?:alt|aria-.*|headers|hidden|href|lang|role|scope|tabindex|title)$/.test(name));
    const { parentElement: parent } = element;
    const parents = [nameOf(parent), nameOf(parent?.parentElement)];
    const states = ['role', 'type'].map((name) => element.getAttribute(name));
    return [nameOf(element), ...states, attributes.sort(), ...parents].join();
  };
  const headings = [...page.querySelectorAll('h1, h2, h3, h4')].map(({ localName }) => localName).join();
  const kinds = [...page.querySelectorAll('body *')].map(kindOf);
  return [headings.replaceAll(/(h[23],)\1+/g, '$1').replaceAll(/(h2,h3,)\1+/g, '$1'), ...new Set(kinds)];
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

/** How many views were shown. */
let shown = 0;

/**
 * Puts the page into the window, whose address stays: loading a page, and axe with it, takes longer than all the checks.
 * Modules run once for each address, so theirs gets a number.
 */
async function show(page: Page, { answer, opens }: View): Promise<void> {
  shown += 1;
  await page.setViewportSize(sizes.desk);
  await page.setContent(answer.text.replaceAll(/<script[^>]* src="[^"?]*/g, `$&?${shown}`));
  if (opens !== undefined) await page.locator(opens).first().click();
}

async function takePicturesWithoutScript(
  t: TestContext,
  site: { readonly url: string },
  views: readonly View[],
): Promise<void> {
  const page = await openAt(t, site, { name: 'without script', options: { javaScriptEnabled: false } });
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
