import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sizes, useBrowser } from '#test/support/look.js';
import { startProviderSite } from '#test/support/page/provider-site.js';
import { wayIn } from '#test/support/page/sign-on-site.js';
import { startWholeProvider } from '#test/support/whole-provider.js';

const open = useBrowser();

describe('A sign-on in a browser', () => {
  test('leads through the provider’s own page, on another site, to a page that knows the session', async (t) => {
    const site = await startProviderSite(t);
    const provider = await startWholeProvider([site.callback]);
    t.after(() => provider.stop());
    await site.useProvider(provider.issuer);
    const options = { viewport: sizes.desk, ignoreHTTPSErrors: true };
    const { page } = await open(t, site, { name: 'sign-on', options });
    const problems: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    const answers: (readonly [string, number])[] = [];
    page.on('response', (response) => answers.push([new URL(response.url()).pathname, response.status()]));
    await page.goto(`${wayIn}?login_hint=ana`);
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.waitForURL((url) => url.hostname === 'localhost');
    await page.getByRole('button', { name: 'Sign in at the provider' }).click();
    await page.waitForURL((url) => url.pathname === '/organizations/1/meetings');
    assert.match((await page.textContent('.menu.account')) ?? '', /Signed in as First102/);
    // The first page after the callback has the session: it leads on to the meetings, not to the sign-in page.
    const at = answers.findIndex(([path]) => path === `${wayIn}/callback`);
    assert.deepEqual(answers.slice(at, at + 3), [
      [`${wayIn}/callback`, 303],
      ['/meetings', 303],
      ['/organizations/1/meetings', 200],
    ]);
    assert.deepEqual(problems, []);
    // Signing out here ends nothing at the provider, and the browser remembers the way.
    await page.locator('.menu.account summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in at your organization' }).click();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.waitForURL((url) => url.pathname === '/organizations/1/meetings');
  });
});
