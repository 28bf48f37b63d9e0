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

/** An npm project of its own with the packed core installed, and nothing of this repository within reach. */
export interface PackedCore {
  readonly folder: string;
  readonly tarball: string;
  /** Where the core was installed. */
  readonly installed: string;
  write(name: string, text: string): string;
  /** Runs a program in the folder and gives what it prints; fails with all that it said. */
  run(args: readonly string[], at?: string): string;
  /** Makes a package of this repository's own installation importable by a name, as if it had been installed as well. */
  link(name: string, installed?: string): void;
  remove(): void;
}

/** Milliseconds that a program may take. */
const MAX_RUN_MS = 120_000;

/** Packs the core as it would be published and installs it with its one dependency. No registry is asked. */
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
  const tarball = pack(join(root, 'core'), folder);
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
    run: (args, at = folder) => run(process.execPath, args, at),
    link(name, installed = name) {
      const target = join(folder, 'node_modules', name);
      mkdirSync(dirname(target), { recursive: true });
      symlinkSync(join(root, 'node_modules', installed), target);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Packs what a package depends on, and what that depends on, and says which files they are. */
function packAll(of: string, folder: string): Readonly<Record<string, string>> {
  const { dependencies = {} } = JSON.parse(readFileSync(join(of, 'package.json'), 'utf8'));
  const found = Object.keys(dependencies).map((name) => {
    const own = join(root, 'node_modules', name);
    return { [name]: `file:${pack(own, folder)}`, ...packAll(own, folder) };
  });
  return Object.assign({}, ...found);
}

/** The name of the tarball. */
function pack(what: string, folder: string): string {
  const tarballs = () => readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  const before = tarballs();
  npm(['pack', '--ignore-scripts', '--pack-destination', folder, what], { folder, at: root });
  const [made] = tarballs().filter((name) => !before.includes(name));
  if (made === undefined) throw new Error(`npm pack made nothing of ${what}`);
  return made;
}

/** With a cache in the folder, so that nothing outside it is read or written. */
function npm(
  args: readonly string[],
  { folder, at }: { readonly folder: string; readonly at: string },
): void {
  run('npm', [...args, '--silent', '--no-update-notifier', '--cache', join(folder, '.cache')], at);
}

function run(program: string, args: readonly string[], at: string): string {
  // A test runner inside a test runner would report to the outer one.
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  const options = { cwd: at, env, encoding: 'utf8', timeout: MAX_RUN_MS, stdio: 'pipe' } as const;
  try {
    return execFileSync(program, args, options);
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${args.join(' ')} failed\n${stdout}\n${stderr}`, { cause: error });
  }
}
