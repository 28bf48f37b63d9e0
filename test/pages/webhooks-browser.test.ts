import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { gotWebhookSender } from '#adapters/node/webhook/sender.js';
import { eventName } from '#core/testing/subscribe.js';
import { testAuthority } from '#test/support/certificates.js';
import { copied } from '#test/support/clipboard.js';
import { desk, useBrowser } from '#test/support/look.js';
import { password, startSiteOf } from '#test/support/page/site.js';
import { type ReceivedRequest, startReceiver } from '#test/support/receiver.js';

const { cert: authority } = await testAuthority();

const open = useBrowser();

/** An admin of Northwind Wellness, and a receiver that answers with the status of `reply`. */
async function site(context: TestContext) {
  const reply = { status: 204 };
  const receiver = await startReceiver({
    answer: (_request, response) => response.writeHead(reply.status).end(),
  });
  context.after(() => receiver.stop());
  const allowed = { allowedNetworks: ['127.0.0.0/8'], certificateAuthorities: [authority] };
  const webhookSender = gotWebhookSender(allowed);
  const started = await startSiteOf(context, { 100: ['admin', 1] }, { webhookSender });
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

describe('In a browser', { concurrency: true }, () => {
  describe('desk', { concurrency: 1 }, () => {
    test('an admin configures the webhook, copies the secret, sends a test, and rotates the secret', async (t) => {
      const { started, receiver, reply } = await site(t);
      const window = await open(t, started, desk);
      const { page } = window;
      await signIn(page);
      await window.look('webhook-empty');
      await page.getByRole('link', { name: 'Set up the webhook' }).click();

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

      await page.goto('/organizations/1/webhooks/test');
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

      await page.getByRole('link', { name: 'Settings and secret' }).click();
      await page.getByRole('link', { name: 'Rotate the secret' }).click();
      await page.getByRole('heading', { name: 'Rotate the signing secret?' }).waitFor();
      await window.look('webhook-rotate');
      started.clock.advance(1000);
      await page.getByLabel('Time until the current secret stops working').selectOption('');
      await page.getByRole('button', { name: 'Rotate the secret' }).click();
      const renewed = (await page.locator('#signing-secret').textContent()) ?? '';
      assert.notEqual(renewed, secret);
      await page.reload();
      await page.getByRole('heading', { name: 'The signing secret can’t be shown again' }).waitFor();
      assert.ok(!(await page.content()).includes(renewed));
      await page.goto('/organizations/1/webhooks/test');
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByRole('status').getByText('answered 204').waitFor();
      const last = receiver.requests.at(-1);
      assert.ok(last !== undefined && isSignedWith(renewed, last) && !isSignedWith(secret, last));
    });
  });
});
