import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { parseArgs } from 'node:util';

/** Which tests to run. */
export interface Selection {
  /**
   * Parts of paths below `test`, such as `core/users` or `http/invite-user.test.ts`. Without any, every file is run.
   */
  readonly paths: readonly string[];
  /** A regular expression for the names of tests, or null for every test. */
  readonly name: string | null;
}

/** Reads `[--name pattern] [path …]`. Throws an `Error` with the problem. */
export function parseSelection(args: readonly string[]): Selection {
  const { values, positionals: paths } = parseArgs({
    ...{ args: [...args], allowPositionals: true, strict: false },
    options: { name: { type: 'string' } },
  });
  const { name = null, ...others } = values;
  for (const other of Object.keys(others))
    throw new Error(`--${other} is not an option: use --name <pattern> or parts of paths.`);
  if (typeof name === 'boolean') throw new Error('--name needs a pattern: --name "revoked invitation".');
  if (name !== null) new RegExp(name);
  return { paths, name };
}

/** Every test file below the folder, as a relative path, in alphabetical order. */
export function listTestFiles(tests: string): readonly string[] {
  return readdirSync(tests, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.test\.tsx?$/.test(entry.name))
    .map((entry) => relative(tests, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.startsWith('dist/'))
    .sort();
}

/**
 * The files whose path contains one of the parts. A part may start with `./` and `test/`, and end with an extension.
 */
export function filesAt(files: readonly string[], paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return files;
  const parts = paths.map((path) =>
    path
      .replace(/^\.\//, '')
      .replace(/^test\/(dist\/)?/, '')
      .replace(/\.[jt]sx?$/, ''),
  );
  return files.filter((file) => parts.some((part) => file.includes(part)));
}

/**
 * The files that may contain a test with this name, so that the others need not be loaded. Searches the text of the
 * files and of the modules that they import from the tests and the suites of the core. Names that are composed at run
 * time cannot be found, so if nothing matches, the result is every file.
 */
export function filesNaming(tests: string, files: readonly string[], name: string): readonly string[] {
  const pattern = new RegExp(name);
  const texts = new Map<string, string>();
  const found = files.filter((file) => reachable(tests, file, texts).some((text) => pattern.test(text)));
  return found.length > 0 ? found : files;
}

/** The texts of the file and of the modules that it imports. */
function reachable(tests: string, file: string, texts: Map<string, string>): readonly string[] {
  const seen = new Set<string>();
  const waiting = [join(tests, file)];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    waiting.push(...imports(tests, path, textOf(path, texts)));
  }
  return [...seen].map((path) => textOf(path, texts));
}

function imports(tests: string, path: string, text: string): readonly string[] {
  const relatives = [...text.matchAll(/from '(\.[^']*)\.js'/g)].map(([, to]) =>
    join(dirname(path), `${to}.ts`),
  );
  if (!text.includes(`'@rollcall/core/testing'`)) return relatives;
  const suites = join(tests, '..', 'core', 'testing', 'suites');
  return [
    ...relatives,
    ...readdirSync(suites)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(suites, name)),
  ];
}

/** The text of a file, or an empty string if it does not exist. */
function textOf(path: string, texts: Map<string, string>): string {
  const known = texts.get(path);
  if (known !== undefined) return known;
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOENT') throw error;
  }
  texts.set(path, text);
  return text;
}
