import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { manifestOf } from './packed-packages.js';
import { root, runProgram } from './packing.js';

const LONG_AGO = new Date('2001-02-03T04:05:06Z');

/** What `npm pack` says of a package, with the path of its tarball. */
export interface Packed {
  readonly name: string;
  readonly tarball: string;
  readonly integrity: string;
  readonly files: readonly { readonly path: string }[];
}

/** Packs the package in a folder, or some of its workspaces. */
export function pack(
  folder: string,
  {
    command,
    into,
    workspaces = [],
  }: { readonly command: string; readonly into: string; readonly workspaces?: readonly string[] },
): readonly Packed[] {
  const options = `--json --loglevel error --offline --cache '${join(into, '.cache')}' --pack-destination '${into}'`;
  const chosen = workspaces.map((name) => `--workspace ${name}`).join(' ');
  const output = runProgram('sh', ['-c', `${command} ${chosen} ${options}`], folder);
  const packed = JSON.parse(output.slice(output.indexOf('['))) as (Packed & { readonly filename: string })[];
  return packed.map((one) => ({ ...one, tarball: join(into, one.filename) }));
}

/** Builds and packs packages in a clone that was never built, as another user with another umask and time zone. */
export function packClone(folders: readonly string[]) {
  const clone = cloneSources(folders);
  const command = 'umask 077; TZ=Asia/Tokyo npm pack';
  const built = pack(clone, { command, into: clone, workspaces: folders });
  return {
    built,
    /** The packed files that differ from those built in this folder. What deleted sources have left here is not compared. */
    differences: (): readonly string[] =>
      folders.flatMap((folder) => {
        const { name } = manifestOf(folder);
        const { files = [] } = built.find((one) => one.name === name) ?? {};
        if (files.length === 0) return [`${name} has no files`];
        return (
          files
            // The parts of the bundle depend on its programs, which in this folder include those of the tests.
            .filter(({ path }) => !path.startsWith('dist/bundle/'))
            .filter(({ path }) => {
              const [theirs, ours] = [clone, root].map((of) =>
                readFileSync(join(of, folder, path), 'latin1'),
              );
              return theirs !== ours;
            })
            .map(({ path }) => `${name}: ${path}`)
        );
      }),
    remove: () => rmSync(clone, { recursive: true, force: true }),
  };
}

/** Copies the sources of the packages, as another user would at another time, but without what is built. */
function cloneSources(folders: readonly string[]): string {
  // In this folder, so that the packages of others are found.
  const clone = mkdtempSync(join(root, 'test', 'dist', 'clone-'));
  const sources = execFileSync('git', ['ls-files', '-z', 'package.json', '*.base.json', ...folders], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of sources.split('\0').filter((name) => name !== '' && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    cpSync(join(root, file), join(clone, file));
    chmodSync(join(clone, file), 0o600);
    utimesSync(join(clone, file), LONG_AGO, LONG_AGO);
  }
  // What npm has installed for one package alone, in a version of its own.
  for (const folder of folders.filter((name) => existsSync(join(root, name, 'node_modules'))))
    symlinkSync(join(root, folder, 'node_modules'), join(clone, folder, 'node_modules'));
  mkdirSync(join(clone, 'node_modules'));
  symlinkSync(join(root, 'node_modules', 'typescript'), join(clone, 'node_modules', 'typescript'));
  return clone;
}
