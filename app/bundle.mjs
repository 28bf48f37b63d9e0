// Bundles the command line and its threads, with the packages of others: Node loads a few files instead of two thousand, and an
// installation for production needs fewer packages. Native packages stay outside. Writes the licenses of what is inside,
// the texts that never change, and the checks that dataset/quick-checks.d.ts declares. The arguments are further programs, such as those of the tests.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { _ } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';

const app = fileURLToPath(new URL('.', import.meta.url));
const folder = join(app, 'dist', 'bundle');
const threads = {
  'reader-thread': '../adapters/sql/dist/sqlite/reader-thread.js',
  'import-thread': './dist/dataset/import-thread.js',
};

/** Packages that no start needs. Each gets a file, which is loaded when it is first used. */
const later = {
  'ajv/dist/2020.js': 'ajv',
  busboy: 'busboy',
  'pino-pretty': 'pino-pretty',
  'prom-client': 'prom-client',
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
  'tedious',
];

const required = createRequire(import.meta.url);

/** The media types that pages, files and bodies can have: a tenth of `mime-db`. */
const mediaTypes = Object.entries(required('mime-db'))
  .filter(([name]) =>
    /^(text|image)\/|^application\/(json|octet-stream|x-www-form-urlencoded|xml)$/.test(name),
  )
  .filter(([, { extensions, charset }]) => extensions !== undefined || charset !== undefined)
  .map(([name, { source, extensions, charset }]) => [name, { source, extensions, charset }]);
const mediaTypesText = JSON.stringify(JSON.stringify(Object.fromEntries(mediaTypes)));

/**
 * Parts of packages that Rollcall never reaches, such as other databases and charsets, and what stands in their place. They would
 * be a third of what a server loads.
 */
const unreached = new Map(
  Object.entries({
    'body-parser/lib/types/json.js': '',
    'body-parser/lib/types/raw.js': '',
    'body-parser/lib/types/text.js': '',
    // got extends the error, and asks for the type of every error.
    'cacheable-request/dist/index.js': 'export class CacheError extends Error {}\nexport default class {}',
    'http2-wrapper/source/index.js': '',
    'iconv-lite/encodings/dbcs-data.js': '',
    'knex/lib/dialects/index.js': '',
    'knex/lib/dialects/sqlite3/schema/ddl.js': '',
    'knex/lib/migrations/seed/Seeder.js': '',
    'mime-db/index.js': `module.exports = JSON.parse(${mediaTypesText})`,
    'pino/lib/transport.js': '',
    'qs/lib/stringify.js': '',
  }).map(([path, contents]) => [join(app, '..', 'node_modules', path), contents]),
);

/**
 * Our modules look for files beside themselves, where they were compiled to. Threads are bundled too, and packages that are
 * required by name, not those whose name is found out.
 */
const own = {
  name: 'own',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^[a-z]/ }, ({ path, importer }) => {
      if (path in later) return { path: `./${later[path]}.cjs`, external: true };
      // Commands are functions, so that commander starts no process. `debug` asks for colors, which it has only in development.
      const isUnneeded =
        path === 'supports-color' || (path === 'node:child_process' && importer.includes('commander'));
      return isUnneeded ? { path, namespace: 'nothing' } : null;
    });
    onLoad({ filter: /./, namespace: 'nothing' }, () => ({ contents: '' }));
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (unreached.has(path)) return { contents: unreached.get(path) };
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

async function writeQuickChecks() {
  const { createCompiler } = await import('./dist/dataset/schema.js');
  const compiler = createCompiler({
    // Deprecated, because it counts wrong.
    ...{ unicode: false, logger: false },
    code: { source: true, formats: _`formats` },
  });
  const { $defs } = compiler.getSchema('dataset').schema;
  const records = Object.keys($defs).filter((name) => $defs[name].type === 'object');
  const code = standalone.default(
    compiler,
    Object.fromEntries(records.map((name) => [name, `dataset#/$defs/${name}`])),
  );
  const contents = `export function quickChecks(formats) {const exports = {};${code}\nreturn exports;}\n`;
  const outfile = join(app, 'dist', 'dataset', 'quick-checks.js');
  await build({ stdin: { contents, resolveDir: app }, bundle: true, format: 'esm', outfile });
}

const others = process.argv.slice(2).map((path) => [basename(path, '.js'), resolve(path)]);
await rm(folder, { recursive: true, force: true });
await writeQuickChecks();
const common = {
  absWorkingDir: app,
  outdir: folder,
  bundle: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  metafile: true,
  external,
  // A third of what Node would read and keep. Lines are short enough to find a place in them.
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: 'none',
};
const packages = await build({
  ...common,
  entryPoints: Object.entries(later).map(([path, out]) => ({ in: path, out })),
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
});
const program = await build({
  ...common,
  entryPoints: { 'command-line': './dist/command-line.js', ...threads, ...Object.fromEntries(others) },
  splitting: true,
  format: 'esm',
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
const outputs = [packages, program].flatMap(({ metafile }) => Object.entries(metafile.outputs));
const contents = outputs.map(([path, { inputs }]) => [basename(path), Object.keys(inputs)]);
const inputs = contents.flatMap(([, each]) => each);
for (const path of unreached.keys())
  if (!inputs.includes(relative(app, path))) throw new Error(`${path} is no longer part of a package`);
await writeFile(join(folder, 'LICENSES.txt'), licensesOf(inputs));
// For the test of what commands load, not for the package.
await writeFile(join(folder, 'contents.json'), JSON.stringify(Object.fromEntries(contents)));

/** What `rollcall --help` and `--version` print, which takes longer to make than Node to start. */
for (const name of ['help', 'version']) {
  const { stdout, status, stderr } = spawnSync(process.execPath, [
    join(folder, 'command-line.js'),
    `--${name}`,
  ]);
  if (status !== 0) throw new Error(`rollcall --${name} fails: ${stderr}`);
  await writeFile(join(folder, `${name}.txt`), stdout);
}

for (const name of ['rollcall.cjs', 'rollcall.js']) await chmod(join(app, 'dist', name), 0o755);
