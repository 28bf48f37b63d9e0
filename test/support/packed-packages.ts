import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { until } from './fault/service.js';
import { packPackage, root, runProgram } from './packed-core.js';

/** The folders of the packages that are published together. */
export const packageFolders = [
  'core',
  'contracts',
  'adapters/sql',
  'adapters/node',
  'adapters/express',
  'app',
] as const;

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A project outside this repository, with all packages installed from their tarballs. */
export interface PackedPackages {
  readonly folder: string;
  readonly tarballs: Readonly<Record<string, string>>;
  write(name: string, text: string): string;
  /** Runs a program in the folder and returns its output. On failure, the error contains all output. */
  run(args: readonly string[]): string;
  /** Starts a program and resolves when it answers at the port. */
  serve(args: readonly string[], options: ServeOptions): Promise<Served>;
  remove(): void;
}

export interface ServeOptions {
  /** On 127.0.0.1. */
  readonly port: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Served {
  /** Ends the program with SIGTERM, and returns its exit code. */
  stop(): Promise<number | null>;
}

/**
 * Packs and installs every package, without a registry. Packages of others are linked if a manifest names them, so
 * that a dependency that is missing from it cannot be imported.
 */
export function packPackages(): PackedPackages {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rollcall-packages-')));
  try {
    const tarballs = Object.fromEntries(packageFolders.map((source) => installPackage(source, folder)));
    // What the programs of the tests use beside the packages.
    for (const name of ['express', 'fastify', '@types/node']) linkPackage(name, folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }));
    cpSync(join(root, 'test', 'examples'), folder, { recursive: true });
    return { folder, tarballs, ...programsIn(folder) };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

export function manifestOf(source: string): Manifest {
  return JSON.parse(readFileSync(join(root, source, 'package.json'), 'utf8')) as Manifest;
}

/** Packs a package, and installs it with links to the packages of others that it needs. */
export function installPackage(source: string, folder: string): readonly [name: string, tarball: string] {
  const manifest = manifestOf(source);
  const tarball = join(folder, packPackage(join(root, source), folder));
  const installed = join(folder, 'node_modules', manifest.name);
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  const others = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies };
  for (const name of Object.keys(others)) {
    if (!packageFolders.some((own) => manifestOf(own).name === name)) linkPackage(name, folder);
  }
  return [manifest.name, tarball];
}

function linkPackage(name: string, folder: string): void {
  const source = join(root, 'node_modules', name);
  const target = join(folder, 'node_modules', name);
  // The driver of another version of Node is not installed.
  if (!existsSync(source) || existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(source, target);
}

/** Runs programs in a folder with Node, or with another runtime: its program and first arguments. */
export function programsIn(
  folder: string,
  [program = process.execPath, ...first]: readonly string[] = [],
): Pick<PackedPackages, 'write' | 'run' | 'serve' | 'remove'> {
  return {
    write(name, text) {
      const file = join(folder, name);
      writeFileSync(file, text);
      return file;
    },
    run: (args) => runProgram(program, [...first, ...args], folder),
    async serve(args, { port, env = {} }) {
      const { NODE_TEST_CONTEXT, NODE_V8_COVERAGE, ...inherited } = process.env;
      const child = spawn(program, [...first, ...args], {
        cwd: folder,
        env: { ...inherited, ...env },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const ended = once(child, 'exit').then(([code]) => code as number | null);
      const stop = (): Promise<number | null> => {
        child.kill('SIGTERM');
        return ended;
      };
      const isServing = await until(() => answers(port, () => child.exitCode === null), MAX_START_MS);
      if (isServing) return { stop };
      await stop();
      throw new Error(`${args.join(' ')} does not answer at port ${port}`);
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

const MAX_START_MS = 30_000;

async function answers(port: number, isRunning: () => boolean): Promise<boolean> {
  if (!isRunning()) return false;
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}
