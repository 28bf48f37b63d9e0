import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { sizes, useBrowser } from '#test/support/look.js';
import { manyPath, startInvitationSite } from '#test/support/page/invitation-site.js';
import { password } from '#test/support/page/site.js';

const MINUTE_MS = 60_000;
const open = useBrowser();
const desk = { name: 'desk', options: { viewport: sizes.desk } };
const phone = { name: 'phone', options: { viewport: sizes.phone } };
const people = 'ada@example.test, Ada, Byron';

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Email address').fill('user-100@example.test');
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByLabel('People').waitFor();
}

test('Twelve hours after signing in, the password prolongs the session in another tab, and what was typed is not lost', async (t) => {
  const { site } = await startInvitationSite(t);
  const window = await open(t, site, desk);
  const { page } = window;
  await page.clock.install();
  await page.goto(manyPath);
  await signIn(page);
  // Visits every 29 minutes leave 24 of the 12 hours.
  for (let visits = 0; visits < 24; visits += 1) {
    site.clock.advance(29 * MINUTE_MS);
    await page.request.get('/session');
  }
  await page.goto(manyPath);
  await page.getByLabel('People').fill(people);
  site.clock.advance(22.5 * MINUTE_MS);
  await page.clock.runFor(22.5 * MINUTE_MS);
  const stay = page.getByRole('button', { name: 'Stay signed in' });
  await stay.focus();
  await page.keyboard.press('Enter');
  const enter = page.getByRole('button', { name: 'Enter your password' });
  await page.getByRole('alert').filter({ hasText: 'To stay for longer, enter your password' }).waitFor();
  assert.ok(await enter.evaluate((button) => button.matches(':focus')));
  assert.equal(await stay.isVisible(), false);
  await window.look('session-needs-password');
  await window.checkSchemes('session-needs-password');

  const opened = page.context().waitForEvent('page');
  await page.keyboard.press('Enter');
  const other = await opened;
  await other.getByLabel('Password').fill(password);
  await other.keyboard.press('Enter');
  await other.getByRole('heading', { name: 'Go on where you were' }).waitFor();
  await enter.waitFor({ state: 'hidden' });
  assert.equal(await page.getByLabel('People').inputValue(), people);
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByText('We kept what you typed: check it, then send it.').waitFor();
  assert.equal(await page.getByLabel('People').inputValue(), people);
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('heading', { name: 'Invited 1 person' }).waitFor();
});

test('Two minutes before it ends, a session can be prolonged, and what was typed is not lost', async (t) => {
  const { site } = await startInvitationSite(t);
  const window = await open(t, site, phone);
  const { page } = window;
  await page.clock.install();
  const pass = async (minutes: number) => {
    site.clock.advance(minutes * MINUTE_MS);
    await page.clock.runFor(minutes * MINUTE_MS);
  };
  const warning = page
    .getByRole('alert')
    .filter({ hasText: 'You will be signed out in less than 2 minutes.' });
  const stay = page.getByRole('button', { name: 'Stay signed in' });
  await page.goto(manyPath);
  await signIn(page);
  await page.getByLabel('People').fill(people);

  await pass(27.5);
  assert.equal(await stay.isVisible(), false);
  await pass(0.75);
  await warning.waitFor();
  await window.look('session-ends');
  await window.checkSchemes('session-ends');
  await page.getByLabel('People').focus();
  await page.keyboard.press('Shift+Tab');
  for (let steps = 0; !(await stay.evaluate((button) => button.matches(':focus'))); steps += 1) {
    assert.ok(steps < 40, 'the keyboard cannot reach the button');
    await page.keyboard.press('Shift+Tab');
  }
  await page.keyboard.press('Enter');
  await stay.waitFor({ state: 'hidden' });
  assert.ok(await page.getByLabel('People').evaluate((field) => field.matches(':focus')));
  assert.equal(await page.getByLabel('People').inputValue(), people);

  await pass(29);
  await warning.waitFor();
  await pass(1.5);
  await page.getByText('You are signed out. If you were filling in a form').waitFor();
  await window.look('session-ended');
  await window.checkSchemes('session-ended');
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByText('Your session has ended.').waitFor();
  await window.look('sign-in-form-kept');
  await signIn(page);
  assert.equal(await page.getByLabel('People').inputValue(), people);
  await window.look('form-kept');
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('heading', { name: 'Invited 1 person' }).waitFor();
});
