// Makes what is published of the core's code. For Node: one file of the modules of each entry, and some that entries share, so that
// it loads ten files instead of three hundred. temporal-polyfill is in one of them, because its eight files take Node as long as
// all of ours. For bundlers, which leave out more that way: the modules, without the suites. A
// file that stays the same is not written again, because a running test may be about to load it.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const dist = fileURLToPath(new URL('dist/', import.meta.url));
const options = {
  absWorkingDir: dist,
  format: 'esm',
  platform: 'neutral',
  target: 'es2023',
  write: false,
  logLevel: 'warning',
};

const bundle = textsIn(
  'bundle',
  await build({
    ...options,
    entryPoints: {
      index: 'index.js',
      rules: 'rules.js',
      adapters: 'adapters.js',
      testing: 'testing/index.js',
    },
    outdir: join(dist, 'bundle'),
    bundle: true,
    splitting: true,
    sourcemap: true,
    // They would be half of the package.
    sourcesContent: false,
    chunkNames: 'shared-[hash]',
  }),
);
// The map of the suites is larger than all other files together.
bundle.delete('testing.js.map');
bundle.set('testing.js', bundle.get('testing.js').replace(/^\/\/# sourceMappingURL=.*\n/m, ''));
// The license asks for it, also of temporal-utils, which the polyfill needs.
const { dependencies } = JSON.parse(readFileSync(join(dist, '..', 'package.json'), 'utf8'));
if (String(Object.keys(dependencies)) !== 'temporal-polyfill')
  throw new Error('The bundle has packages inside whose licenses it lacks');
const polyfill = dirname(createRequire(import.meta.url).resolve('temporal-polyfill'));
bundle.set('temporal-polyfill.LICENSE', readFileSync(join(polyfill, 'LICENSE'), 'utf8'));
replaceFolder('bundle', bundle);

const modules = await build({
  ...options,
  entryPoints: filesBelow(dist).filter((file) => /^(?!bundle|commonjs|modules|testing).*\.js$/.test(file)),
  outdir: join(dist, 'modules'),
});
replaceFolder('modules', textsIn('modules', modules));

function textsIn(name, { outputFiles }) {
  const folder = join(dist, name);
  return new Map(outputFiles.map(({ path, text }) => [relative(folder, path).replaceAll('\\', '/'), text]));
}

function replaceFolder(name, texts) {
  const folder = join(dist, name);
  mkdirSync(folder, { recursive: true });
  for (const file of filesBelow(folder)) if (!texts.has(file)) rmSync(join(folder, file));
  for (const [file, text] of texts) {
    const path = join(folder, file);
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

function filesBelow(folder) {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return found.map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}
