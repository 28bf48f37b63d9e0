import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { aMeeting, anOrganization, aUser } from '@rollcall/core/testing';
import type { Locator, Page } from 'playwright-core';
import { changedPixels, differentPixels, keepPicture } from '#test/pages/pixels.js';
import { cookiesOf, sizes, useBrowser } from '#test/support/look.js';
import { problemsOfView } from '#test/support/page/accessibility.js';
import {
  type DesignSite,
  longAddress,
  longName,
  people,
  rightToLeftName,
  startDesignSite,
} from '#test/support/page/design-site.js';
import { sampleOf, startFullSite, users } from '#test/support/page/routes.js';

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

const controlsWithEdges = [
  'primary button',
  'secondary button',
  'destructive link',
  'destructive button',
  'field',
  'field with a problem',
  'time field',
  'select',
  'text area',
  'ticked box',
  'empty box',
] as const;

async function openDesign(t: TestContext, viewport: { readonly width: number; readonly height: number }) {
  const window = await open(t, site, { name: 'design', options: { viewport } });
  await window.page.goto('/design');
  return window;
}

/** A window with everything in it. */
const whole = { width: 1280, height: 2600 };

describe('The design in a browser', () => {
  for (const width of [320, 1280]) {
    test(`fits into ${width} pixels with long names, and has no violations of axe`, async (t) => {
      const window = await openDesign(t, { width, height: 900 });
      const header = await window.page.locator('.top-bar').boundingBox();
      assert.ok((header?.height ?? 0) < 64, `the header has more than one row: ${header?.height} px`);
      await window.look('design');
      await window.checkSchemes('design');
    });
  }

  test('on a phone, texts that scroll show at which edge they have more, and every section is in view', async (t) => {
    const { page } = await openDesign(t, sizes.phone);
    const style = await page
      .locator('.copy pre')
      .first()
      .evaluate((element) => {
        const { backgroundImage, backgroundAttachment } = getComputedStyle(element);
        const isCut = element.scrollWidth > element.clientWidth;
        return { isCut, shades: backgroundImage.split('linear').length - 1, backgroundAttachment };
      });
    assert.deepEqual([style.isCut, style.shades], [true, 4]);
    assert.ok(
      style.backgroundAttachment.startsWith('local, local, scroll, scroll'),
      style.backgroundAttachment,
    );
    const sections = await page.locator('.sections a').all();
    assert.ok(sections.length > 3);
    for (const section of sections) {
      const { x = 0, width = 0 } = (await section.boundingBox()) ?? {};
      assert.ok(x >= 16 && x + width <= sizes.phone.width, `${await section.innerText()} begins at ${x}`);
    }
  });

  test('an address breaks after the slashes of its path, and elsewhere only in a part that is wider than a line', async (t) => {
    const { page } = await openDesign(t, sizes.phone);
    const address = page.locator('#address');
    assert.equal(await address.textContent(), longAddress);
    const parts = await address.locator('.url > span').evaluateAll((all) =>
      all.map((part) => {
        const range = part.ownerDocument.createRange();
        range.selectNodeContents(part);
        return { text: part.textContent, lines: range.getClientRects().length };
      }),
    );
    assert.deepEqual(
      parts.map(({ text, lines }) => [text?.slice(0, 12), lines === 1]),
      [
        ['https://nort', true],
        ['calendar/', true],
        ['grief-and-lo', true],
        ['N-N-N-N-N-N-', false],
      ],
    );
  });

  test('on a phone, the titles of a table take no more room than the longest of them', async (t) => {
    const { page } = await openDesign(t, sizes.phone);
    const [title, value] = await page
      .locator('table.data td')
      .first()
      .evaluate((cell) => {
        const range = cell.ownerDocument.createRange();
        range.selectNodeContents(cell);
        return [cell.getBoundingClientRect().x, range.getBoundingClientRect().x];
      });
    const width = (value ?? 0) - (title ?? 0);
    assert.ok(width > 40 && width < 90, `${width} pixels`);
  });

  test('codes, keys and addresses have letters of one width, and do not make their line taller', async (t) => {
    const { page } = await openDesign(t, sizes.desk);
    const fonts = await page
      .locator('#copied, #address, #command, p > code, #lines')
      .evaluateAll((all) =>
        all.map((code) => getComputedStyle(code).fontFamily.split(', ').includes('monospace')),
      );
    assert.deepEqual(fonts, [true, true, true, true, true]);
    const heights = await page.locator('main').evaluate((main) => {
      const line = main.ownerDocument.createElement('p');
      line.textContent = 'A line';
      main.append(line);
      const without = line.clientHeight;
      line.append(' with ', main.ownerDocument.createElement('code'));
      line.lastElementChild?.append('code');
      const withCode = line.clientHeight;
      // In every place of a line, also at its end.
      line.lastElementChild?.replaceChildren('?erase=1');
      const range = main.ownerDocument.createRange();
      let pieces = 1;
      for (let words = 0; words < 200; words += 1) {
        line.prepend('x ');
        range.selectNodeContents(line.lastElementChild ?? line);
        pieces = Math.max(pieces, range.getClientRects().length);
      }
      return { withCode, without, pieces };
    });
    assert.equal(heights.pieces, 1);
    assert.equal(heights.withCode, heights.without);
  });

  test('axe finds text outside the landmarks, and targets that are too small', async (t) => {
    const window = await openDesign(t, sizes.desk);
    await window.page.evaluate(`['p', 'button', 'button'].forEach((name, index) => {
      const element = document.body.appendChild(document.createElement(name));
      element.textContent = name;
      Object.assign(element.style, { position: 'fixed', left: 10 * index + 'px', top: '0', zIndex: '9' });
      if (name === 'button') Object.assign(element.style, { width: '10px', height: '10px', padding: '0' });
    })`);
    await assert.rejects(window.checkSchemes('planted'), /region: .*target-size: |target-size: .*region: /s);
  });

  test('every page fits 320 pixels without script, with right-to-left names, large targets, no motion and forced colors', async (t) => {
    const full = await startFullSite(t);
    const owner = await full.signedIn(users.owner);
    await full.core.createCalendarFeed({ organizationId: 1, userId: users.owner });
    const name = { firstName: rightToLeftName, lastName: longName };
    await full.load({
      organizations: [anOrganization(1, { name: rightToLeftName })],
      users: [users.owner, users.admin, users.member].map((id) => aUser(id, name)),
      meetings: [
        aMeeting(1, {
          startTime: new Date('2026-11-25T18:00:00.000Z'),
          name: `${rightToLeftName} ${longName}`,
        }),
      ],
    });
    const { page } = await open(t, full, {
      name: 'every page',
      options: {
        viewport: { width: 320, height: 700 },
        javaScriptEnabled: false,
        reducedMotion: 'reduce',
        forcedColors: 'active',
      },
    });
    await page.context().addCookies(cookiesOf(owner, full));
    const mistakes: string[] = [];
    let count = 0;
    for (const { path, methods } of full.routes) {
      if (!methods.includes('get') || path.startsWith('/assets')) continue;
      const url = await sampleOf(full, path);
      const { headers, location } = await owner.open(url);
      if (location !== null || !headers.get('content-type')?.startsWith('text/html')) continue;
      await page.goto(url);
      count += 1;
      mistakes.push(...(await problemsOfView(page)).map((mistake) => `${path}: ${mistake}`));
    }
    assert.ok(count > 25, `${count} pages`);
    assert.deepEqual(mistakes, []);
  });

  for (const javaScriptEnabled of [true, false]) {
    const name = javaScriptEnabled ? 'with script' : 'without script';
    test(`a refused form is shown with the focus at its problem, or at the list of several (${name})`, async (t) => {
      const full = await startFullSite(t);
      const owner = await full.signedIn(users.owner);
      const options = { viewport: sizes.phone, javaScriptEnabled };
      const { page } = await open(t, full, { name, options });
      const hasFocus = (control: string) => page.locator(`${control}:focus`).waitFor();

      await page.goto('/sign-in');
      await page.getByLabel('Email address').fill('nobody@example.test');
      await page.keyboard.press('Enter');
      await hasFocus('#password[aria-invalid]');
      await page.getByLabel('Password').fill('wrong');
      await page.keyboard.press('Enter');
      await hasFocus('.banner[role="alert"]');

      await page.context().addCookies(cookiesOf(owner, full));
      await page.goto(`/organizations/1/people?search=${'x'.repeat(301)}`);
      await hasFocus('#search[aria-invalid]');

      await page.goto('/organizations/1/people');
      await page.getByRole('link', { name: 'Invite', exact: true }).click();
      await page.getByLabel('Email address').fill('nobody');
      await page.keyboard.press('Enter');
      await hasFocus('.problems');
      assert.match(
        await page.locator('.problems').innerText(),
        /^There are 3 problems\s+Enter a valid email address\s+First name/,
      );
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await hasFocus('#first_name');
    });
  }

  test('screen readers hear what was copied, how many were found, and the notice after a form', async (t) => {
    const full = await startFullSite(t);
    const owner = await full.signedIn(users.owner);
    const { page } = await open(t, full, { name: 'heard', options: { viewport: sizes.desk } });
    await page.addInitScript(`
      globalThis.heard = '';
      new MutationObserver((changes) => {
        for (const { target, addedNodes } of changes)
          if (target instanceof Element && target.closest('[role=status]') !== null && document.readyState === 'complete')
            globalThis.heard += [...addedNodes].map(({ textContent }) => textContent).join('');
      }).observe(document, { childList: true, subtree: true });`);
    const hear = async (text: string) => {
      for (let tries = 0; !(await page.evaluate<string>('globalThis.heard')).includes(text); tries += 1) {
        assert.ok(tries < 100, `${text} was not heard`);
        await pause(50);
      }
    };
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto('/docs/guide/quick-start');
    const [button] = await page.getByRole('button', { name: 'Copy: ' }).all();
    await button?.click();
    await hear('Copied: ');
    await page.context().addCookies(cookiesOf(owner, full));
    // On a slow connection, the page is there before its pictures are.
    await page.route('**/assets/logo*', async (route) => {
      await pause(500);
      await route.continue();
    });
    await page.goto('/organizations/1/people?search=Gil');
    await hear('1 person with “Gil”');
    await page.unroute('**/assets/logo*');
    await page.goto('/organizations/1/people?role=admin');
    await hear('1 admin');
    await full.invite({ email: 'ada@example.test', firstName: 'Ada' });
    await page.goto('/organizations/1/invitations?search=ada');
    await hear('1 invitation with “ada”');
    await page.goto('/organizations/1/invitations?state=revoked');
    await hear('No revoked or expired invitations');
    await page.goto('/organizations/1/webhooks?state=delivered');
    await hear('1 successful delivery');
    await page.goto('/organizations/1/settings');
    await page.getByLabel('Time zone', { exact: true }).selectOption('Europe/Berlin');
    await page.getByRole('button', { name: 'Save the time zone' }).click();
    await hear('Time zone saved.');
  });

  test('tables keep their headings on a phone, where they look like cards', async (t) => {
    const { page } = await openDesign(t, sizes.phone);
    const session = await page.context().newCDPSession(page);
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    const named = (role: string) =>
      nodes.filter((node) => node.role?.value === role).map(({ name }) => name?.value);
    assert.deepEqual(named('columnheader'), ['Person', 'Role', 'Seats']);
    assert.deepEqual(
      named('rowheader'),
      people.map(({ name }) => name),
    );
  });

  // In forced colors, `forced-colors-browser` looks for the rings of all controls.
  test('every control has a focus ring with a contrast of 3:1, in light and dark', async (t) => {
    const { page } = await openDesign(t, whole);
    const weak: string[] = [];
    for (const { name: mode, media } of modes.slice(0, 2)) {
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

  test('every field and button shows its edge with a contrast of 3:1, in light, dark and forced colors', async (t) => {
    const { page } = await openDesign(t, whole);
    const weak: string[] = [];
    for (const { name: mode, media } of modes) {
      await page.emulateMedia(media);
      await page.evaluate('document.activeElement.blur()');
      await keepPicture(page);
      const edged = controlsWithEdges.map((name) => ({
        name,
        control: controls[name]?.(page) ?? assert.fail(name),
      }));
      const show = (visibility: string) =>
        Promise.all(
          edged.map(({ control }) =>
            control.evaluate((element, to) => element.style.setProperty('visibility', to), visibility),
          ),
        );
      await show('hidden');
      await keepPicture(page);
      for (const { name, control } of edged) {
        const { width = 0, height = 0 } = (await control.boundingBox()) ?? {};
        const changed = await differentPixels(page, control);
        const required = 2 * (width + height) * 0.9;
        if (changed < required) weak.push(`${name} (${mode}): ${changed} of ${Math.round(required)} pixels`);
      }
      await show('');
    }
    assert.deepEqual(weak, []);
  });

  test('a ticked box differs from an empty one in every mode, and by its tick', async (t) => {
    const { page } = await openDesign(t, whole);
    const ids = ['ticked', 'listed'];
    const setBoth = (assignment: string) =>
      page.evaluate(ids.map((id) => `document.getElementById('${id}').${assignment}`).join(';'));
    const assertDiffer = async (least: number, about: string) => {
      for (const id of ids) {
        const changed = await differentPixels(page, page.locator(`#${id}`));
        assert.ok(changed >= least, `${id} (${about}): ${changed} pixels`);
      }
    };
    for (const { name, media } of modes) {
      await page.emulateMedia(media);
      await setBoth('checked = false');
      await keepPicture(page);
      await setBoth('checked = true');
      await keepPicture(page);
      await assertDiffer(30, name);
      // The system draws its own.
      if (media.forcedColors === 'active') continue;
      await setBoth("style.backgroundImage = 'none'");
      await keepPicture(page);
      await assertDiffer(20, `${name}, the tick`);
      await setBoth("style.backgroundImage = ''");
    }
  });

  test('menus open and close without the mouse, one at a time', async (t) => {
    const { page } = await openDesign(t, { width: 320, height: 700 });
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
