import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Role } from '@rollcall/core';
import type { Page } from 'playwright-core';
import { freePort, type Running, start, temporaryDirectory } from '#test/support/app-cli.js';
import { useBrowser, type Window } from '#test/support/look.js';
import { readmePictures, shownPictures, takenPicture } from '#test/support/readme-pictures.js';

/** The same for everyone, whatever the settings of the machine that takes the pictures. */
const look = {
  name: 'readme',
  options: {
    viewport: { width: 1100, height: 760 },
    colorScheme: 'light',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  },
} as const;

const open = useBrowser();

describe('The pictures of the README', () => {
  const directory = temporaryDirectory();
  let demo: Running;
  let url: string;
  const windows = new Map<Role, Window>();

  before(async () => {
    const port = await freePort();
    demo = start(['demo'], { cwd: directory.path, env: { PORT: String(port) } });
    await demo.see(/\n/);
    url = `http://localhost:${port}`;
  });
  after(async () => {
    await demo.discard();
    directory.remove();
  });

  /** A window in which a person with the role has signed in as the demo says. */
  async function windowOf(context: TestContext, role: Role): Promise<Window> {
    const window = windows.get(role) ?? (await open(context, { url }, look));
    if (!windows.has(role)) await signIn(window.page, role);
    windows.set(role, window);
    return window;
  }

  async function signIn(page: Page, role: Role): Promise<void> {
    const { sign_ins: people } = JSON.parse(demo.stdout());
    const { email, password } = people.find((one: { readonly role: Role }) => one.role === role);
    await page.goto('/sign-in');
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Account:').waitFor({ state: 'attached' });
  }

  test('are taken from the demo’s pages, which load nothing from other hosts and log nothing to the console', async (t) => {
    for (const { name, role, path, heading, from } of readmePictures) {
      const window = await windowOf(t, role);
      await window.page.goto(path);
      await window.page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await window.look(`demo-${name}`);
      if (from !== undefined) await scrollTo(window.page, from);
      const picture = takenPicture({ name });
      await window.page.screenshot({ path: picture, animations: 'disabled' });
      const { width, height } = sizeOf(readFileSync(picture));
      assert.deepEqual({ width, height }, look.options.viewport);
    }
  });

  test('are those that the README shows, in its order, and no others', () => {
    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
    const shown = [...readme.matchAll(/!\[[^\]]+\]\(\.github\/([^)]+)\)/g)].map(([, file]) => file);
    const files = readmePictures.map(({ name }) => `${name}.png`);
    assert.deepEqual(shown, files);
    const pictures = readdirSync(shownPictures).filter((name) => name.endsWith('.png'));
    assert.deepEqual(pictures.sort(), [...files].sort());
    for (const file of files) {
      const { width, height } = sizeOf(readFileSync(`${shownPictures}${file}`));
      assert.deepEqual({ width, height }, look.options.viewport, `${file}: npm run pictures`);
    }
  });
});

/** Scrolls to the heading, with a little room above. */
async function scrollTo(page: Page, heading: string): Promise<void> {
  const box = await page.getByRole('heading', { name: heading, exact: true }).boundingBox();
  await page.evaluate(`scrollTo(0, ${(box?.y ?? 0) - 30})`);
}

/** The size of a PNG, from its first chunk. */
function sizeOf(png: Buffer): { readonly width: number; readonly height: number } {
  assert.equal(png.toString('latin1', 1, 4), 'PNG');
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}
