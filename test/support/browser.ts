import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

const run = promisify(execFile);

/**
 * Starts Chromium. Nothing needs to be installed: the package `@sparticuz/chromium` contains it, with shared libraries
 * and a font. `CHROMIUM_PATH` selects another one.
 */
export async function startBrowser(): Promise<Browser> {
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
