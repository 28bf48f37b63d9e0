import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from './app-cli.js';
import { packPackage, root, runProgram } from './packing.js';
import { until } from './wait.js';

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
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A project outside this repository, with packages installed from their tarballs. */
export type PackedPackages = ReturnType<typeof installPackages>;

export interface ServeOptions {
  /** On 127.0.0.1. */
  readonly port: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** The entries that are modules, not files such as `./openapi.yaml`. */
export function entriesOf({ exports }: Manifest): readonly string[] {
  return Object.keys(exports).filter((entry) => /^\.(\/[\w-]+)?$/.test(entry));
}

/** A project in which the packages of the tarballs are installed, without a registry. */
export function installPackages(tarballs: Readonly<Record<string, string>>) {
  const { path: folder } = temporaryDirectory();
  for (const source of packageFolders) {
    const tarball = tarballs[manifestOf(source).name];
    if (tarball !== undefined) installPackage(source, folder, tarball);
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }));
  return { folder, ...programsIn(folder) };
}

export function manifestOf(source: string): Manifest {
  return JSON.parse(readFileSync(join(root, source, 'package.json'), 'utf8')) as Manifest;
}

/**
 * Installs a package, and links the packages of others that its manifest names, so that a dependency that is missing from
 * it cannot be imported.
 */
export function installPackage(
  source: string,
  folder: string,
  tarball = join(folder, packPackage(join(root, source), folder)),
): void {
  const manifest = manifestOf(source);
  const installed = join(folder, 'node_modules', manifest.name);
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  const others = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies };
  for (const name of Object.keys(others)) {
    if (!packageFolders.some((own) => manifestOf(own).name === name)) linkPackage(folder, name);
  }
}

function linkPackage(folder: string, name: string, installed = name): void {
  const source = join(root, 'node_modules', installed);
  const target = join(folder, 'node_modules', name);
  // The driver of another version of Node is not installed.
  if (!existsSync(source) || existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(source, target);
}

/** Runs programs in a folder with Node, or with another runtime: its program and first arguments. */
export function programsIn(folder: string, [program = process.execPath, ...first]: readonly string[] = []) {
  return {
    write(name: string, text: string): string {
      const file = join(folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    /** Runs a program in the folder and returns its output. On failure, the error contains all output. */
    run: (args: readonly string[], at = folder) => runProgram(program, [...first, ...args], at),
    /** Links a package installed in this repository, so that it can be imported by a name. */
    link: (name: string, installed?: string) => linkPackage(folder, name, installed),
    /** Starts a program and resolves when it answers at the port. */
    async serve(args: readonly string[], { port, env = {} }: ServeOptions) {
      const { NODE_TEST_CONTEXT, NODE_V8_COVERAGE, ...inherited } = process.env;
      const child = spawn(program, [...first, ...args], {
        cwd: folder,
        env: { ...inherited, ...env },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const ended = once(child, 'exit').then(([code]) => code as number | null);
      /** Ends the program with SIGTERM, and returns its exit code. */
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
