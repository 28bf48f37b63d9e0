import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { compiledName } from '../support/run/groups.js';
import { type InstrumentedFile, root } from './sources.js';

const compiled = join(root, 'test', 'dist');

/**
 * Bundles the test files with the instrumented core into the body of a CommonJS module. It exports a function for each
 * test file, by its path, which runs that file. Nothing else runs before.
 */
export async function bundleTests(
  tests: readonly string[],
  core: readonly InstrumentedFile[],
): Promise<string> {
  const entry = tests.map((test) => {
    return `exports[${JSON.stringify(test)}] = () => require(${JSON.stringify(join(compiled, compiledName(test)))});`;
  });
  const { outputFiles } = await build({
    stdin: { contents: entry.join('\n'), resolveDir: compiled, loader: 'js' },
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    treeShaking: false,
    logLevel: 'error',
    plugins: [resolution, planted(core), urls],
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error('esbuild has returned no bundle.');
  return output.text;
}

/** Resolves what packages of this repository import. Everything else stays a call of `require`. */
const resolution: Plugin = {
  name: 'resolution',
  setup({ onResolve }) {
    onResolve({ filter: /\/support\/storage\.js$|^\.\/storage\.js$/ }, ({ path, resolveDir }) => {
      const isStorage = join(resolveDir, path) === join(compiled, 'support', 'storage.js');
      return isStorage ? { path: join(compiled, 'mutation', 'memory-only.js') } : null;
    });
    onResolve({ filter: /^[^.#/]/ }, ({ path }) =>
      path.startsWith('@rollcall/') ? null : { path, external: true },
    );
  },
};

/** A module of the bundle has its own URL. */
const urls: Plugin = {
  name: 'urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const url = JSON.stringify(pathToFileURL(path).href);
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', () => url) };
    });
  },
};

/** Puts the instrumented sources in the place of the compiled ones. */
function planted(core: readonly InstrumentedFile[]): Plugin {
  const texts = new Map(core.map(({ file, text }) => [join(root, 'core', 'dist', compiledName(file)), text]));
  return {
    name: 'planted',
    setup({ onLoad }) {
      onLoad({ filter: /\/core\/dist\// }, ({ path }) => {
        const contents = texts.get(path);
        return contents === undefined ? null : { contents, loader: 'ts' };
      });
    },
  };
}
