import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A separate npm project with the packed core installed, which cannot reach this repository. */
export interface PackedCore {
  readonly folder: string;
  readonly tarball: string;
  /** The folder of the installed core. */
  readonly installed: string;
  write(name: string, text: string): string;
  /** Runs a program in the folder and returns its output. On failure, the error contains all output. */
  run(args: readonly string[], at?: string): string;
  /** Links a package installed in this repository, so that it can be imported by a name. */
  link(name: string, installed?: string): void;
  remove(): void;
}

/** The time limit of a program. */
const MAX_RUN_MS = 120_000;

/** Packs the core as for publishing, and installs it with its one dependency, without a registry. */
export function packCore(): PackedCore {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-library-'));
  try {
    return install(folder);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function install(folder: string): PackedCore {
  const tarball = packPackage(join(root, 'core'), folder);
  const dependencies = { '@rollcall/core': `file:${tarball}`, ...packAll(join(root, 'core'), folder) };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  npm(['install', '--offline', '--ignore-scripts', '--no-audit'], { folder, at: folder });
  return {
    folder,
    tarball: join(folder, tarball),
    installed: join(folder, 'node_modules', '@rollcall', 'core'),
    write(name, text) {
      const file = join(folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    run: (args, at = folder) => runProgram(process.execPath, args, at),
    link(name, installed = name) {
      const target = join(folder, 'node_modules', name);
      mkdirSync(dirname(target), { recursive: true });
      symlinkSync(join(root, 'node_modules', installed), target);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Packs all dependencies of a package, including indirect ones. Returns the tarball of each. */
function packAll(of: string, folder: string): Readonly<Record<string, string>> {
  const { dependencies = {} } = JSON.parse(readFileSync(join(of, 'package.json'), 'utf8'));
  const found = Object.keys(dependencies).map((name) => {
    const own = join(root, 'node_modules', name);
    return { [name]: `file:${packPackage(own, folder)}`, ...packAll(own, folder) };
  });
  return Object.assign({}, ...found);
}

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
