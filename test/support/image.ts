import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { follow, freePort, temporaryDirectory } from './app-cli.js';

/** Builds the image in a folder without Docker, by following the instructions of the Dockerfile. */

const repository = fileURLToPath(new URL('../../../', import.meta.url));

interface Instruction {
  readonly name: string;
  readonly text: string;
}

interface Stage {
  readonly name: string;
  /** The base image, with its tag and digest. */
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

/** Reads the Dockerfile. Each instruction must be on one line. */
export function readDockerfile(): readonly Stage[] {
  const stages: { name: string; base: string; instructions: Instruction[] }[] = [];
  for (const line of readFileSync(join(repository, 'Dockerfile'), 'utf8').split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    assert.ok(!line.endsWith('\\'), `this instruction continues on the next line: ${line}`);
    const [, name = '', text = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (name === 'FROM') {
      const [base = '', , as = 'image'] = text.split(' ');
      stages.push({ name: as, base, instructions: [] });
    } else stages.at(-1)?.instructions.push({ name, text });
  }
  return stages;
}

/** A folder that represents the root of the image. */
export type Image = Awaited<ReturnType<typeof buildImage>>;

export interface BuildImage {
  /**
   * `all` runs every instruction, including both installations, which takes minutes. `copy` replaces the first stage
   * with a copy of this built repository and its installed packages that production needs according to the lock file.
   */
  readonly how: 'all' | 'copy';
}

export async function buildImage({ how }: BuildImage) {
  const [build, image] = readDockerfile();
  assert.ok(build !== undefined && image !== undefined);
  const { path, remove } = temporaryDirectory();
  try {
    const built = join(path, 'build');
    const root = join(path, 'image');
    mkdirSync(built);
    mkdirSync(root);
    if (how === 'all') await runStage(build, { root: built, context: repository });
    else copyRepository(join(built, workdirOf(build)));
    await runStage(image, { root, context: built });
    return { root, remove, ...programsOf(image, { root, how }) };
  } catch (error) {
    remove();
    throw error;
  }
}

function workdirOf({ instructions }: Pick<Stage, 'instructions'>): string {
  return instructions.find(({ name }) => name === 'WORKDIR')?.text ?? '';
}

async function runStage(
  { instructions }: Stage,
  { root, context }: { readonly root: string; readonly context: string },
): Promise<void> {
  let cwd = root;
  for (const { name, text } of instructions) {
    if (name === 'WORKDIR') cwd = join(root, text);
    mkdirSync(cwd, { recursive: true });
    if (name === 'COPY') copy(text, { root, cwd, context });
    if (name === 'RUN') {
      assert.notEqual(cwd, root, `this would run in the real root folder: ${text}`);
      await shell(text, cwd);
    }
  }
}

const ignored = readFileSync(join(repository, '.dockerignore'), 'utf8').split('\n').filter(Boolean);

/** Supports only the two forms of patterns that our `.dockerignore` contains. */
function isIgnored(path: string): boolean {
  return ignored.some((pattern) => {
    if (!pattern.startsWith('**/')) return path === pattern;
    const name = pattern.slice(3);
    return name.startsWith('*') ? path.endsWith(name.slice(1)) : basename(path) === name;
  });
}

interface Places {
  readonly root: string;
  readonly cwd: string;
  readonly context: string;
}

function copy(text: string, { root, cwd, context }: Places): void {
  const parts = text.split(' ');
  const isFromStage = parts.some((part) => part.startsWith('--from='));
  const sources = parts.filter((part) => !part.startsWith('--'));
  const place = sources.pop() ?? '';
  const target = place.startsWith('/') ? join(root, place) : join(cwd, place);
  for (const source of sources) {
    const from = join(context, source);
    const isFile = /\.\w+$/.test(basename(source)) || basename(source).startsWith('.npmrc');
    const isFolder = source === '.' || !isFile;
    cpSync(from, isFolder ? target : join(target, basename(source)), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => isFromStage || !isIgnored(relative(context, path)),
    });
  }
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly link?: boolean; readonly resolved?: string }>
  >;
}

