import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { exampleChecks } from '../support/example-checks.js';
import { manifestOf, packageFolders, programsIn } from '../support/packed-packages.js';
import { packPackage, root } from '../support/packing.js';
import { endPostgres } from '../support/postgres.js';

/**
 * Installs the packed packages with npm in empty projects, and runs every example with each version of Node, with Deno
 * and with Bun. All of them come from npm.
 */
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'rollcall-runtimes-')));
let failed = 0;
try {
  const tarballs = packAll();
  const nodes = Object.fromEntries(
    ['20', '22', '24', '26'].map((version) => [version, installNode(version)]),
  );
  const others = installOthers();
  const old = installProject('node-20', { tarballs, node: nodes['20'] ?? '' });
  const current = installProject('node-24', { tarballs, node: nodes['24'] ?? '' });
  await tryExamples('Node 20', old, [join(nodes['20'] ?? '', 'node')]);
  for (const version of ['22', '24', '26'])
    await tryExamples(`Node ${version}`, current, [join(nodes[version] ?? '', 'node')]);
  await tryExamples('Deno', current, [join(others, 'deno'), 'run', '-A']);
  await tryExamples('Bun', current, [join(others, 'bun')]);
} finally {
  await endPostgres();
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
}
if (failed > 0) process.exitCode = 1;

async function tryExamples(name: string, folder: string, program: readonly string[]): Promise<void> {
  const programs = programsIn(folder, program);
  for (const { name: example, check } of exampleChecks) {
    try {
      await check(programs);
      process.stdout.write(`${name}: ${example}\n`);
    } catch (error) {
      failed += 1;
      process.stdout.write(`${name}: FAILED: ${example}\n${error instanceof Error ? error.stack : error}\n`);
    }
  }
}

function packAll(): readonly string[] {
  return [...packageFolders, 'adapters/sql/node20'].map((source) =>
    join(scratch, packPackage(join(root, source), scratch)),
  );
}

/** Returns the folder of the program `node`. */
function installNode(version: string): string {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(scratch, `with-node-${version}`);
  npm(['install', '--no-save', '--prefix', folder, `${name}@${version}`], { cwd: scratch });
  return join(folder, 'node_modules', name, 'bin');
}

/** Returns the folder of the programs `deno` and `bun`. */
function installOthers(): string {
  const folder = join(scratch, 'others');
  npm(['install', '--no-save', '--prefix', folder, 'deno@2', 'bun@1'], { cwd: scratch });
  return join(folder, 'node_modules', '.bin');
}

/** A project that has installed the tarballs with this Node, as a user would. */
function installProject(
  name: string,
  { tarballs, node }: { readonly tarballs: readonly string[]; readonly node: string },
): string {
  const folder = join(scratch, name);
  mkdirSync(folder);
  const own = packageFolders.map((source) => manifestOf(source).name);
  const files = [...own, '@rollcall/sqlite-node20'].map((of, index) => [of, `file:${tarballs[index]}`]);
  // Later versions of what Fastify needs do not run on Node 20.
  const overrides = { 'light-my-request': '~6.6.0' };
  const dependencies = { ...Object.fromEntries(files), express: '^5.3.0', fastify: '^5.12.8' };
  if (name !== 'node-20') delete (dependencies as Record<string, string>)['@rollcall/sqlite-node20'];
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies, overrides }));
  npm(['install'], { cwd: folder, path: node });
  const examples = join(root, 'test', 'examples');
  for (const example of readdirSync(examples)) cpSync(join(examples, example), join(folder, example));
  return folder;
}

function npm(args: readonly string[], { cwd, path }: { readonly cwd: string; readonly path?: string }): void {
  const PATH = [path ?? [], process.env.PATH ?? []].flat().join(delimiter);
  execFileSync('npm', [...args, '--silent', '--no-audit', '--no-fund'], {
    cwd,
    env: { ...process.env, PATH },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 10 * 60_000,
  });
}
