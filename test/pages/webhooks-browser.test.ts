import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { anOrganization } from '@rollcall/core/testing';
import type { Locator, Page } from 'playwright-core';
import { gotWebhookSender } from '#adapters/node/webhook/sender.js';
import { eventName } from '#core/testing/subscribe.js';
import { testAuthority } from '#test/support/certificates.js';
import { copied } from '#test/support/clipboard.js';
import { desk, useBrowser } from '#test/support/look.js';
import { type PageSite, startPageSite } from '#test/support/page/site.js';
import { type ReceivedRequest, startReceiver } from '#test/support/receiver.js';
import { webhookAt } from '../support/webhook-at.js';

const password = 'a good password';
const { cert: authority } = await testAuthority();

const open = useBrowser();

/** An admin of Northwind Wellness, and a receiver that answers with the status of `reply`. */
async function site(context: TestContext) {
  const reply = { status: 204 };
  const receiver = await startReceiver({
    answer: (_request, response) => response.writeHead(reply.status).end(),
  });
  context.after(() => receiver.stop());
  const started = await startPageSite(context, {
    webhookSender: gotWebhookSender({
      allowedNetworks: ['127.0.0.0/8'],
      certificateAuthorities: [authority],
    }),
  });
  await started.load({ organizations: [anOrganization(1, { name: 'Northwind Wellness' })] });
  await started.addUser({ id: 100, password, organizations: [1], role: 'admin' });
  return { started, receiver, reply };
}

async function signIn(page: Page): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('Email address').fill('user-100@example.test');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
}

/** Names that must be shown as text and not break the page. */
const names = ['Dana', '<b>Bea</b> "Q"', 'W'.repeat(300), 'دانا <i> 👩🏽‍🚀'];

async function register({ core, clock }: PageSite, firstName: string): Promise<void> {
  clock.advance(60_000);
  const email = `person-${clock.now().getTime()}@example.test`;
  await core.registerUser({ organizationId: 1, email, firstName, lastName: 'W'.repeat(300) });
}

/** The content of the window once it has loaded a page: Chromium refuses to go back to the answer to a form. */
async function contentOf(page: Page): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    const content = await page.content().catch(() => null);
    if (content !== null) return content;
    assert.ok(tries < 100, 'the window loaded no page');
    await pause(50);
  }
}

/** Whether the request was signed with the secret that the page has shown. */
function isSignedWith(secret: string, { headers, body }: ReceivedRequest): boolean {
  const [, signature] = headers.find(([name]) => name === 'X-Acme-Care-Signature') ?? [];
  return signature === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  const hasFocus = () => target.evaluate((element) => element === element.ownerDocument.activeElement);
  for (let steps = 0; !(await hasFocus()); steps += 1) {
    assert.ok(steps < 100, 'the keyboard cannot reach it');
    await page.keyboard.press('Tab');
  }
}

