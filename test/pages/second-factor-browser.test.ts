import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import type { Page } from 'playwright-core';
import { addedBy, aPasskey } from '#core/testing/new-second-factor.js';
import { sizes, useBrowser } from '#test/support/look.js';
import { codeAt, secondFactor, startSecondFactorSite, users } from '#test/support/page/second-factor-site.js';
import { password } from '#test/support/page/site.js';

const open = useBrowser();

async function signIn(page: Page): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('Email address').fill(aUser(users.owner).email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
}

describe('A passkey in a browser', () => {
  test('is made once on a device, and signs in after the password', async (t) => {
    const site = await startSecondFactorSite(t, { hostname: 'localhost' });
    const window = await open(t, site, { name: 'desk', options: { viewport: sizes.desk } });
    const { page } = window;
    const problems: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    // A security key that asks for no PIN, as Chromium's developer tools have it.
    const devices = await page.context().newCDPSession(page);
    await devices.send('WebAuthn.enable');
    const device = {
      protocol: 'ctap2',
      transport: 'usb',
      hasResidentKey: false,
      hasUserVerification: false,
    } as const;
    const added = await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: { ...device, automaticPresenceSimulation: true },
    });
    const credentials = async () =>
      (await devices.send('WebAuthn.getCredentials', { authenticatorId: added.authenticatorId })).credentials;

    await signIn(page);
    await page.waitForURL((url) => url.pathname === '/organizations/1');
    await page.goto(secondFactor);
    await window.look('second-factor-off');
    await page.getByRole('link', { name: 'Add a passkey' }).click();
    await page.getByLabel('Your password').fill(password);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Name').fill('Blue key');
    await window.look('second-factor-passkey');
    await window.checkSchemes('second-factor-passkey');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    await window.look('second-factor-recovery-codes');
    assert.equal((await credentials()).length, 1);
    assert.equal((await site.storage.secondFactors.of(users.owner)).passkeys[0]?.name, 'Blue key');

    // The device says itself that it is registered.
    await page.goto(`${secondFactor}/passkey`);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('alert').filter({ hasText: 'This device has a passkey here already.' }).waitFor();
    await window.look('second-factor-registered');
    assert.equal((await credentials()).length, 1);

    await page.context().clearCookies();
    await signIn(page);
    await page.getByRole('heading', { name: 'Second step' }).waitFor();
    await window.look('second-step');
    await window.checkSchemes('second-step');
    const before = (await credentials())[0]?.signCount ?? Number.NaN;
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL((url) => url.pathname === '/organizations/1');
    const [passkey] = (await site.storage.secondFactors.of(users.owner)).passkeys;
    assert.ok(passkey !== undefined && passkey.counter > before);

    // Without the device, nothing is sent, and the page says so.
    await page.context().clearCookies();
    await signIn(page);
    await page.getByRole('heading', { name: 'Second step' }).waitFor();
    await page.evaluate(() => {
      navigator.credentials.get = () => Promise.reject(new DOMException('', 'NotAllowedError'));
    });
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('alert').filter({ hasText: 'the passkey was not used. Try again.' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/sign-in/second-factor');
    assert.deepEqual(problems, []);
  });

  test('is not needed to set an app up and sign in without script', async (t) => {
    const site = await startSecondFactorSite(t);
    const options = { viewport: sizes.phone, javaScriptEnabled: false };
    const window = await open(t, site, { name: 'phone', options });
    const { page } = window;
    await signIn(page);
    await page.waitForURL((url) => url.pathname === '/organizations/1');
    await page.goto(`${secondFactor}/app`);
    await page.getByLabel('Your password').fill(password);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Show the QR code' }).click();
    await page.getByRole('img', { name: 'QR code with the key below' }).waitFor();
    await window.look('second-factor-app');
    const key = (await page.locator('#code-secret').textContent()) ?? '';
    await page.getByRole('textbox', { name: 'Code' }).fill(codeAt(key, site.clock.now()));
    await page.getByRole('button', { name: 'Turn it on' }).click();
    await page.getByRole('link', { name: 'I have copied them' }).click();
    await page.getByRole('link', { name: 'Make new recovery codes' }).waitFor();
    const [passkey, device] = [{ ...aPasskey(1), name: 'x'.repeat(60) }, 'no session'];
    await site.storage.secondFactors.addPasskey({ ...passkey, ...addedBy(users.owner, device) });
    await page.reload();
    await window.look('second-factor-on');
    await page.goto('/organizations/1/second-factor');
    await window.look('second-factor-require');

    site.clock.advance(60_000);
    await page.context().clearCookies();
    await signIn(page);
    await page.getByText('Passkeys need JavaScript').waitFor();
    await window.look('second-step');
    await page.getByRole('textbox', { name: 'Code' }).fill(codeAt(key, site.clock.now()));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL((url) => url.pathname === '/organizations/1');
  });
});
