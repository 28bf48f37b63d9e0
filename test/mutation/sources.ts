import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listTestFiles } from '../support/run/test-files.js';
import { instrument, type Mutant } from './instrument.js';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A file of the core with all its mutants. */
export interface InstrumentedFile {
  /** The path below `core`. */
  readonly file: string;
  readonly text: string;
}

export interface InstrumentedCore {
  readonly files: readonly InstrumentedFile[];
  /** The mutants of all files. Their indices are the numbers that switch them on. */
  readonly mutants: readonly Mutant[];
}

/** Plants mutants into every file that holds rules. */
export function instrumentCore(): InstrumentedCore {
  const mutants: Mutant[] = [];
  const files = ruleFiles().map((file) => {
    const source = readFileSync(join(root, 'core', file), 'utf8');
    const { text, mutants: own } = instrument(source, { file, first: mutants.length });
    mutants.push(...own);
    return { file, text };
  });
  return { files, mutants };
}

/** The files of the core without its testing kit and without declarations. */
function ruleFiles(): readonly string[] {
  return readdirSync(join(root, 'core'), { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .filter((file) => !/^(api|dist|testing)\//.test(file))
    .sort();
}

/** The chapter of a file of the core, or an empty string for files that belong to all chapters. */
export function chapterOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : '';
}

/** The suites of all ports over memory. Their tests are named after their ports. */
const suites = 'contract/memory.test.ts';

/** All tests of the core, as paths below `test`. */
export function coreTests(): readonly string[] {
  return listTestFiles(join(root, 'test')).filter((file) => file.startsWith('core/') || file === suites);
}

/** Whether the file may have tests of the chapter. */
export function mayTest(chapter: string, file: string): boolean {
  return (
    isAboutAll(file) ||
    file.startsWith(`core/${chapter}/`) ||
    (file === suites && ports[chapter] !== undefined)
  );
}

/** Whether the test belongs to the chapter: it is in the chapter's folder, about every chapter, or about its ports. */
export function isTestOf(
  chapter: string,
  { file, name }: { readonly file: string; readonly name: string },
): boolean {
  if (file !== suites) return mayTest(chapter, file);
  const [, port = ''] = / > (\w+): /.exec(name) ?? [];
  return ports[chapter]?.has(port) === true;
}

/** Whether the test file is about all chapters. */
function isAboutAll(file: string): boolean {
  return /^core\/[^/]+$/.test(file);
}

/** The ports of each chapter that has any. */
const ports: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  ['access', 'meetings', 'users', 'webhooks'].map((chapter) => {
    const folder = join(root, 'core', chapter, 'ports');
    const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
    const names = texts.flatMap((text) => [...text.matchAll(/^export interface (\w+)/gm)]);
    return [chapter, new Set(names.map(([, name = '']) => name))];
  }),
);
