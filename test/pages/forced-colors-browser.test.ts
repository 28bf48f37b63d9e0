import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aMeeting, anOrganization } from '@rollcall/core/testing';
import { enter, tabTo, typeInto } from '#test/support/keyboard.js';
import { useBrowser } from '#test/support/look.js';
import { controlsWithoutRing, problemsInForcedColors } from '#test/support/page/accessibility.js';
import { password, startPageSite } from '#test/support/page/site.js';

const open = useBrowser();

test('In forced colors, an owner of two organizations does everything with the keyboard only', async (t) => {
  const site = await startPageSite(t);
  await site.load({
    organizations: [
      anOrganization(1, { name: 'Contoso' }),
      anOrganization(2, { name: 'Northwind Wellness' }),
    ],
    meetings: [
      aMeeting(1, {
        organizationId: 2,
        status: 'complete',
        startTime: new Date('2026-11-18T18:00:00.000Z'),
        endTime: new Date('2026-11-18T19:00:00.000Z'),
      }),
    ],
  });
  await site.addUser({ id: 100, organizations: [1, 2], role: 'owner' });
  const options = { viewport: { width: 768, height: 900 }, forcedColors: 'active' } as const;
  const { page, look } = await open(t, site, { name: 'forced colors', options });
  const heading = (name: string) => page.getByRole('heading', { name }).waitFor();
  const press = (role: 'link' | 'button', name: string) =>
    enter(page, page.getByRole(role, { name, exact: true }).first());

  const stop = async (name: string) => {
    await look(`forced-${name}`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, forcedColors: 'active' });
      assert.deepEqual(await problemsInForcedColors(page), [], `${name} (${colorScheme})`);
    }
    assert.deepEqual(await controlsWithoutRing(page), [], name);
    const cut = await page.evaluate(
      "[...document.querySelectorAll('.sections nav')].some((nav) => nav.scrollWidth > nav.clientWidth)",
    );
    assert.equal(cut, false, `${name}: the sections do not fit a tablet`);
  };

  await page.goto('/sign-in');
  await typeInto(page, page.getByLabel('Email address'), 'user-100@example.test');
  await typeInto(page, page.getByLabel('Password'), 'wrong');
  await press('button', 'Sign in');
  await page.getByRole('alert').waitFor();
  await stop('sign-in');
  await typeInto(page, page.getByLabel('Password'), password);
  await press('button', 'Sign in');
  await heading('Your organizations');
  await enter(page, page.getByRole('link', { name: /^Contoso/ }));
  await heading('Contoso');

  await enter(page, page.locator('.organizations summary'));
  await press('link', 'Northwind Wellness');
  await heading('Northwind Wellness');
  await stop('organization');
  await enter(page, page.locator('.account summary'));
  assert.deepEqual(await problemsInForcedColors(page), [], 'the open menu');
  await press('link', 'Your account');
  await heading('Your account');
  await stop('account');
  await page.goBack();

  await press('link', 'People');
  await heading('People');
  await stop('people');
  await press('link', 'Invite');
  await heading('Invite someone');
  await typeInto(page, page.getByLabel('Email address'), 'dana');
  await press('button', 'Invite');
  await heading('There are 3 problems');
  await stop('problems');
  await typeInto(page, page.getByLabel('Email address'), 'dana@example.test');
  await typeInto(page, page.getByLabel('First name'), 'Dana');
  await typeInto(page, page.getByLabel('Last name'), 'Kim');
  await press('button', 'Invite');
  await heading('Dana Kim is invited');
  await stop('invited');
  await press('link', 'Dana Kim');
  await heading('Invitation for Dana Kim');
  await stop('invitation');
  await press('link', 'Invitations');
  await tabTo(page, page.getByLabel('Select the invitation for dana@example.test'));
  await page.keyboard.press('Space');
  assert.ok(await page.getByLabel('Select all on this page').isChecked());
  await stop('invitations');
  await press('button', 'Revoke selected…');
  await heading('Revoke 1 invitation?');
  await stop('revoke');
  await press('button', 'Revoke 1 invitation');
  await page.getByText('The links no longer work.').waitFor();
  await tabTo(page, page.getByLabel('State'));
  await page.keyboard.press('R');
  await press('button', 'Search');
  await page.waitForURL(/state=revoked/);
  await stop('revoked');

  await press('link', 'Meetings');
  await press('link', 'Completed');
  await page.waitForURL((url) => url.search === '?status=past');
  await stop('meetings');
  await press('link', 'Export');
  await tabTo(page, page.getByLabel('Description', { exact: true }));
  await page.keyboard.press('Space');
  await press('button', 'Preview');
  await page.getByRole('columnheader', { name: 'Description' }).waitFor();
  await stop('export');
  const download = page.waitForEvent('download');
  await press('button', 'Download CSV');
  assert.equal((await download).suggestedFilename(), 'northwind-wellness-meetings-completed.csv');

  await press('link', 'Webhooks');
  await press('link', 'Set up the webhook');
  await typeInto(page, page.getByLabel('URL', { exact: true }), 'https://partner.test/hooks');
  await press('button', 'Save and show the signing secret');
  await heading('Copy the new signing secret');
  await stop('secret');
  await press('link', 'I have copied it');
  await press('button', 'Send a test');
  await page.locator('.test-result').waitFor();
  await stop('webhooks');
});
