import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { freePort, type Running, start, temporaryDirectory } from '#test/support/app-cli.js';
import { enter } from '#test/support/keyboard.js';
import { looks, sizes, useBrowser } from '#test/support/look.js';

const open = useBrowser();
const directory = temporaryDirectory();
let demo: Running;
let port: number;
let site: { readonly url: string };

before(async () => {
  port = await freePort();
  site = { url: `http://localhost:${port}` };
  demo = start(['demo'], { cwd: directory.path, env: { PORT: String(port) } });
  await demo.see(/\n/);
});
after(async () => {
  await demo.discard();
  directory.remove();
});

const desk = { name: 'desk', options: { viewport: sizes.desk } };

/** Expands an operation of the reference. */
async function openOperation(page: Page, id: string): Promise<Locator> {
  const operation = page.locator(`[id$="-${id}"].opblock`);
  await toggle(operation);
  return operation;
}

function toggle(operation: Locator): Promise<void> {
  return operation.locator('.opblock-summary-control').click();
}

/** Some of the operations, among them all lists, in the order of the page. */
const operations = [
  'inviteUser',
  'listInvitations',
  'issueLoginLink',
  'issueLoginLinkBySegment',
  'listUsers',
  'listUpcomingMeetings',
  'exportMeetings',
  'exportMeetingsByPost',
  'readWebhook',
  'createWebhook',
  'changeWebhook',
  'listDeliveries',
  'readMeetingChanges',
  'readEvents',
  'readHealth',
] as const;

/** Executes an operation with its example, and reads the status and the text of the answer. */
async function tryOut(operation: Locator): Promise<{ readonly status: string; readonly text: string }> {
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.getByRole('button', { name: 'Execute', exact: true }).click();
  const answer = operation.locator('.live-responses-table');
  await answer.waitFor();
  return {
    status: (await answer.locator('tbody .response-col_status').innerText()).trim(),
    text: await answer.locator('tbody .highlight-code pre').first().innerText(),
  };
}

for (const look of looks) {
  const hasScript = look.options.javaScriptEnabled !== false;
  describe(`The docs in a browser (${look.name})`, () => {
    test('the sign-in page links to the reference, which links to the guide, and both link back', async (t) => {
      const window = await open(t, site, look);
      const { page } = window;
      await page.goto('/');
      await page.getByRole('link', { name: 'API documentation' }).click();
      await page.getByRole('heading', { name: 'API reference' }).waitFor();
      await page.getByText('/organizations/{id}/export_meetings').first().waitFor();
      await window.look('docs-reference-list');
      if (hasScript) {
        await enter(page, page.getByRole('button', { name: 'Try the API here' }));
        await page.locator('.opblock').first().waitFor();
        await window.look('docs-reference');
        await page.reload();
        await page.locator('.opblock').first().waitFor();
      }
      await page.getByRole('link', { name: 'Guide', exact: true }).click();
      await page.getByRole('heading', { name: 'Guide' }).waitFor();
      await window.look('docs-guide');
      await page.getByRole('link', { name: 'Errors' }).first().click();
      assert.equal(page.url(), `${site.url}/docs/guide#errors`);
      await page.getByRole('link', { name: 'Reference', exact: true }).click();
      await page.getByRole('heading', { name: 'API reference' }).waitFor();
      for (const path of ['/docs', '/docs/guide']) {
        await page.goto(path);
        await enter(page, page.getByRole('link', { name: 'Dashboard', exact: true }));
        await page.getByRole('button', { name: 'Sign in' }).waitFor();
        assert.equal(page.url(), `${site.url}/sign-in`);
      }
    });
  });
}

