import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgresServer } from './support/postgres-server.js';

/**
 * Runs every test file, or those whose path holds one of the arguments. The files are listed here from their
 * sources: what `node --test` makes of a folder differs between versions, and a compiled file may outlive its source.
 */
const compiled = fileURLToPath(new URL('.', import.meta.url));
const sources = join(compiled, '..');

const wanted = process.argv.slice(2);
const files = readdirSync(sources, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.test\.tsx?$/.test(entry.name))
  .map((entry) => relative(sources, join(entry.parentPath, entry.name)))
  .filter((path) => !path.startsWith('dist'))
  .filter((path) => wanted.length === 0 || wanted.some((part) => path.includes(part)))
  .sort()
  .map((path) => join(compiled, path.replace(/\.tsx?$/, '.js')));

/** A file that takes longer has stopped for good: it fails, and the others are still run. */
const LONGEST_FILE = 10 * 60_000;
/** All of them together. */
const LONGEST = 45 * 60_000;
/** Files at a time: much of their time is waiting (for limits, receivers, restarts), also where there are two cores only. */
const AT_A_TIME = Math.max(2, availableParallelism() - 1);

if (files.length === 0) {
  process.stderr.write(`No test file has a path with ${wanted.join(' or ')}\n`);
  process.exitCode = 1;
} else {
  process.exitCode = await runTests();
}

/** Their exit code. All files share one PostgreSQL server, in which each has databases of its own. */
async function runTests(): Promise<number> {
  const given = process.env.TEST_POSTGRES_URL;
  const server = given === undefined ? await startPostgresServer() : null;
  try {
    const args = [
      '--test',
      `--test-concurrency=${AT_A_TIME}`,
      `--test-timeout=${LONGEST_FILE}`,
      '--test-reporter=spec',
      ...files,
    ];
    const child = spawn(process.execPath, args, {
      stdio: 'inherit',
      env: { ...process.env, TEST_POSTGRES_URL: server?.url() ?? given },
    });
    const impatient = setTimeout(() => {
      process.stderr.write(`The tests have not ended after ${LONGEST / 60_000} minutes.\n`);
      child.kill('SIGKILL');
    }, LONGEST);
    const [code] = (await once(child, 'exit')) as [number | null];
    clearTimeout(impatient);
    return code ?? 1;
  } finally {
    await server?.remove();
  }
}
