// Bundles the command line and its threads: Node loads a few files instead of eight hundred. Packages of others stay as they are. A
// module that looks for a file beside itself finds it where it was compiled to, except for the threads, which are bundled too. The
// arguments are further programs, such as those of the tests.
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('./dist/bundle/', import.meta.url));
const threads = {
  'reader-thread': '../adapters/sql/dist/sqlite/reader-thread.js',
  'import-thread': './dist/dataset/import-thread.js',
};
const startsThread = /new Worker\(new URL\('\.\/[\w-]+\.js', import\.meta\.url\)/;

/**
 * Whether the importing folder has a version of the package for itself. The bundle would find another version, or none: then
 * the package becomes part of it.
 */
function isNested(path, from) {
  if (isBuiltin(path)) return false;
  const [, name] = /^((?:@[^/]+\/)?[^/]+)/.exec(path);
  return placeOf(name, from) !== placeOf(name, folder);
}

function placeOf(name, from) {
  for (let at = from; ; at = dirname(at)) {
    const place = join(at, 'node_modules', name);
    if (existsSync(place)) return place;
    if (at === dirname(at)) return null;
  }
}

const own = {
  name: 'own',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^./]/ }, ({ path, resolveDir }) =>
      /^(@rollcall\/|#)/.test(path) || isNested(path, resolveDir) ? null : { path, external: true },
    );
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      const contents = await readFile(path, 'utf8');
      if (startsThread.test(contents)) return { contents };
      const here = JSON.stringify(relative(folder, path).replaceAll('\\', '/'));
      return { contents: contents.replaceAll('import.meta.url', `new URL(${here}, import.meta.url).href`) };
    });
  },
};

const others = process.argv.slice(2).map((path) => [basename(path, '.js'), resolve(path)]);
await rm(folder, { recursive: true, force: true });
await build({
  absWorkingDir: fileURLToPath(new URL('.', import.meta.url)),
  entryPoints: { 'command-line': './dist/command-line.js', ...threads, ...Object.fromEntries(others) },
  outdir: folder,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  plugins: [own],
});