test('The reference authenticates, and calls the operations with that token and their examples', async (t) => {
  const window = await open(t, site, desk);
  const { page } = window;
  await page.goto('/docs#try-out');
  const authenticated = await tryOut(await openOperation(page, 'authenticate'));
  assert.equal(authenticated.status, '200');
  await window.look('docs-tried');
  await window.checkSchemes('docs-tried');
  const answers = new Map<string, string>();
  for (const id of operations) {
    const operation = await openOperation(page, id);
    const { status, text } = await tryOut(operation);
    assert.equal(status, '200', `${id}: ${text}`);
    assert.doesNotMatch(text, /^ {2}"\w+": \[\]/m, `${id} lists nothing`);
    answers.set(id, text);
    await toggle(operation);
  }
  const { meetings } = JSON.parse(answers.get('exportMeetings') ?? '');
  assert.deepEqual(Object.keys(meetings[0]), ['name', 'start_time', 'group_leader']);
  await window.look('docs-tried-all');
});

describe('The reference', () => {
  test('accepts a pasted token, and shows 401 without one', async (t) => {
    const window = await open(t, site, desk);
    const { page } = window;
    await page.goto('/docs#try-out');
    const operation = await openOperation(page, 'readWebhook');
    assert.equal((await tryOut(operation)).status, '401');
    const answer = await fetch(`${site.url}/api/v2/authenticate`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"access_key":"111111111111111111111111"}',
    });
    const { token } = (await answer.json()) as { readonly token: string };
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.locator('.modal-ux input').fill(token);
    await window.look('docs-authorize');
    await window.checkSchemes('docs-authorize');
    await page.locator('.modal-ux').getByRole('button', { name: 'Authorize', exact: true }).click();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await operation.getByRole('button', { name: 'Execute', exact: true }).click();
    await operation.locator('.live-responses-table tbody').getByText('200').first().waitFor();
    await window.look('docs-authorized');
  });

  test('calls the address under which it was opened', async (t) => {
    const byAddress = { url: `http://127.0.0.1:${port}` };
    const window = await open(t, byAddress, desk);
    await window.page.goto('/docs#try-out');
    const { status } = await tryOut(await openOperation(window.page, 'authenticate'));
    assert.equal(status, '200');
    await window.look('docs-by-address');
  });

  test('has its own content security policy, which no other page has', async () => {
    const policyOf = async (path: string) =>
      (await fetch(`${site.url}${path}`, { headers: { Accept: 'text/html' } })).headers.get(
        'content-security-policy',
      );
    const common = "style-src 'self';script-src 'self';";
    const end = "form-action 'self';frame-ancestors 'none';base-uri 'none'";
    const usual = `default-src 'none';${common}img-src 'self';${end};connect-src 'self'`;
    assert.equal(
      await policyOf('/docs'),
      `default-src 'none';${common}img-src 'self' data:;${end};connect-src 'self'`,
    );
    for (const path of ['/docs/guide', '/sign-in', '/nothing', '/docs/nothing'])
      assert.equal(await policyOf(path), usual, path);
  });

  test('answers GET and HEAD only, and serves only two files of Swagger UI’s package', async () => {
    const ask = (path: string, method = 'GET') =>
      fetch(`${site.url}${path}`, { method, headers: { Accept: 'text/html' } });
    for (const path of ['/docs', '/docs/guide']) {
      const head = await ask(path, 'HEAD');
      assert.deepEqual([head.status, await head.text()], [200, ''], path);
      const refused = await ask(path, 'POST');
      assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD'], path);
    }
    const page = await (await ask('/docs')).text();
    const [, script = ''] = /data-script="(\/assets\/swagger-ui\.js[^"]*)"/.exec(page) ?? [];
    const served = await ask(script);
    assert.deepEqual(
      [served.status, served.headers.get('cache-control')],
      [200, 'public, max-age=31536000, immutable'],
    );
    for (const name of [
      'swagger-ui.js.map',
      'swagger-ui-bundle.js',
      'index.html',
      'oauth2-redirect.html',
      'package.json',
      '..%2fpackage.json',
      '..%2f..%2fpackage.json',
      '%2e%2e/docs',
      'constructor',
    ]) {
      const { status } = await ask(`/assets/${name}`);
      assert.equal(status, name === '%2e%2e/docs' ? 200 : 404, name);
    }
  });
});
