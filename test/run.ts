import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { compiledName, groupFiles, writeGroups } from './support/run/groups.js';
import { postgresOnDemand } from './support/run/postgres-on-demand.js';
import { slowestFirst } from './support/run/slow-files.js';
import {
  filesAt,
  filesNaming,
  listTestFiles,
  parseSelection,
  type Selection,
} from './support/run/test-files.js';

/**
 * `node test/dist/run.js [--name pattern] [path …]` runs every test file, or those whose path contains an argument, or
 * the tests whose name matches the pattern. The files are listed by their sources, because `node --test` treats folders
 * differently in each version, and compiled files of deleted sources may remain.
 */
const compiled = fileURLToPath(new URL('.', import.meta.url));
const sources = join(compiled, '..');

/** A file that takes longer counts as hanging. It fails, and the others still run. */
const MAX_FILE_MS = 10 * 60_000;
const MAX_RUN_MS = 55 * 60_000;
const MAX_SLOW_FILES = 40;
/**
 * How many files run simultaneously. They spend much time waiting, so four run even on two cores. With six, tests that
 * measure time fail now and then, and the whole takes hardly less.
 */
const CONCURRENCY = Math.max(4, availableParallelism() - 1);

try {
  // Most tests load the core from it, and `tsc -b` alone does not make it.
  await import(new URL('../../core/bundle.mjs', import.meta.url).href);
  const selection = parseSelection(process.argv.slice(2));
  const files = select(selection);
  const isEverything = selection.paths.length === 0 && selection.name === null;
  const passed = await runTests(files, { name: selection.name, isEverything });
  if (!passed) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function select({ paths, name }: Selection): readonly string[] {
  const files = filesAt(listTestFiles(sources), paths);
  if (files.length === 0) throw new Error(`No test file has a path that contains ${paths.join(' or ')}.`);
  return name === null ? files : filesNaming(sources, files, name);
}

/**
 * Runs the files, and returns whether all tests have passed. They share one PostgreSQL server with separate databases.
 */
async function runTests(
  files: readonly string[],
  { name, isEverything }: { readonly name: string | null; readonly isEverything: boolean },
): Promise<boolean> {
  const postgres = await postgresOnDemand(process.env.TEST_POSTGRES_URL);
  process.env.TEST_POSTGRES_ON_DEMAND = postgres.url;
  delete process.env.TEST_POSTGRES_URL;
  // Every process would read these certificates when it starts, which takes a fifth of the time of a command.
  delete process.env.NODE_EXTRA_CA_CERTS;
  const preloaded = new URL('support/run/preloaded.js', import.meta.url);
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import ${preloaded}`;
  if (isEverything) process.env.TEST_SCREENSHOTS ??= '0';
  const deadline = AbortSignal.timeout(MAX_RUN_MS);
  // Each file listens to it.
  setMaxListeners(0, deadline);
  deadline.addEventListener('abort', () => {
    process.stderr.write(`The tests have not ended after ${MAX_RUN_MS / 60_000} minutes.\n`);
  });
  const paths = isEverything
    ? inGroups(files)
    : slowestFirst(files).map((file) => join(compiled, compiledName(file)));
  try {
    const tests = run({
      files: paths,
      concurrency: CONCURRENCY,
      timeout: MAX_FILE_MS,
      signal: deadline,
      ...(name === null ? {} : { testNamePatterns: [name] }),
    });
    let failed = 0;
    let count = 0;
    const isTest = ({ name: of, details, skip }: TestEvent): boolean =>
      details.type !== 'suite' && skip === undefined && !paths.includes(of);
    const secondsOf = new Map<string, number>();
    const addTime = ({ file, nesting, details }: TestEvent): void => {
      if (nesting !== 0 || file === undefined || details.duration_ms === undefined) return;
      secondsOf.set(file, (secondsOf.get(file) ?? 0) + details.duration_ms / 1000);
    };
    tests.on('test:fail', (event) => {
      addTime(event);
      failed += 1;
      if (isTest(event)) count += 1;
    });
    tests.on('test:pass', (event) => {
      addTime(event);
      if (isTest(event)) count += 1;
    });
    await pipeline(tests, new spec(), matching, process.stdout, { end: false });
    if (count === 0 && failed === 0 && name !== null)
      throw new Error(`No test has a name that matches ${name}.`);
    process.stdout.write(slowestOf(secondsOf));
    return failed === 0;
  } finally {
    await postgres.remove();
  }
}

/** Files that can share a process do so, which spares a third of the time of all tests. */
function inGroups(files: readonly string[]): readonly string[] {
  const { groups, alone } = groupFiles(files, (file) => readFileSync(join(sources, file), 'utf8'));
  return [
    ...slowestFirst(alone).map((file) => join(compiled, compiledName(file))),
    ...writeGroups(compiled, groups),
  ];
}

/** Removes the tests that do not match the pattern, which Node 20 lists as skipped. */
async function* matching(report: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const text of report)
    yield String(text).replace(/^.* # test name does not match pattern.*\n/gm, '');
}

/** Lists the slowest files, so that a file that has become slow is noticed. */
function slowestOf(secondsOf: ReadonlyMap<string, number>): string {
  const slow = [...secondsOf].filter(([, seconds]) => seconds > 10).sort((a, b) => b[1] - a[1]);
  if (slow.length === 0) return '';
  const lines = slow.slice(0, MAX_SLOW_FILES).map(([file, seconds]) => {
    return `${seconds.toFixed(0).padStart(5)} s ${relative(compiled, file)}\n`;
  });
  return `The slowest files:\n${lines.join('')}`;
}

interface TestEvent {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string | undefined;
  readonly details: { readonly type?: string | undefined; readonly duration_ms?: number };
  readonly skip?: string | boolean;
}