/**
 * Copies this repository as after `npm run build` and `npm ci --omit=dev`. Its packages are links to the installed
 * ones.
 */
function copyRepository(target: string): void {
  const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as Lock;
  for (const name of ['package.json', 'core', 'contracts', 'adapters', 'app']) {
    cpSync(join(repository, name), join(target, name), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules',
    });
  }
  for (const [path, { dev, link, resolved = '' }] of Object.entries(packages)) {
    const isForProduction = dev !== true && /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path);
    // A package for another platform is not installed.
    if (!isForProduction || !existsSync(join(repository, path))) continue;
    mkdirSync(dirname(join(target, path)), { recursive: true });
    const here = link ? join(target, resolved) : join(repository, path);
    symlinkSync(here, join(target, path));
  }
  mkdirSync(join(target, 'data'));
}

/** Node in the image, which is not on the search path. */
const NODE = '/nodejs/bin/node';

/** Makes Node resolve the imports of a linked package from the place of the link. */
const preserveLinks = { NODE_OPTIONS: '--preserve-symlinks --preserve-symlinks-main' };

function programsOf({ instructions }: Stage, { root, how }: BuildImage & { readonly root: string }) {
  const textOf = (wanted: string): string =>
    instructions.find(({ name }) => name === wanted)?.text ?? assert.fail(`the Dockerfile has no ${wanted}`);
  const command = [...words(textOf('ENTRYPOINT')), ...words(textOf('CMD'))];
  const health = words(/ CMD (.+)$/.exec(textOf('HEALTHCHECK'))?.[1] ?? '');
  const volume = textOf('VOLUME');
  const variables = Object.fromEntries(
    textOf('ENV')
      .split(' ')
      .map((pair) => /^(\w+)=(.*)$/.exec(pair.replace(volume, join(root, volume)))?.slice(1) ?? []),
  );
  const start = ([program, ...args]: readonly string[], env: Readonly<Record<string, string>>) => {
    assert.equal(program, NODE);
    return follow(
      spawn(process.execPath, args, {
        cwd: join(root, workdirOf({ instructions })),
        // Tests listen on the loopback address only.
        env: { ...variables, ...(how === 'copy' && preserveLinks), HOST: '127.0.0.1', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
  };
  return {
    /** Runs the command of the image in its folder, with its variables. */
    run: (env: Readonly<Record<string, string>> = {}) => start(command, env),
    /** Runs the health check, and returns its exit code. */
    health: async (env: Readonly<Record<string, string>>) => (await start(health, env).ended).code,
  };
}

/** Reads the exec form of a command, which is JSON. In the other form a shell would not pass signals on. */
function words(text: string): readonly string[] {
  const list: unknown = JSON.parse(text);
  assert.ok(Array.isArray(list) && list.every((word) => typeof word === 'string'), text);
  return list;
}

async function shell(line: string, cwd: string): Promise<void> {
  const child = spawn('sh', ['-c', line], { cwd, stdio: ['ignore', 'inherit', 'inherit'], timeout: 600_000 });
  const [code] = (await once(child, 'exit')) as [number | null];
  assert.equal(code, 0, line);
}

/** Runs the image like an orchestrator. Fails if it does not behave as expected. */
export async function tryImage(image: Image, given: Readonly<Record<string, string>> = {}): Promise<void> {
  const env = { ...given, PORT: String(await freePort()) };
  const running = image.run(env);
  try {
    await running.see(/"msg":"Listening"/);
    const ready = await fetch(`http://127.0.0.1:${env.PORT}/readyz`);
    assert.equal(ready.status, 200, await ready.text());
    const page = await fetch(`http://127.0.0.1:${env.PORT}/sign-in`);
    assert.equal(page.status, 200);
    assert.equal(await image.health(env), 0);
    const { code, stdout, stderr } = await running.stop();
    assert.equal(code, 0, stdout + stderr);
    assert.equal(await image.health(env), 1);
  } finally {
    await running.discard();
  }
}
