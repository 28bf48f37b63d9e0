import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import type { Page } from 'playwright-core';
import { copied } from '#test/support/clipboard.js';
import { enter, tabTo, typeInto } from '#test/support/keyboard.js';
import { desk, useBrowser } from '#test/support/look.js';
import { type PageSite, password, startSiteOf } from '#test/support/page/site.js';

const open = useBrowser();
/** User 100 owns organization 1 alone, 101 and 104 belong to it, 102 belongs to none. */
async function site(context: TestContext): Promise<PageSite> {
  const people = { 100: ['owner', 1], 101: ['member', 1], 102: ['member'] } as const;
  const started = await startSiteOf(context, people);
  await started.load({
    users: [
      aUser(104, {
        firstName: 'نور <b>',
        lastName: 'W'.repeat(300),
        email: `${'w'.repeat(64)}@example.test`,
      }),
    ],
    memberships: [{ organizationId: 1, userId: 104, role: 'admin', idpId: 'idp-<i>104</i>' }],
  });
  return started;
}

/** Signs in with the keyboard only. */
async function signIn(page: Page, id = 100): Promise<void> {
  await page.goto('/sign-in');
  await typeInto(page, page.getByLabel('Email address'), aUser(id).email);
  await typeInto(page, page.getByLabel('Password'), password);
  await page.keyboard.press('Enter');
  await page.getByText('Account:').waitFor({ state: 'attached' });
}

/** Presses the first link or button with this name, with the keyboard only. */
function press(page: Page, role: 'link' | 'button', name: string | RegExp): Promise<void> {
  return enter(page, page.getByRole(role, { name }).first());
}

describe('In a browser', () => {
  test('"/" leads to the search field and "?" lists the keys, until the reader turns them off', async (t) => {
    const window = await open(t, await site(t), desk);
    const { page } = window;
    await signIn(page);
    const [search, keys] = [
      page.getByLabel('Search meetings'),
      page.getByRole('dialog', { name: 'Keyboard shortcuts' }),
    ];
    // Without a search field, the key is the browser's.
    await page.keyboard.press('/');
    await page.goto('/organizations/1/all-meetings?search=none');
    await page.keyboard.press('/');
    assert.equal(await page.evaluate("document.activeElement.id === 'search'"), true);
    await page.keyboard.type('a/b?');
    assert.equal(await search.inputValue(), 'a/b?');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('?');
    await keys.waitFor();
    await window.look('keys');
    await keys.getByRole('checkbox').uncheck();
    await page.keyboard.press('Escape');
    assert.equal(await keys.isVisible(), false);
    await page.reload();
    for (const key of ['?', '/']) await page.keyboard.press(key);
    assert.equal(await keys.isVisible(), false);
    assert.equal(await page.evaluate("document.activeElement.id === 'search'"), false);
    await page.locator('details.account summary').click();
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await keys.getByRole('checkbox').check();
    await keys.getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('?');
    await keys.waitFor();
  });

  test('an owner generates, copies and replaces the access key with the keyboard only', async (t) => {
    const started = await site(t);
    const window = await open(t, started, desk);
    const { page } = window;
    await signIn(page);
    assert.equal(page.url(), `${started.url}/organizations/1`);
    await window.look('organization-new');
    await press(page, 'link', 'Generate the access key');
    await press(page, 'button', 'Generate the access key');
    await page.getByRole('heading', { name: 'Your new access key' }).waitFor();
    const key = (await page.locator('#access-key').textContent()) ?? '';
    assert.match(key, /^\d{24}$/);
    await window.look('access-key-shown');
    const name = 'Copy: Access key';
    assert.equal(await copied(page, name, () => press(page, 'button', name)), key);
    await started.core.authenticate({ accessKey: key, address: 'a test' });

    await press(page, 'link', 'I have copied it');
    await page.getByRole('link', { name: 'Replace the access key' }).waitFor();
    await window.look('organization');
    assert.ok(!(await page.content()).includes(key));
    await press(page, 'link', 'Replace the access key');
    await page.getByRole('heading', { name: 'Replace the access key?' }).waitFor();
    await window.look('access-key-replace');
    await tabTo(page, page.getByRole('button', { name: 'Replace the access key' }));
    await page.keyboard.press('Space');
    await page.getByRole('heading', { name: 'Your new access key' }).waitFor();
    const other = (await page.locator('#access-key').textContent()) ?? '';
    assert.notEqual(other, key);
    await started.core.authenticate({ accessKey: other, address: 'a test' });
  });

  test('the access key is not shown after going back or after a reload, which replaces nothing', async (t) => {
    const started = await site(t);
    const { page, look: lookAt } = await open(t, started, desk);
    await signIn(page);
    await page.goto('/organizations/1/settings');
    await page.getByRole('button', { name: 'Generate the access key' }).click();
    const key = (await page.locator('#access-key').textContent()) ?? '';
    // What a browser does when it keeps the page in its cache for going back.
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))");
    assert.ok(!(await page.content()).includes(key));
    const { accessKeyGeneration: before } = (await started.core.listOrganizations())[0] ?? {};
    await page.reload();
    await page.getByRole('heading', { name: 'The access key can’t be shown again' }).waitFor();
    await lookAt('access-key-again');
    await page.goto('/organizations/1');
    await page.goBack();
    await page.getByRole('heading', { name: 'The access key can’t be shown again' }).waitFor();
    assert.ok(!(await page.content()).includes(key));
    await page.goto('/organizations/1/activity');
    const { accessKeyGeneration: after } = (await started.core.listOrganizations())[0] ?? {};
    assert.equal(after, before);
    await started.core.authenticate({ accessKey: key, address: 'a test' });
  });
});