describe('In a browser', { concurrency: true }, () => {
  describe('desk', { concurrency: 1 }, () => {
    test('an admin configures the webhook, copies the secret, sends a test, and regenerates the secret', async (t) => {
      const { started, receiver, reply } = await site(t);
      const window = await open(t, started, desk);
      const { page } = window;
      await signIn(page);
      await window.look('webhook-empty');

      await page.getByLabel('URL', { exact: true }).fill('http://partner.example/hooks');
      await page.getByLabel(eventName).uncheck();
      await page.getByRole('button', { name: 'Save and show the signing secret' }).click();
      await page.getByText('URL must be a valid HTTPS URL such as').first().waitFor();
      assert.equal(
        await page.getByLabel('URL', { exact: true }).inputValue(),
        'http://partner.example/hooks',
      );
      await window.look('webhook-problems');

      await page.getByLabel('URL', { exact: true }).fill(`${receiver.url}/hooks`);
      await page.getByLabel(eventName).check();
      const save = page.getByRole('button', { name: 'Save and show the signing secret' });
      await save.dblclick();
      await page.getByText('You won’t see it again.').waitFor();
      const secret = (await page.locator('#signing-secret').textContent()) ?? '';
      assert.match(secret, /^whsec_/);
      await window.look('webhook-secret');
      assert.equal(await copied(page, 'Copy: Signing secret'), secret);
      await page.getByRole('link', { name: 'I have copied it' }).click();
      await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
      assert.ok(!(await page.content()).includes(secret));
      await page.goBack();
      await page.getByRole('heading', { name: 'The signing secret can’t be shown again' }).waitFor();
      assert.ok(!(await contentOf(page)).includes(secret), 'going back shows the secret again');
      await window.look('webhook-secret-again');

      await page.goto('/organizations/1/webhooks');
      reply.status = 500;
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByRole('alert').getByText('answered 500').waitFor();
      assert.ok(await page.getByRole('alert').isVisible());
      await window.look('webhook-test-failed');
      reply.status = 204;
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.locator('.test-result').getByText('answered 204').waitFor();
      assert.deepEqual(
        receiver.requests.map((request) => isSignedWith(secret, request)),
        [true, true],
      );
      await window.look('webhook-tested');

      await page.getByRole('link', { name: 'Regenerate the secret' }).click();
      await page.getByRole('heading', { name: 'Regenerate the signing secret?' }).waitFor();
      await window.look('webhook-regenerate');
      started.clock.advance(1000);
      await page.getByRole('button', { name: 'Regenerate the secret' }).click();
      const renewed = (await page.locator('#signing-secret').textContent()) ?? '';
      assert.notEqual(renewed, secret);
      await page.reload();
      await page.getByRole('heading', { name: 'The signing secret can’t be shown again' }).waitFor();
      assert.ok(!(await page.content()).includes(renewed));
      await page.goto('/organizations/1/webhooks');
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByRole('status').getByText('answered 204').waitFor();
      const last = receiver.requests.at(-1);
      assert.ok(last !== undefined && isSignedWith(renewed, last) && !isSignedWith(secret, last));
    });

    test('an admin sees why deliveries failed, fixes it, and resends them', async (t) => {
      const { started, receiver, reply } = await site(t);
      const webhook = webhookAt(`${receiver.url}/hooks`);
      await started.core.configureWebhook({ organization: { id: 1 }, how: 'set', webhook });
      reply.status = 500;
      for (const name of names) await register(started, name);
      await started.deliver();
      const window = await open(t, started, desk);
      const { page } = window;
      await signIn(page);
      await page.getByRole('heading', { name: 'Failing since' }).waitFor();
      await page.getByText('The last 4 deliveries failed.').waitFor();
      await window.look('webhook-failing');

      await page.getByRole('link', { name: 'See why' }).click();
      await page.locator('table.data a').first().click();
      await page.getByRole('heading', { name: /^Delivery \d+$/ }).waitFor();
      await page.getByText('Your endpoint had an internal error').waitFor();
      await window.look('delivery-failed');
      reply.status = 200;
      await page.getByRole('button', { name: 'Resend' }).click();
      await page.getByText('Resending…').waitFor();
      await started.deliver();
      await page.getByRole('link', { name: 'Refresh' }).click();
      await page.locator('.facts').getByText('answered 200').waitFor();
      await window.look('delivery-delivered');

      await page.getByRole('link', { name: 'All deliveries' }).click();
      await page.getByRole('link', { name: 'Resend failed deliveries…' }).click();
      await window.look('redeliver-since');
      await page.getByRole('textbox', { name: 'Since' }).fill('2026-11-20T00:00');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'Resend 3 events?' }).waitFor();
      await window.look('redeliver-question');
      await page.getByRole('button', { name: 'Resend' }).click();
      await page.getByText('Resending the failed deliveries…').waitFor();
      await window.look('webhook-resending');
      await started.deliver();
      await page.getByRole('link', { name: 'Failed', exact: true }).click();
      await page.getByText('No deliveries match.').waitFor();
      await page.getByRole('link', { name: 'Delivered', exact: true }).click();
      const rows = page.locator('table.data tbody tr');
      await rows.nth(3).waitFor();
      assert.equal(await rows.count(), 4);
      await window.look('webhook-log');
      await page
        .getByRole('button', { name: /^Resend: delivery/ })
        .first()
        .click();
      await page.getByText('Resending…').waitFor();
      const sent = receiver.requests.map(({ body }) => JSON.parse(body.toString()).user.first_name);
      assert.deepEqual(sent.slice(4).sort(), [...names].sort());
    });
  });

  describe('with the keyboard only', () => {
    test('an admin configures and tests the webhook, and regenerates the secret', async (t) => {
      const { started, receiver } = await site(t);
      const { page } = await open(t, started, desk);
      const press = async (target: Locator, key = 'Enter') => {
        await tabTo(page, target);
        await page.keyboard.press(key);
      };
      const button = (name: string) => page.getByRole('button', { name });
      await page.goto('/sign-in');
      await tabTo(page, page.getByLabel('Email address'));
      await page.keyboard.type('user-100@example.test');
      await tabTo(page, page.getByLabel('Password'));
      await page.keyboard.type(password);
      await page.keyboard.press('Enter');
      await press(page.getByRole('link', { name: 'Webhooks' }));
      await tabTo(page, page.getByLabel('URL', { exact: true }));
      await page.keyboard.type(`${receiver.url}/hooks`);
      await press(page.getByLabel('On: send events'), 'Space');
      await press(button('Save and show the signing secret'));
      await press(button('Copy: Signing secret'));
      await press(page.getByRole('link', { name: 'I have copied it' }));
      await press(button('Send a test'));
      await page.locator('.test-result').getByText('answered 204').waitFor();
      await press(page.getByRole('link', { name: 'See details' }));
      await page.getByRole('heading', { name: /^Delivery \d+/ }).waitFor();
      await press(button('Resend'));
      await page.getByText('Resending…').waitFor();
      await press(page.getByRole('link', { name: 'All deliveries' }));
      await press(page.locator('main summary'));
      await tabTo(page, page.getByLabel('Event ID'));
      await page.keyboard.type('da8d589c-a71a-4cd9-8c6a-dece6f0d9578');
      await page.keyboard.press('Enter');
      await page.getByText('No deliveries match.').waitFor();
      await press(page.getByRole('link', { name: 'Regenerate the secret' }));
      await press(button('Regenerate the secret'));
      await page.getByRole('heading', { name: 'Copy the new signing secret' }).waitFor();
      assert.equal((await started.core.readWebhook({ organization: { id: 1 } }))?.enabled, false);
    });
  });
});
