import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A clone of what is committed is installed, built and tried with other versions of Node, whose programs come from
 * npm: `node test/dist/soak/node-versions.js 22 24 26`. With `--tests` all tests are run with each, one after the
 * other, which takes a quarter of an hour each.
 */
const given = process.argv.slice(2);
const withTests = given.includes('--tests');
const versions = given.filter((name) => name !== '--tests');
if (versions.length === 0 || versions.some((version) => !/^\d+(\.\d+){0,2}$/.test(version)))
  throw new Error('Which versions of Node? For example: 22 24 26');

const root = fileURLToPath(new URL('../../../', import.meta.url));
const MINUTE_MS = 60_000;
/** The lines of what a failed program said that are shown. */
const LINES = 80;

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'rollcall-node-')));
try {
  const failures = withTests ? await oneByOne(versions) : await Promise.all(versions.map(failureOf));
  for (const failure of failures) if (failure !== null) process.stderr.write(`${failure}\n`);
  if (failures.some((failure) => failure !== null)) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
}

async function oneByOne(list: readonly string[]): Promise<readonly (string | null)[]> {
  const failures: (string | null)[] = [];
  for (const version of list) failures.push(await failureOf(version));
  return failures;
}

/** Null: all of it passed. */
async function failureOf(version: string): Promise<string | null> {
  try {
    await tryVersion(version);
    return null;
  } catch (error) {
    return `Node ${version}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function tryVersion(version: string): Promise<void> {
  const from = performance.now();
  const path = await installNode(version);
  const clone = join(scratch, `rollcall-${version}`);
  await program('git', ['clone', '--quiet', '--no-hardlinks', root, clone], { cwd: scratch });
  const here = { cwd: clone, path };
  await program('npm', ['ci'], { ...here, longest: 5 * MINUTE_MS });
  const installed = secondsSince(from);
  await program('npm', ['run', '--silent', 'build:test'], here);
  await program('node', ['test/dist/soak/this-node.js'], { ...here, longest: 5 * MINUTE_MS });
  const tried = secondsSince(from);
  if (withTests) await program('npm', ['test'], { ...here, longest: 40 * MINUTE_MS });
  const tests = withTests ? `, all tests after ${secondsSince(from)} s` : '';
  process.stdout.write(
    `Node ${version}: installed after ${installed} s, demo and exports after ${tried} s${tests}\n`,
  );
}

/** The folder of its program, out of the package for this machine, which brings the program and its headers. */
async function installNode(version: string): Promise<string> {
  const { platform, arch } = process;
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node';
  const name = `${prefix}-${platform}-${arch}`;
  const folder = join(scratch, `node-${version}`);
  await program('npm', ['install', '--no-save', '--prefix', folder, `${name}@${version}`], { cwd: scratch });
  return join(folder, 'node_modules', name, 'bin');
}

interface Where {
  readonly cwd: string;
  /** Searched for programs before the others. */
  readonly path?: string;
  /** Milliseconds. */
  readonly longest?: number;
}

/** Runs it to its end; throws with the end of what it said where it fails or takes too long. */
async function program(
  name: string,
  args: readonly string[],
  { cwd, path, longest = 2 * MINUTE_MS }: Where,
): Promise<void> {
  const PATH = [path ?? [], process.env.PATH ?? []].flat().join(delimiter);
  const child = spawn(name, args, {
    cwd,
    env: { ...process.env, PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
    // What it has started ends with it.
    detached: true,
  });
  let said = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const impatient = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), longest);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  clearTimeout(impatient);
  if (code === 0) return;
  const end = said.trimEnd().split('\n').slice(-LINES).join('\n');
  throw new Error(`${[name, ...args].join(' ')} ended with ${code ?? signal}:\n${end}`);
}

function secondsSince(from: number): number {
  return Math.round((performance.now() - from) / 1000);
}
