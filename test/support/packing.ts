import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The time limit of a program. */
const MAX_RUN_MS = 300_000;

/** Packs a package. Returns the name of the tarball. */
export function packPackage(what: string, folder: string): string {
  const tarballs = () => readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  const before = tarballs();
  npm(['pack', '--ignore-scripts', '--pack-destination', folder, what], { folder, at: root });
  const [created] = tarballs().filter((name) => !before.includes(name));
  if (created === undefined) throw new Error(`npm pack has created no tarball of ${what}`);
  return created;
}

/** Runs npm with a cache in the folder, so that nothing outside it is read or written. */
function npm(
  args: readonly string[],
  { folder, at }: { readonly folder: string; readonly at: string },
): void {
  runProgram('npm', [...args, '--silent', '--no-update-notifier', '--cache', join(folder, '.cache')], at);
}

export function runProgram(program: string, args: readonly string[], at: string): string {
  // A test runner inside a test runner would report to the outer one. The coverage of tools does not matter.
  const { NODE_TEST_CONTEXT, NODE_V8_COVERAGE, ...env } = process.env;
  const options = { cwd: at, env, encoding: 'utf8', timeout: MAX_RUN_MS, stdio: 'pipe' } as const;
  try {
    return execFileSync(program, args, options);
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${args.join(' ')} failed\n${stdout}\n${stderr}`, { cause: error });
  }
}
