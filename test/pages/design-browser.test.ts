import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { useBrowser } from '#test/support/look.js';
import { type DesignSite, startDesignSite } from '#test/support/page/design-site.js';
import { changedPixels, keepPicture } from '#test/support/pixels.js';

const open = useBrowser();
let site: DesignSite;
before(async () => {
  site = await startDesignSite();
});
after(() => site.stop());

const modes = [
  { name: 'light', media: { colorScheme: 'light', forcedColors: 'none' } },
  { name: 'dark', media: { colorScheme: 'dark', forcedColors: 'none' } },
  { name: 'forced colors', media: { colorScheme: 'light', forcedColors: 'active' } },
] as const;

/** One of each kind of control. */
const controls: Readonly<Record<string, (page: Page) => Locator>> = {
  brand: (page) => page.locator('.brand'),
  'organization menu': (page) => page.locator('.organizations summary'),
  'account menu': (page) => page.locator('.account summary'),
  section: (page) => page.locator('.sections a').first(),
  'current section': (page) => page.locator('.sections a[aria-current]'),
  'link to a part': (page) => page.locator('.on-this-page a').first(),
  'primary button': (page) => page.locator('.button.primary'),
  'secondary button': (page) => page.locator('button.secondary').first(),
  'quiet button': (page) => page.locator('main button.quiet').first(),
  'destructive link': (page) => page.locator('a.destructive'),
  'destructive button': (page) => page.locator('.confirm .destructive'),
  'small button': (page) => page.locator('.button.small').first(),
  link: (page) => page.locator('p > a').first(),
  'link in a banner': (page) => page.locator('.banner a'),
  field: (page) => page.locator('#text'),
  'field with a problem': (page) => page.locator('#wrong'),
  'read-only field': (page) => page.locator('#fixed'),
  'time field': (page) => page.locator('#time'),
  select: (page) => page.locator('#choice'),
  'text area': (page) => page.locator('#lines'),
  'ticked box': (page) => page.locator('#ticked'),
  'empty box': (page) => page.locator('#empty'),
  details: (page) => page.locator('main summary'),
  'scrolling text': (page) => page.locator('pre[tabindex]').first(),
  filter: (page) => page.locator('.filters a').first(),
  'link in a table': (page) => page.locator('table.data a').first(),
  'link to a page': (page) => page.locator('.pagination a').first(),
};

describe('The design in a browser', () => {
  for (const width of [320, 1280]) {
    test(`fits into ${width} pixels with long names, and has no violations of axe`, async (t) => {
      const options = { viewport: { width, height: 900 } };
      const window = await open(t, site, { name: String(width), options });
      await window.page.goto('/design');
      const header = await window.page.locator('.top-bar').boundingBox();
      assert.ok((header?.height ?? 0) < 64, `the header has more than one row: ${header?.height} px`);
      await window.look('design');
    });
  }

  test('every control has a focus ring with a contrast of 3:1, in light, dark and forced colors', async (t) => {
    const { page } = await open(t, site, {
      name: 'focus',
      options: { viewport: { width: 1280, height: 2600 } },
    });
    await page.goto('/design');
    const weak: string[] = [];
    for (const { name: mode, media } of modes) {
      await page.emulateMedia(media);
      // The ring shows after keys, not after the mouse.
      await page.keyboard.press('Tab');
      await page.evaluate('document.activeElement.blur()');
      await keepPicture(page);
      for (const [name, find] of Object.entries(controls)) {
        const control = find(page);
        await control.focus();
        const { width = 0, height = 0 } = (await control.boundingBox()) ?? {};
        const changed = await changedPixels(page, control);
        // WCAG 2.4.13: as large as a border of 2 pixels around the control. Its corners are round.
        const required = 4 * (width + height) * 0.9;
        if (changed < required) weak.push(`${name} (${mode}): ${changed} of ${Math.round(required)} pixels`);
      }
    }
    assert.deepEqual(weak, []);
  });

  test('a ticked box differs from an empty one in every mode', async (t) => {
    const { page } = await open(t, site, {
      name: 'boxes',
      options: { viewport: { width: 1280, height: 2600 } },
    });
    await page.goto('/design');
    for (const { name, media } of modes) {
      await page.emulateMedia(media);
      const box = page.locator('#ticked');
      await page.evaluate("document.getElementById('ticked').checked = false");
      await keepPicture(page);
      await page.evaluate("document.getElementById('ticked').checked = true");
      const changed = await changedPixels(page, box);
      assert.ok(changed >= 30, `${name}: ${changed} pixels`);
    }
  });

  test('menus open and close without the mouse, one at a time', async (t) => {
    const { page } = await open(t, site, {
      name: 'menus',
      options: { viewport: { width: 320, height: 700 } },
    });
    await page.goto('/design');
    const [organizations, account] = ['.organizations', '.account'].map((menu) => page.locator(menu)) as [
      Locator,
      Locator,
    ];
    const isOpen = async () => [
      await organizations.locator('.menu-panel').isVisible(),
      await account.locator('.menu-panel').isVisible(),
    ];
    await organizations.locator('summary').focus();
    await page.keyboard.press('Enter');
    assert.deepEqual(await isOpen(), [true, false]);
    const { x = -1, width = 0 } = (await organizations.locator('.menu-panel').boundingBox()) ?? {};
    assert.ok(x >= 0 && x + width <= 320, `the panel is from ${x} to ${x + width}`);
    await account.locator('summary').focus();
    await page.keyboard.press('Enter');
    assert.deepEqual(await isOpen(), [false, true]);
    await page.keyboard.press('Escape');
    assert.deepEqual(await isOpen(), [false, false]);
    assert.equal(await page.locator('.account summary:focus').count(), 1);
  });
});
