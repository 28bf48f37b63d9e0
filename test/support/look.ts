import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { PageClient } from './page/client.js';

const run = promisify(execFile);

/**
 * Starts Chromium. Nothing needs to be installed: the package `@sparticuz/chromium` contains it, with shared libraries
 * and a font. `CHROMIUM_PATH` selects another one.
 */
async function startBrowser(): Promise<Browser> {
  const given = process.env.CHROMIUM_PATH;
  if (given !== undefined) return chromium.launch({ executablePath: given, args: ADDED_ARGS });

  const { folder, args } = await unpacked();
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: [...args.filter((argument) => !REMOVED_ARGS.includes(argument)), ...ADDED_ARGS],
    env: {
      ...process.env,
      HOME: folder,
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  });
}

const ADDED_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Arguments for Lambda: with a single process, closing a window ends the browser, and the tests need web security. */
const REMOVED_ARGS = [
  '--single-process',
  '--no-zygote',
  '--disable-web-security',
  '--allow-running-insecure-content',
];

interface Unpacked {
  readonly folder: string;
  readonly args: readonly string[];
}

/** Unpacks Chromium once per machine and version. Several processes can do so simultaneously. */
async function unpacked(): Promise<Unpacked> {
  const manifest = new URL('../../package.json', import.meta.resolve('@sparticuz/chromium'));
  const { version } = JSON.parse(await readFile(manifest, 'utf8'));
  const folder = join(tmpdir(), `rollcall-chromium-${version}-${process.getuid?.() ?? 0}`);
  if (!existsSync(folder)) await unpackTo(folder);
  return { folder, args: JSON.parse(await readFile(join(folder, 'args.json'), 'utf8')) };
}

async function unpackTo(folder: string): Promise<void> {
  const fresh = await mkdtemp(`${folder}-`);
  // The package unpacks to TMPDIR, and unpacks its libraries only if the environment looks like Lambda.
  const env = { ...process.env, TMPDIR: fresh, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' };
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', UNPACK], { env });
  await writeFile(join(fresh, 'args.json'), stdout);
  await writeFile(join(fresh, 'fonts.conf'), fontsConfiguration(folder));
  await rename(fresh, folder).catch((error: unknown) => {
    if (!existsSync(folder)) throw error;
    return rm(fresh, { recursive: true });
  });
}

const UNPACK = `
  import chromium from '@sparticuz/chromium';
  await chromium.executablePath();
  console.log(JSON.stringify(chromium.args));
`;

/** The configuration in the package searches for its font in folders that exist only on Lambda. */
function fontsConfiguration(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts', 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
  <alias><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
</fontconfig>
`;
}

/** The folder for screenshots of the pages, which git ignores. */
export const screenshots = fileURLToPath(new URL('../../screenshots/', import.meta.url));

/** Only for people to look at. `npm test` takes none, because they take longer than the checks. */
const takesScreenshots = process.env.TEST_SCREENSHOTS !== '0';

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

export const sizes = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 900 } } as const;

export type Scheme = 'light' | 'dark';

export interface Look {
  readonly name: string;
  readonly options: BrowserContextOptions;
}

/** The time limit for each step in a window. */
const STEP_TIMEOUT_MS = 60_000;

export const desk: Look = { name: 'desk', options: { viewport: sizes.desk } };

/**
 * The ways of members and visitors must work with each of these settings. `views-browser` checks every page on phones,
 * `design-browser` without script, and every form is sent without script by the tests of the page.
 */
export const looks: readonly Look[] = [
  desk,
  { name: 'phone without script', options: { viewport: sizes.phone, javaScriptEnabled: false } },
];

/** A strict window: no console messages, no requests to other hosts, and no content wider than the window. */
export type Window = Awaited<ReturnType<typeof open>>;

/** Starts one browser for all tests of the calling file. Each window has a separate profile. */
export function useBrowser() {
  let browser: Browser;
  before(async () => {
    await mkdir(screenshots, { recursive: true });
    browser = await startBrowser();
  });
  after(() => browser.close());
  return (context: TestContext, site: { readonly url: string }, look: Look) =>
    open({ context, browser, site, look });
}

async function open({
  context,
  browser,
  site,
  look: { name: lookName, options },
}: {
  readonly context: TestContext;
  readonly browser: Browser;
  readonly site: { readonly url: string };
  readonly look: Look;
}) {
  const profile = await browser.newContext({ ...options, baseURL: site.url });
  context.after(() => profile.close());
  profile.setDefaultTimeout(STEP_TIMEOUT_MS);
  const page = await profile.newPage();
  const messages: string[] = [];
  const foreignRequests: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(error.message));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== site.url) foreignRequests.push(request.url());
  });
  return {
    page,
    /** Checks with axe in light and dark mode, for what is none of the pages that `views-browser` checks. */
    async checkSchemes(name: string): Promise<void> {
      await inEachScheme(page, async (scheme) =>
        assert.deepEqual(await axeViolations(page), [], `${name} in ${scheme}`),
      );
    },
    /** Checks the rules for every page, and takes screenshots unless `TEST_SCREENSHOTS` is 0. */
    async look(name: string): Promise<void> {
      assert.deepEqual(
        messages.filter((message) => !isStatusMessage(message)),
        [],
        name,
      );
      assert.deepEqual(foreignRequests, [], name);
      assert.equal(await page.locator('h1').count(), 1, `${name} has one h1`);
      if (takesScreenshots)
        await inEachScheme(page, (scheme) => takePicture(page, `${name}-${lookName}`, scheme));
      const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      assert.ok(Number(overflow) <= 0, `${name} is ${overflow} pixels wider than the window`);
    },
  };
}

/** Writes a picture of the whole page into the folder for screenshots. */
export async function takePicture(page: Page, name: string, scheme: Scheme): Promise<void> {
  const path = `${screenshots}${name}${scheme === 'dark' ? '-dark' : ''}.png`;
  await page.screenshot({ path, fullPage: true, animations: 'disabled' });
}

/** Runs the step in light and in dark mode. */
async function inEachScheme(page: Page, step: (scheme: Scheme) => Promise<void>): Promise<void> {
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await step(scheme);
  }
  await page.emulateMedia({ colorScheme: null });
}

/** WCAG 2.2 up to level AA, and what axe advises beyond it. By default, axe leaves out what is new in 2.2. */
const axeTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] as const;

/**
 * In the middle of a change from light to dark, colors have no contrast. The styles change with the next frame, and
 * listeners of media queries are called with the one after that. When the transition of an element ends, those of what
 * it contains begin.
 */
const finishTransitions = `(async () => {
  for (let frame = 0; frame < 2; frame += 1)
    await new Promise((resolve) => requestAnimationFrame(resolve));
  for (let round = 0; round < 10; round += 1) {
    const running = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    if (running.length === 0) return;
    for (const animation of running) animation.finish();
  }
})()`;

/** Everything that axe finds, each with its rule and element. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  await page.evaluate(finishTransitions);
  const options = JSON.stringify({ runOnly: axeTags, resultTypes: ['violations'] });
  return page.evaluate<string[]>(`axe.run(${options}).then(({ violations }) => violations
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`);
}

/** Chromium logs every response with a status of 400 or above. */
function isStatusMessage(message: string): boolean {
  return message.startsWith('Failed to load resource: the server responded with a status of 4');
}

/** The cookies of a client without a window, for a window. */
export function cookiesOf(client: PageClient, { url }: { readonly url: string }) {
  return [...client.cookies()].map(([name, value]) => ({ name, value, url }));
}
