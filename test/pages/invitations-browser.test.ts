import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { anOrganization } from '@rollcall/core/testing';
import type { Page } from 'playwright-core';
import { copied } from '#test/support/clipboard.js';
import { enter, typeInto } from '#test/support/keyboard.js';
import { desk, useBrowser } from '#test/support/look.js';
import { type PageSite, startPageSite } from '#test/support/page/site.js';

const password = 'a good password';
const home = '/organizations/1/invitations';

const open = useBrowser();

/** User 100 is an admin of organization 1. */
async function start(context: TestContext): Promise<PageSite> {
  const site = await startPageSite(context);
  await site.load({ organizations: [anOrganization(1, { name: 'Northwind Wellness' })] });
  await site.addUser({ id: 100, password, organizations: [1], role: 'admin' });
  return site;
}

async function signIn(page: Page, to: string): Promise<void> {
  await page.goto(to);
  await page.getByLabel('Email address').fill('user-100@example.test');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.pathname === to);
}

const urlOn = async (page: Page): Promise<string> =>
  new URL((await page.locator('#invitation-url').textContent()) ?? '').pathname;

describe('In a browser', { concurrency: true }, () => {
  describe('desk', { concurrency: 1 }, () => {
    test('an admin invites someone, renews the invitation, and sees it accepted; the old link no longer works', async (t) => {
      const site = await start(t);
      const window = await open(t, site, desk);
      const { page } = window;
      await signIn(page, home);
      await window.look('invitations-empty');
      await page.getByLabel('Email address').fill('dana');
      await page.getByRole('button', { name: 'Invite', exact: true }).click();
      await page.getByText('First name is required').first().waitFor();
      await window.look('invitations-problems');
      await page.getByLabel('Email address').fill('dana@example.test');
      await page.getByLabel('First name').fill('Dana');
      await page.getByLabel('Last name').fill('Kim');
      await page.getByRole('button', { name: 'Invite', exact: true }).click();
      await page.getByRole('heading', { name: 'Invitation for Dana Kim' }).waitFor();
      await window.look('invitation-pending');
      const old = await urlOn(page);
      assert.equal(await copied(page, 'Copy: Invitation link'), `${site.url}${old}`);

      await page.getByRole('link', { name: 'Renew the invitation' }).click();
      await page.getByRole('heading', { name: 'Renew this invitation?' }).waitFor();
      await window.look('invitation-renew');
      await page.getByRole('button', { name: 'Renew the invitation' }).click();
      await page.getByText('Invitation renewed').waitFor();
      const renewed = await urlOn(page);
      assert.notEqual(renewed, old);

      const dana = await open(t, site, desk);
      await dana.page.goto(old);
      await dana.page.getByRole('heading', { name: 'This invitation was revoked' }).waitFor();
      assert.equal(await dana.page.locator('form').count(), 0);
      await dana.look('invitation-revoked');
      await dana.page.goto(renewed);
      await dana.page.getByLabel('Password').fill(password);
      await dana.page.getByRole('button', { name: 'Accept invitation' }).click();
      await dana.page.getByRole('heading', { name: 'Hello, Dana' }).waitFor();
      await dana.page.goto(renewed);
      await dana.page.getByRole('heading', { name: 'This invitation was already accepted' }).waitFor();
      assert.equal(await dana.page.getByLabel('Password').count(), 0);

      await page.reload();
      await page.getByText('This invitation was accepted').waitFor();
      await window.look('invitation-accepted');
      await page.getByRole('link', { name: 'All invitations' }).click();
      await page.getByRole('link', { name: 'Revoked', exact: true }).click();
      await page.getByText('No revoked invitations').waitFor();
      await page.getByRole('link', { name: 'Replaced', exact: true }).click();
      await page.waitForURL((url) => url.search === '?state=replaced');
      assert.equal(await page.locator('tbody tr').count(), 1);
      assert.equal(await page.locator('tbody .badge').innerText(), 'Replaced');
      await window.look('invitations-replaced');
    });

    test('an admin invites many people, corrects invalid lines and revokes an invitation with the keyboard only', async (t) => {
      const site = await start(t);
      const window = await open(t, site, desk);
      const { page } = window;
      await signIn(page, '/organizations/1/meetings');
      await enter(page, page.getByRole('link', { name: 'Invitations' }));
      await enter(page, page.getByRole('link', { name: 'Invite many people' }));
      await page.getByRole('heading', { name: 'Invite many people' }).waitFor();
      await window.look('invite-many');
      const people = page.getByLabel('People');
      await typeInto(
        page,
        people,
        'one@example.test,One,First\ntwo@example.test;Two\nthree@example.test,T,T',
      );
      await enter(page, page.getByRole('button', { name: 'Invite', exact: true }));
      await page.getByRole('heading', { name: 'Invited 2 of 3 people' }).waitFor();
      await window.look('invite-many-results');
      assert.equal(await people.inputValue(), 'two@example.test;Two');
      await typeInto(page, people, 'two@example.test;Two;Second');
      await enter(page, page.getByRole('button', { name: 'Invite', exact: true }));
      await page.getByRole('heading', { name: 'Invited 1 person' }).waitFor();
      await window.look('invite-many-done');
      await enter(page, page.getByRole('link', { name: 'two@example.test' }));
      await enter(page, page.getByRole('link', { name: 'Revoke the invitation' }));
      await page.getByRole('heading', { name: 'Revoke this invitation?' }).waitFor();
      await window.look('invitation-revoke');
      await enter(page, page.getByRole('button', { name: 'Revoke the invitation' }));
      await page.getByText('Invitation revoked').waitFor();
      await window.look('invitation-closed');
      await page.goto(home);
      await page.getByLabel('Select all on this page').check();
      await window.look('invitations-selected');
      await page.getByRole('button', { name: 'Revoke selected…' }).click();
      await page.getByRole('heading', { name: 'Revoke 2 invitations?' }).waitFor();
      await page.getByText('1 other that you selected stays as it is').waitFor();
      await window.look('invitations-revoke');
      await page.getByRole('button', { name: 'Revoke 2 invitations' }).click();
      await page.getByText('The links no longer work.').waitFor();
      const states = (await site.core.listInvitations({ organization: { id: 1 } })).items;
      assert.deepEqual(states.map(({ email, state }) => `${email} ${state}`).sort(), [
        'one@example.test revoked',
        'three@example.test revoked',
        'two@example.test revoked',
      ]);
    });

    test('names and addresses of every kind are shown as text and break no page', async (t) => {
      const site = await start(t);
      const names = ['<b>Bold</b> & "Co"', 'W'.repeat(100), 'دانا كيم', '👩‍👩‍👧‍👦 🏳️‍🌈'];
      for (const [index, name] of names.entries()) {
        const email = `${'long-'.repeat(index * 4)}${index}@example.test`;
        await site.invite({ email, firstName: name, lastName: name });
        site.clock.advance(60_000);
      }
      const window = await open(t, site, desk);
      const { page } = window;
      await signIn(page, home);
      await window.look('invitations');
      const url = await copied(page, 'Copy link: 0@example.test');
      await page.getByRole('link', { name: '<b>Bold</b> & "Co"' }).click();
      assert.equal(url, `${site.url}${await urlOn(page)}`);
      await page.goto(home);
      for (const name of names) await page.getByRole('link', { name: `${name} ${name}` }).waitFor();
      await page.getByRole('link', { name: 'WWW' }).click();
      await page.getByRole('heading', { name: 'Invitation for WWW' }).waitFor();
      await window.look('invitation-long');
    });
  });
});
