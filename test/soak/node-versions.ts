import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Clones the commit, and installs, builds and tries it with other versions of Node, which come from npm:
 * `node test/dist/soak/node-versions.js 22 24 26`. With `--tests`, it also runs all tests with each version, one after
 * the other; that takes a quarter of an hour for each.
 */
const options = process.argv.slice(2);
const withTests = options.includes('--tests');
const versions = options.filter((name) => name !== '--tests');
if (versions.length === 0 || versions.some((version) => !/^\d+(\.\d+){0,2}$/.test(version)))
  throw new Error('Which versions of Node? For example: 22 24 26');

const root = fileURLToPath(new URL('../../../', import.meta.url));
const MINUTE_MS = 60_000;
/** How many of the last lines of a failed program are shown. */
const SHOWN_LINES = 80;

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

/** Null if everything passed. */
async function failureOf(version: string): Promise<string | null> {
  try {
    await tryVersion(version);
    return null;
  } catch (error) {
    return `Node ${version}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function tryVersion(version: string): Promise<void> {
  const start = performance.now();
  const path = await installNode(version);
  const clone = join(scratch, `rollcall-${version}`);
  await program('git', ['clone', '--quiet', '--no-hardlinks', root, clone], { cwd: scratch });
  const here = { cwd: clone, path };
  await program('npm', ['ci'], { ...here, timeoutMs: 5 * MINUTE_MS });
  const installed = secondsSince(start);
  await program('npm', ['run', '--silent', 'build'], here);
  // The compiled tests are the same for every version, and compiling them takes longer than the product.
  cpSync(fileURLToPath(new URL('../', import.meta.url)), join(clone, 'test', 'dist'), { recursive: true });
  await program('node', ['test/dist/soak/under-garbage-collection.js'], {
    ...here,
    timeoutMs: 5 * MINUTE_MS,
  });
  const tried = secondsSince(start);
  if (withTests) await program('npm', ['test'], { ...here, timeoutMs: 60 * MINUTE_MS });
  const tests = withTests ? `, all tests run after ${secondsSince(start)} s` : '';
  process.stdout.write(
    `Node ${version}: installed after ${installed} s, demo and exports tried after ${tried} s${tests}\n`,
  );
}

/** Installs the npm package of this Node for this machine. Returns the folder of the program. */
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
  /** The first folder to search for programs. */
  readonly path?: string;
  /** Milliseconds. */
  readonly timeoutMs?: number;
}

/** Runs the program to its end. If it fails or takes too long, throws an error with the end of its output. */
async function program(
  name: string,
  args: readonly string[],
  { cwd, path, timeoutMs = 2 * MINUTE_MS }: Where,
): Promise<void> {
  const PATH = [path ?? [], process.env.PATH ?? []].flat().join(delimiter);
  const child = spawn(name, args, {
    cwd,
    env: { ...process.env, PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
    // The programs that it starts end with it.
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), timeoutMs);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  if (code === 0) return;
  const end = output.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n');
  throw new Error(`${[name, ...args].join(' ')} ended with ${code ?? signal}:\n${end}`);
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 1000);
}
