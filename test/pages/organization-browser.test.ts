import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { anOrganization, aUser } from '@rollcall/core/testing';
import type { Locator, Page } from 'playwright-core';
import { copied } from '#test/support/clipboard.js';
import { enter, tabTo, typeInto } from '#test/support/keyboard.js';
import { desk, useBrowser } from '#test/support/look.js';
import { type PageSite, startPageSite } from '#test/support/page/site.js';

const password = 'a good password';

const open = useBrowser();
/** Enough people to fill more than one window. */
const many = Array.from({ length: 16 }, (_, index) => 200 + index);

/** User 100 owns organization 1 alone, 101 and 104 belong to it, 102 belongs to none. */
async function site(context: TestContext): Promise<PageSite> {
  const started = await startPageSite(context);
  await started.load({
    organizations: [anOrganization(1, { name: 'Northwind Wellness' })],
    users: [
      aUser(104, {
        firstName: 'نور <b>',
        lastName: 'W'.repeat(300),
        email: `${'w'.repeat(64)}@example.test`,
      }),
    ],
    memberships: [{ organizationId: 1, userId: 104, role: 'admin', idpId: 'idp-<i>104</i>' }],
  });
  await started.addUser({ id: 100, password, organizations: [1], role: 'owner' });
  await started.addUser({ id: 101, password, organizations: [1] });
  await started.addUser({ id: 102, password, organizations: [] });
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

/** The element is visible without scrolling. */
async function expectVisible(page: Page, what: Locator): Promise<void> {
  const { y = -1 } = (await what.boundingBox()) ?? {};
  const { height = 0 } = page.viewportSize() ?? {};
  assert.ok(y >= 0 && y < height, `${y} of ${height}`);
}

describe('In a browser', () => {
  test('an owner generates, copies and replaces the access key with the keyboard only', async (t) => {
    const started = await site(t);
    const window = await open(t, started, desk);
    const { page } = window;
    await signIn(page);
    assert.equal(page.url(), `${started.url}/organizations/1`);
    await window.look('organization-new');
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

  test('an owner sets the time zone and reads who did what', async (t) => {
    const started = await site(t);
    const window = await open(t, started, desk);
    const { page } = window;
    await started.core.generateAccessKey({
      organizationId: 1,
      by: { who: { kind: 'program' }, from: '2001:db8:85a3:8d3:1319:8a2e:370:7348' },
    });
    await started.invite({ email: `${'long'.repeat(16)}@example.test` });
    await signIn(page);
    await page.getByLabel('Time zone', { exact: true }).selectOption('Europe/Berlin');
    await page.getByRole('button', { name: 'Save the time zone' }).click();
    await page.getByText('Time zone saved.').waitFor();
    await window.look('organization-saved');
    await page.getByRole('link', { name: 'All activity' }).click();
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
    await page.getByText('Changed the time zone of exports').waitFor();
    await window.look('activity');
  });

  test('an owner invites someone, changes their role, and removes them', async (t) => {
    const started = await site(t);
    await started.load({
      users: many.map((id) => aUser(id)),
      memberships: many.map((userId) => ({ organizationId: 1, userId, role: 'member', idpId: null })),
    });
    const window = await open(t, started, desk);
    const { page } = window;
    await signIn(page);
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('heading', { name: 'People', exact: true }).waitFor();
    await window.look('people');
    await typeInto(page, page.getByLabel('Search people'), 'FIRST21 last');
    await page.keyboard.press('Enter');
    await page.getByText('6 people with “FIRST21 last”').waitFor();
    await window.look('people-found');
    await press(page, 'link', 'Show everyone');
    await page.getByText('19 people, owners first').waitFor();
    await page.getByLabel('Search people').fill('grüne\u202etür');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No one matches').waitFor();
    await window.look('people-nobody');
    await page.getByLabel('Search people').fill('x'.repeat(301));
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('Search must have at most 300 characters').waitFor();
    await window.look('people-search-problem');
    await page.getByRole('link', { name: 'Show everyone' }).click();
    await page.getByText('Invite someone').click();
    await page.getByLabel('Email address').fill('nobody');
    await page.getByRole('button', { name: 'Invite' }).click();
    const problem = page.getByText('Enter a valid email address').first();
    await problem.waitFor();
    await expectVisible(page, problem);
    await window.look('people-problem');
    await page.getByLabel('Email address').fill(aUser(102).email);
    await page.getByLabel('First name').fill('First102');
    await page.getByLabel('Last name').fill('Last102');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByText('The invitation is ready.').waitFor();
    const url = (await page.locator('#invitation-url').textContent()) ?? '';
    const guest = started.visitor();
    assert.equal((await guest.fillIn(new URL(url).pathname, { password })).status, 303);
    await page.goto('/organizations/1/people/102');
    await window.look('member');
    await page.getByRole('combobox', { name: 'Role' }).selectOption('owner');
    await page.getByRole('button', { name: 'Save the role' }).click();
    await page.getByText('Role changed.').waitFor();
    await page.getByRole('link', { name: 'Remove from the organization' }).click();
    await page.getByRole('heading', { name: 'Remove First102 Last102?' }).waitFor();
    await window.look('member-remove');
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('is no longer a member of the organization.').waitFor();
    await page.getByRole('link', { name: 'First100 Last100' }).last().click();
    await page.getByText('This is you').waitFor();
    await page.getByRole('combobox', { name: 'Role' }).selectOption('member');
    await page.getByRole('button', { name: 'Save the role' }).click();
    await page.getByText('This is the last owner. Make someone else an owner first').waitFor();
    await window.look('last-owner');
  });

  test('a user with a password changes it', async (t) => {
    const started = await site(t);
    const window = await open(t, started, desk);
    const { page } = window;
    await signIn(page, 101);
    await enter(page, page.locator('.account summary'));
    await press(page, 'link', 'Your account');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await window.look('account');
    await page.getByLabel('Current password').fill('wrong');
    await page.getByLabel('New password').fill('a better password');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('Current password is wrong').waitFor();
    await window.look('account-problem');
    await page.getByLabel('Current password').fill(password);
    await page.getByLabel('New password').fill('a better password');
    await page.keyboard.press('Enter');
    await page.getByText('Password changed.').waitFor();
    await window.look('account-changed');
  });

  test('a member of several organizations chooses one, and switches', async (t) => {
    const started = await site(t);
    await started.load({
      organizations: [anOrganization(2, { name: 'Contoso <b>Care</b> & Sons' })],
      memberships: [{ organizationId: 2, userId: 100, role: 'member', idpId: null }],
    });
    const window = await open(t, started, desk);
    const { page } = window;
    await signIn(page);
    await page.getByRole('heading', { name: 'Your organizations' }).waitFor();
    await window.look('organizations-roles');
    await press(page, 'link', /Contoso <b>Care<\/b>/);
    await page.getByRole('heading', { name: 'Hello, First100' }).waitFor();
    await enter(page, page.locator('.organizations summary'));
    await press(page, 'link', /Northwind Wellness/);
    await page.getByRole('heading', { name: 'Northwind Wellness' }).waitFor();
    await window.look('organization-of-several');
  });
});
