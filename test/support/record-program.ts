import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build, type Plugin } from 'esbuild';

/**
 * Records `rollcall serve` of a release as one compressed file, so that tests can run it beside later releases. Run it
 * once per release, with a folder that has the release's commit, its dependencies (`npm ci --ignore-scripts`) and its
 * compiled code (`npm run build`):
 *
 *     node test/dist/support/record-program.js ../release test/fixtures/0.2.0
 *
 * The program serves PostgreSQL only, because SQLite allows one instance. It needs no installed package except
 * `@node-rs/argon2`, which is native and stays outside.
 */
async function recordProgram(checkout: string, folder: string): Promise<void> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: checkout,
    stdin: { contents: ENTRY, resolveDir: checkout },
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minify: true,
    keepNames: true,
    legalComments: 'none',
    logLevel: 'warning',
    external: ['@node-rs/argon2', ...DRIVERS_OF_KNEX],
    // The bundled CommonJS packages load modules of Node with `require`.
    banner: {
      js: "import { createRequire as createRequireOf } from 'node:module'; const require = createRequireOf(import.meta.url);",
    },
    plugins: [withoutSqlite, withoutOldEncodings, inlined(checkout)],
  });
  const program = `${outputFiles[0]?.text}\n/*\n${licenses(checkout, Object.keys(metafile.inputs))}\n*/\n`;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  };
  writeFileSync(join(folder, 'program.mjs.br'), brotliCompressSync(program, { params }));
}

const ENTRY = `
  import { serveCommand } from './app/dist/cli/serve.js';
  await serveCommand({ migrate: true, json: true });
`;

const DRIVERS_OF_KNEX = [
  'mariadb/callback',
  'mysql',
  'mysql2',
  'oracledb',
  'pg-native',
  'pg-query-stream',
  'sqlite3',
  'tedious',
];

const withoutSqlite: Plugin = {
  name: 'without SQLite',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^better-sqlite3$/ }, ({ path }) => ({ path, namespace: 'left-out' }));
    onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'export default undefined;' }));
  },
};

/** The tables of encodings such as Shift JIS would be a third of the file. Requests are in UTF-8. */
const withoutOldEncodings: Plugin = {
  name: 'without old encodings',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]iconv-lite[\\/]encodings[\\/]tables[\\/]/ }, () => ({
      contents: '[]',
      loader: 'json',
    }));
  },
};

/** The files that the program reads when it starts: the expression that reads each of them, by module. */
const readFiles: Readonly<Record<string, readonly (readonly [expression: string, path: string])[]>> = {
  'app/dist/version.js': [
    ["readFileSync(new URL('../../package.json', import.meta.url), 'utf8')", 'package.json'],
  ],
  'contracts/dist/index.js': [
    ["read('../openapi.yaml')", 'contracts/openapi.yaml'],
    ["read('../dataset.schema.json')", 'contracts/dataset.schema.json'],
  ],
  'adapters/dist/dashboard/assets.js': [
    [
      "readPackageFile('@picocss/pico/css/pico.indigo.min.css')",
      'node_modules/@picocss/pico/css/pico.indigo.min.css',
    ],
  ],
};

/** Puts the contents of those files into the program. Fails when a release reads others. */
function inlined(checkout: string): Plugin {
  return {
    name: 'inlined',
    setup({ onLoad, onEnd }) {
      const left = new Set(Object.keys(readFiles));
      onLoad({ filter: /[\\/]dist[\\/].*\.js$/ }, ({ path }) => {
        const name = Object.keys(readFiles).find((module) => path === join(checkout, module));
        if (name === undefined) return null;
        left.delete(name);
        let contents = readFileSync(path, 'utf8');
        for (const [expression, file] of readFiles[name] ?? []) {
          if (!contents.includes(expression))
            throw new Error(`${name} does not read ${file} by ${expression}`);
          const text = readFileSync(join(checkout, file), 'utf8');
          contents = contents.replace(expression, () => JSON.stringify(text));
        }
        return { contents };
      });
      onEnd(() => {
        if (left.size > 0) throw new Error(`The program does not load ${[...left].join(', ')}`);
      });
    },
  };
}

/** The licenses of the bundled packages, which have to stay with their code. */
function licenses(checkout: string, inputs: readonly string[]): string {
  const folders = new Set(
    inputs.flatMap((input) => /^(.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(input)?.[1] ?? []),
  );
  const texts = [...folders].sort().map((folder) => {
    const path = join(checkout, folder);
    const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    const file = readdirSync(path).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? '' : readFileSync(join(path, file), 'utf8').trim();
    return `${name} ${version} (${license})\n${text}`;
  });
  return texts.join('\n\n').replaceAll('*/', '* /');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , checkout, folder] = process.argv;
  if (checkout === undefined || folder === undefined) throw new Error('Name the checkout and the folder.');
  await recordProgram(resolve(checkout), folder);
}
