import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

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

if (files.length === 0) {
  process.stderr.write(`No test file has a path with ${wanted.join(' or ')}\n`);
  process.exitCode = 1;
} else {
  const child = spawn(process.execPath, ['--test', '--test-reporter=spec', ...files], { stdio: 'inherit' });
  child.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
