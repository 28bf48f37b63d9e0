import { tokenOf } from '#test/support/api.js';
import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openapi } from '@rollcall/contracts';
import { testUuid } from '@rollcall/core/testing';
import type { Page } from 'playwright-core';
import { readOperations } from '#adapters/express/pages/docs/read-operations.js';
import { type Language, samplesOf } from '#adapters/express/pages/docs/samples.js';
import { freePort, type Running, start, temporaryDirectory } from '#test/support/app-cli.js';
import { cookiesOf, desk, looks, useBrowser } from '#test/support/look.js';
import { guidePaths, referencePaths } from '#test/support/page/routes.js';
import { withWebhook } from '#test/support/page/webhook-site.js';

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

const tokenOfDemo = (): Promise<string> => tokenOf(site.url, '1'.repeat(24));

/** The form to try an operation. */
const formOf = (page: Page, id: string) => page.locator(`article:has(> h2#${id}) details.try`);

/** Sends the request of an operation as the reference fills it in, and reads the status and the text of the answer. */
async function tryOut(page: Page, id: string): Promise<{ readonly status: string; readonly text: string }> {
  const part = formOf(page, id);
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
      await page.getByRole('main').getByRole('link', { name: 'Export meetings', exact: true }).last().click();
      assert.equal(page.url(), `${site.url}/docs/meetings#exportMeetings`);
      await window.look('docs-reference');
      assert.equal(await page.locator('details.try').first().isVisible(), hasScript);
      assert.equal(await page.locator('article.operation noscript').first().isVisible(), !hasScript);
      const isShown = (language: string) => page.locator(`#exportMeetings-${language}`).isVisible();
      const languages = page.locator('#exportMeetings-samples');
      assert.deepEqual([await isShown('curl'), await isShown('python')], [true, false]);
      await Promise.all([
        page.waitForResponse((response) => response.url().includes('language=python')),
        languages.getByRole('link', { name: 'Python' }).click(),
      ]);
      await page.locator('#exportMeetings-python').waitFor();
      assert.deepEqual([await isShown('curl'), await isShown('python')], [false, true]);
      assert.equal(await languages.locator('[aria-current]').innerText(), 'Python');
      await page.goto('/docs/users');
      assert.equal(await page.locator('#listUsers-python').isVisible(), true, 'is remembered');
      await page.goto('/docs#readWebhook');
      if (hasScript) await page.waitForURL(`${site.url}/docs/webhook#readWebhook`);
      else await page.locator('#readWebhook').getByRole('link').click();
      assert.equal(page.url(), `${site.url}/docs/webhook#readWebhook`);
      await page.getByRole('link', { name: 'Guide', exact: true }).click();
      await page.getByRole('heading', { name: 'Guide' }).waitFor();
      await window.look('docs-guide');
      await page.getByRole('main').getByRole('link', { name: 'Verifying requests' }).last().click();
      assert.equal(page.url(), `${site.url}/docs/guide/webhooks#verifying`);
      assert.equal(await page.locator('#receiver-code-Python').isVisible(), true, 'in the same language');
      await window.look('docs-guide-page');
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

test('With the access key of the demo, every operation answers its example at the first press', async (t) => {
  const window = await open(t, site, desk);
  const { page } = window;
  const found: { readonly id: string; readonly path: string }[] = [];
  for (const path of referencePaths) {
    await page.goto(path);
    const ids = await page.locator('article.operation > h2').evaluateAll((all) => all.map(({ id }) => id));
    found.push(...ids.map((id) => ({ id, path })));
  }
  const placeOf = ({ id }: { readonly id: string }) => last.indexOf(id);
  let at = '';
  for (const { id, path } of found.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    if (path !== at) await page.goto(path);
    at = path;
    const { status, text } = await tryOut(page, id);
    assert.equal(status, /^redeliver/.test(id) ? '202' : '200', `${id}: ${text}`);
    if (!id.startsWith('list') && !id.startsWith('export') && id !== 'readEvents') continue;
    assert.doesNotMatch(text, /^ {2}"\w+": \[\]/m, `${id} lists nothing`);
  }
  assert.ok(found.length > 20, `${found.length} operations`);
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
    const token = await tokenOfDemo();
    const curl = fileURLToPath(new URL('../support/curl.js', import.meta.url));
    const asCurl = `curl() { "${process.execPath}" "${curl}" -f "$@"; }`;
    // Each starts a process; the ways to write a request are the same in all.
    const some = samplesIn('curl').filter((_, index) => index % 4 === 0);
    const script = ['set -e', asCurl, ...some].join('\n');
    await run('sh', ['-c', script], { env: { ...process.env, TOKEN: token } });
  });
});

