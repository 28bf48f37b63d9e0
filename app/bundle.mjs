// Bundles the command line and its threads, with the packages of others: Node loads a few files instead of two thousand, and an
// installation for production needs fewer packages. Native packages stay outside. Writes the licenses of what is inside, and
// the texts that never change. The arguments are further programs, such as those of the tests.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const app = fileURLToPath(new URL('.', import.meta.url));
const folder = join(app, 'dist', 'bundle');
const threads = {
  'reader-thread': '../adapters/sql/dist/sqlite/reader-thread.js',
  'import-thread': './dist/dataset/import-thread.js',
};

/** Native code, packages that are loaded on demand, and what packages inside would only use if it were installed. */
const external = [
  '@node-rs/argon2',
  '@rollcall/sqlite-node20',
  '@zxcvbn-ts/language-common',
  'better-sqlite3',
  'mariadb/callback',
  'mysql',
  'mysql2',
  'nodemailer',
  'oracledb',
  'pg-native',
  'pg-query-stream',
  'sqlite3',
  'supports-color',
  'tedious',
];

/**
 * Our modules look for files beside themselves, where they were compiled to. Threads are bundled too, and packages that are
 * required by name, not those whose name is found out.
 */
const own = {
  name: 'own',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (path.includes('node_modules')) return null;
      const contents = await readFile(path, 'utf8');
      return {
        contents: contents
          .replaceAll(/(?<!new Worker\(new URL\('\.\/[\w-]+\.js', )import\.meta\.url/g, placeOf(path))
          .replaceAll(/requireHere\((?=')/g, 'require('),
      };
    });
  },
};

/** The address of a compiled module, for code in the bundle: packages of ours may be installed anywhere. */
function placeOf(path) {
  const [, name] = /[\\/]((?:adapters[\\/])?\w+)[\\/]dist[\\/]/.exec(path);
  const home = ['app', 'test'].includes(name) ? null : `@rollcall/${basename(name)}`;
  const from = home === null ? folder : path.slice(0, path.indexOf('dist') + 'dist'.length);
  const beside = `./${relative(from, path).replaceAll('\\', '/')}`;
  const base = home === null ? 'import.meta.url' : `import.meta.resolve('${home}')`;
  return `new URL('${beside}', ${base}).href`;
}

/** The licenses of the packages inside, each once. */
function licensesOf(inputs) {
  const packages = inputs.map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(packages.filter((each) => each !== undefined))]
    .map((path) => join(app, path))
    .map((path) => {
      const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
      const file = ['LICENSE', 'LICENSE.md', 'license', 'LICENSE.txt', 'LICENCE'].map((each) =>
        join(path, each),
      );
      const text = file.find((each) => existsSync(each));
      return `${name} ${version}: ${license}\n\n${text === undefined ? '' : readFileSync(text, 'utf8').trim()}\n`;
    })
    .sort()
    .join(`\n${'-'.repeat(80)}\n\n`);
}

const others = process.argv.slice(2).map((path) => [basename(path, '.js'), resolve(path)]);
await rm(folder, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: app,
  entryPoints: { 'command-line': './dist/command-line.js', ...threads, ...Object.fromEntries(others) },
  outdir: folder,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  metafile: true,
  external,
  // Each command loads only those modules of the core that it needs.
  alias: {
    '@rollcall/core': '../core/dist/index.js',
    '@rollcall/core/adapters': '../core/dist/adapters.js',
    '@rollcall/core/rules': '../core/dist/rules.js',
    '@rollcall/core/testing': '../core/dist/testing/index.js',
  },
  plugins: [own],
  // What CommonJS packages inside require of Node.
  banner: {
    js: "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);",
  },
});
await writeFile(join(folder, 'LICENSES.txt'), licensesOf(Object.keys(metafile.inputs)));

/** What `rollcall --help` and `--version` print, which takes longer to make than Node to start. */
for (const name of ['help', 'version']) {
  const { stdout, status, stderr } = spawnSync(process.execPath, [
    join(folder, 'command-line.js'),
    `--${name}`,
  ]);
  if (status !== 0) throw new Error(`rollcall --${name} fails: ${stderr}`);
  await writeFile(join(folder, `${name}.txt`), stdout);
}
