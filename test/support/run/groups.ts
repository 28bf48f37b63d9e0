import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { slowFiles } from './slow-files.js';

/** Test files that run in one process, which loads the product once. */
export interface Group {
  /** For example `http-2`. */
  readonly name: string;
  /** Paths below `test`. */
  readonly files: readonly string[];
}

/** How many files of each folder one process runs, so that it takes about a minute. */
const GROUP_SIZES: Readonly<Record<string, number>> = {
  app: 7,
  contracts: 7,
  core: 100,
  http: 14,
  node: 10,
  pages: 14,
  security: 12,
  sql: 8,
};

/** The process belongs to the file: it changes or measures it, or has hooks that would apply to tests of other files. */
const NEEDS_OWN_PROCESS =
  /^(before|after|beforeEach|afterEach)\(|\bprocess\.(env|chdir|on|once|emit|exitCode|memoryUsage|cpuUsage|std\w+)\b|\bmock\.|eventLoop|globalThis/m;

const STOPS_COVERAGE = /^import '.*\/without-coverage\.js';/m;

/** Splits the files into groups and those that run alone, in the given order. `textOf` returns the source of a file. */
export function groupFiles(
  files: readonly string[],
  textOf: (file: string) => string,
): { readonly groups: readonly Group[]; readonly alone: readonly string[] } {
  const kinds = new Map<string, string[]>();
  const alone: string[] = [];
  for (const file of files) {
    const folder = file.split('/')[0] ?? '';
    const text = textOf(file);
    const isShared =
      folder in GROUP_SIZES &&
      !slowFiles.includes(file) &&
      !file.includes('-browser') &&
      !NEEDS_OWN_PROCESS.test(text);
    const kind = STOPS_COVERAGE.test(text) ? `${folder}-without-coverage` : folder;
    if (isShared) kinds.set(kind, [...(kinds.get(kind) ?? []), file]);
    else alone.push(file);
  }
  const groups = [...kinds].flatMap(([kind, members]) => {
    const size = GROUP_SIZES[kind.replace('-without-coverage', '')] ?? 1;
    const count = Math.ceil(members.length / size);
    return Array.from({ length: count }, (_, at) => ({
      name: `${kind}-${at + 1}`,
      files: members.filter((_file, index) => index % count === at),
    }));
  });
  return { groups, alone };
}

/** Writes a module for each group, which imports its compiled files, and returns their paths. */
export function writeGroups(compiled: string, groups: readonly Group[]): readonly string[] {
  const folder = join(compiled, 'groups');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  return groups.map(({ name, files }) => {
    const path = join(folder, `${name}.js`);
    const urls = files.map((file) => pathToFileURL(join(compiled, compiledName(file))).href);
    writeFileSync(path, urls.map((url) => `import ${JSON.stringify(url)};\n`).join(''));
    return path;
  });
}

/** The compiled file of a source. */
export function compiledName(file: string): string {
  return file.replace(/\.tsx?$/, '.js');
}