describe('The reference', () => {
  test('asks for the access key before it sends what needs one, and accepts a token', async (t) => {
    const window = await open(t, site, desk);
    const { page } = window;
    await page.goto('/docs/webhook');
    const part = formOf(page, 'readWebhook');
    await part.locator('summary').click();
    const access = part.getByLabel('Access key or token');
    assert.equal(await access.inputValue(), '1'.repeat(24));
    await access.fill('');
    const send = async (seen: string) => {
      await part.getByRole('button', { name: 'Send' }).click();
      await part.getByText(seen).first().waitFor();
    };
    await send('Enter your access key');
    await access.fill('wrong');
    await send('X-Error-Code: unauthorized-access');
    await window.look('docs-tried');
    await window.checkSchemes('docs-tried');
    await access.fill(await tokenOfDemo());
    await send('200 OK');
    await part.getByText('X-Request-Id: ').waitFor();
    await access.fill('9'.repeat(24));
    await send('POST /authenticate answered');
    await part.getByText('X-Error-Code: invalid-access-key').waitFor();
    await access.fill('1'.repeat(24));
    await send('200 OK');
    const other = formOf(page, 'testWebhook').getByLabel('Access key or token');
    assert.equal(await other.inputValue(), '1'.repeat(24), 'one for all calls');
    assert.equal(page.url(), `${site.url}/docs/webhook`);
    assert.deepEqual(await page.evaluate('[localStorage.length, sessionStorage.length]'), [0, 0]);
  });

  test('offers the values of a parameter, and shows the form of those that are free', async (t) => {
    const { page } = await open(t, site, desk);
    await page.goto('/docs/meetings');
    const part = formOf(page, 'exportMeetings');
    await part.locator('summary').click();
    const range = part.getByLabel('reporting_days (optional)');
    assert.equal(await range.inputValue(), 'current_month');
    await range.selectOption('custom');
    const start = part.getByLabel('start_time (optional)');
    assert.equal(await start.getAttribute('placeholder'), '11/01/2026 12:00 AM');
    await start.fill('11/01/2026 12:00 AM');
    await part.getByLabel('end_time (optional)').fill('11/30/2026 11:59 PM');
    await part.getByRole('button', { name: 'Send' }).click();
    await part.getByText('200 OK').waitFor();
  });

  test('calls the address under which it was opened', async (t) => {
    const window = await open(t, { url: `http://127.0.0.1:${port}` }, desk);
    await window.page.goto('/docs');
    assert.equal((await tryOut(window.page, 'authenticate')).status, '200');
    await window.look('docs-by-address');
  });

  test('tries calls with what is in the reader’s own organization, and changes nothing at the first press', async (t) => {
    const { started, client } = await withWebhook(t);
    const window = await open(t, started, desk);
    const { page } = window;
    await page.context().addCookies(cookiesOf(client, started));
    await page.goto('/docs/users');
    const valuesOf = async (id: string) =>
      formOf(page, id)
        .locator('input[data-in=path]')
        .evaluateAll((all) => all.map((input) => (input as HTMLInputElement).value));
    assert.deepEqual(await valuesOf('readUser'), ['1', testUuid(102)]);
    assert.deepEqual(await valuesOf('removeUser'), ['1', '']);
    assert.deepEqual(await valuesOf('issueLoginLink'), ['1', '']);
  });

  test('answers GET and HEAD only, with the policy of every page', async () => {
    const ask = (path: string, method = 'GET') =>
      fetch(`${site.url}${path}`, { method, headers: { Accept: 'text/html' } });
    const policy =
      "default-src 'none';style-src 'self';script-src 'self';img-src 'self';form-action 'self';" +
      "frame-ancestors 'none';base-uri 'none';connect-src 'self'";
    for (const path of [
      ...referencePaths,
      '/docs/guide',
      ...guidePaths,
      '/sign-in',
      '/nothing',
      '/docs/nothing',
    ])
      assert.equal((await ask(path)).headers.get('content-security-policy'), policy, path);
    for (const path of ['/docs', '/docs/users', '/docs/guide', '/docs/guide/people']) {
      const head = await ask(path, 'HEAD');
      assert.deepEqual([head.status, await head.text()], [200, ''], path);
      const refused = await ask(path, 'POST');
      assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD'], path);
    }
    for (const name of ['..%2fpackage.json', '..%2f..%2fpackage.json', 'constructor'])
      assert.equal((await ask(`/assets/${name}`)).status, 404, name);
  });
});
