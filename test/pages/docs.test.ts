import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openapi } from '@rollcall/contracts';
import type { Page } from 'playwright-core';
import { readOperations } from '#adapters/express/pages/docs/read-operations.js';
import { type Language, samplesOf } from '#adapters/express/pages/docs/samples.js';
import { freePort, type Running, start, temporaryDirectory } from '#test/support/app-cli.js';
import { desk, looks, useBrowser } from '#test/support/look.js';

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

/** The operations that end something, in this order after all others. No rotation is under way. */
const last = [
  'createWebhook',
  'changeWebhook',
  'finishRotation',
  'renewInvitation',
  'revokeInvitation',
  'removeUser',
];

/** Sends the request of an operation as the reference fills it in, and reads the status and the text of the answer. */
async function tryOut(page: Page, id: string): Promise<{ readonly status: string; readonly text: string }> {
  const part = page.locator(`article:has(> h3#${id}) details.try`);
  await part.locator('summary').click();
  await part.getByRole('button', { name: 'Send' }).click();
  const output = part.locator('output');
  await output.locator('p, pre').first().waitFor();
  return {
    status: (await output.locator('p').innerText()).slice(0, 3),
    text: (await output.locator('pre').count()) === 0 ? '' : await output.locator('pre').innerText(),
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
      await page.getByRole('link', { name: 'Export meetings', exact: true }).first().click();
      assert.equal(page.url(), `${site.url}/docs#exportMeetings`);
      await window.look('docs-reference');
      assert.equal(await page.locator('details.try').first().isVisible(), hasScript);
      assert.equal(await page.locator('#exportMeetings-curl').isVisible(), true);
      assert.equal(await page.locator('#exportMeetings-python').isVisible(), false);
      await page.getByRole('radio', { name: 'Python' }).check();
      assert.equal(await page.locator('#exportMeetings-curl').isVisible(), false);
      assert.equal(await page.locator('#exportMeetings-python').isVisible(), true);
      await page.reload();
      assert.equal(await page.locator('#exportMeetings-python').isVisible(), hasScript, 'is remembered');
      await page.getByRole('link', { name: 'Guide', exact: true }).click();
      await page.getByRole('heading', { name: 'Guide' }).waitFor();
      await window.look('docs-guide');
      await page.getByRole('link', { name: 'Errors' }).first().click();
      assert.equal(page.url(), `${site.url}/docs/guide#errors`);
      await page.getByRole('link', { name: 'Reference', exact: true }).click();
      await page.getByRole('heading', { name: 'API reference' }).waitFor();
      for (const path of ['/docs', '/docs/guide']) {
        await page.goto(path);
        await page.getByRole('link', { name: 'Dashboard', exact: true }).click();
        await page.getByRole('button', { name: 'Sign in' }).waitFor();
        assert.equal(page.url(), `${site.url}/sign-in`);
      }
    });
  });
}

test('The reference gets a token, and with it every operation answers its example at the first press', async (t) => {
  const window = await open(t, site, desk);
  const { page } = window;
  await page.goto('/docs');
  const shown = await page.locator('article.operation > h3').evaluateAll((all) => all.map(({ id }) => id));
  for (const id of [...shown.filter((each) => !last.includes(each)), ...last]) {
    const { status, text } = await tryOut(page, id);
    assert.equal(status, /^redeliver/.test(id) ? '202' : '200', `${id}: ${text}`);
    if (!id.startsWith('list') && !id.startsWith('export')) continue;
    assert.doesNotMatch(text, /^ {2}"\w+": \[\]/m, `${id} lists nothing`);
  }
  await window.look('docs-tried-all');
});

describe('The samples of the reference', () => {
  const operations = readOperations(openapi());
  const readers = operations.filter(({ method, tag }) => method === 'GET' && tag !== 'Operation');
  const samplesIn = (language: Language) =>
    readers.map((operation) => samplesOf(operation, `${site.url}/api/v2`)[language]);
  const run = promisify(execFile);

  test('work in JavaScript, all in one program', async () => {
    const [head = '', ...rest] = samplesIn('javascript').flatMap((sample) =>
      sample.split(/^(?=const answer)/m),
    );
    const calls = rest.filter((part) => part.startsWith('const answer'));
    assert.equal(calls.length, readers.length);
    const file = new URL('samples-of-the-reference.mjs', import.meta.url);
    await writeFile(file, `${head}${calls.map((call) => `{\n${call}}\n`).join('')}`);
    const env = { ...process.env, ACCESS_KEY: '1'.repeat(24) };
    await run(process.execPath, [fileURLToPath(file)], { env }).finally(() => rm(file));
  });

  test('work with curl, in one shell', async () => {
    const authenticate = await fetch(`${site.url}/api/v2/authenticate`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ access_key: '1'.repeat(24) }),
    });
    const { token } = (await authenticate.json()) as { readonly token: string };
    const curl = fileURLToPath(new URL('../support/curl.js', import.meta.url));
    const asCurl = `curl() { "${process.execPath}" "${curl}" -f "$@"; }`;
    // Each starts a process; the ways to write a request are the same in all.
    const some = samplesIn('curl').filter((_, index) => index % 4 === 0);
    const script = ['set -e', asCurl, ...some].join('\n');
    await run('sh', ['-c', script], { env: { ...process.env, TOKEN: token } });
  });
});

describe('The reference', () => {
  test('asks for a token before it sends what needs one, and accepts a pasted one', async (t) => {
    const window = await open(t, site, desk);
    const { page } = window;
    await page.goto('/docs');
    const part = page.locator('article:has(> h3#readWebhook) details.try');
    await part.locator('summary').click();
    await part.getByRole('button', { name: 'Send' }).click();
    await part.getByText('This needs a token.').waitFor();
    await page.getByLabel('Token for the requests').fill('wrong');
    await part.getByRole('button', { name: 'Send' }).click();
    await part.getByText('401').waitFor();
    await part.getByText('X-Error-Code: unauthorized-access').waitFor();
    await window.look('docs-tried');
    await window.checkSchemes('docs-tried');
  });

  test('calls the address under which it was opened', async (t) => {
    const window = await open(t, { url: `http://127.0.0.1:${port}` }, desk);
    await window.page.goto('/docs');
    assert.equal((await tryOut(window.page, 'authenticate')).status, '200');
    await window.look('docs-by-address');
  });

  test('answers GET and HEAD only, with the policy of every page', async () => {
    const ask = (path: string, method = 'GET') =>
      fetch(`${site.url}${path}`, { method, headers: { Accept: 'text/html' } });
    const policy =
      "default-src 'none';style-src 'self';script-src 'self';img-src 'self';form-action 'self';" +
      "frame-ancestors 'none';base-uri 'none';connect-src 'self'";
    for (const path of ['/docs', '/docs/guide', '/sign-in', '/nothing', '/docs/nothing'])
      assert.equal((await ask(path)).headers.get('content-security-policy'), policy, path);
    for (const path of ['/docs', '/docs/guide']) {
      const head = await ask(path, 'HEAD');
      assert.deepEqual([head.status, await head.text()], [200, ''], path);
      const refused = await ask(path, 'POST');
      assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD'], path);
    }
    for (const name of ['..%2fpackage.json', '..%2f..%2fpackage.json', 'constructor', 'swagger-ui.js'])
      assert.equal((await ask(`/assets/${name}`)).status, 404, name);
  });
});
