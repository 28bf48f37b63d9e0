import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { looks, useBrowser } from '#test/support/look.js';
import { listPath, startInvitationSite } from '#test/support/page/invitation-site.js';
import { password } from '#test/support/page/sign-in-as.js';

const open = useBrowser();

/** Opens another page, and goes back. In Chromium, the browser's question whether to send a form again is a failure. */
async function leaveAndReturn(page: Page, link: string): Promise<void> {
  await page.getByRole('link', { name: link, exact: true }).first().click();
  await page.waitForLoadState();
  await page.goBack();
  await page.reload();
}

for (const look of looks) {
  test(`Back and a reload show the answer to a form again (${look.name})`, async (t) => {
    const { site } = await startInvitationSite(t, look.database);
    for (const email of ['ada@example.test', 'bo@example.test'])
      await site.core.inviteUser({ organization: { id: 1 }, email, firstName: 'Ada', lastName: 'Byron' });
    const { page } = await open(t, site, look);
    const alert = (text: string) => page.getByRole('alert').filter({ hasText: text });

    await page.goto('/sign-in');
    await page.getByLabel('Email address').fill('user-100@example.test');
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await alert('wrong').waitFor();
    await leaveAndReturn(page, 'API documentation');
    await alert('wrong').waitFor();
    assert.equal(await page.getByLabel('Email address').inputValue(), 'user-100@example.test');
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1 }).waitFor();

    await page.goto(listPath);
    await page.getByLabel('Email address').fill('no address');
    await page.getByLabel('First name').fill('Dana');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByText('Enter a valid email address').first().waitFor();
    await leaveAndReturn(page, 'Meetings');
    await page.getByText('Enter a valid email address').first().waitFor();
    assert.equal(await page.getByLabel('First name').inputValue(), 'Dana');

    const ids = await page
      .locator('input[name="invitation"]')
      .evaluateAll((all) => all.map((one) => Reflect.get(one, 'value')));
    await page.goto(`${listPath}/selected/renew?${ids.map((id) => `invitation=${id}`).join('&')}`);
    await page.getByRole('button', { name: 'Renew 2 invitations' }).click();
    await page.getByRole('heading', { name: 'Renewed 2 invitations' }).waitFor();
    await leaveAndReturn(page, 'All invitations');
    await page.getByRole('heading', { name: 'Renewed 2 invitations' }).waitFor();
  });
}
