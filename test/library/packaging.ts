import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { createCore } from '@rollcall/core';
import { memoryPorts } from '@rollcall/core/testing';
import type { PackedPackages } from '../support/packed-packages.js';
import { root } from '../support/packing.js';

/** TypeScript 7 has no language service that a program can call. */
const ts: typeof import('../../contracts/node_modules/typescript/lib/typescript.js') = createRequire(
  join(root, 'contracts', 'package.json'),
)('typescript');

/** Tests the content of the package, and that tools can read it. */
export function packagingSuite(packed: PackedPackages): void {
  const installed = join(packed.folder, 'node_modules', '@rollcall', 'core');
  const files = readdirSync(installed, { recursive: true })
    .map(String)
    .filter((file) => statSync(join(installed, file)).isFile());
  const tool = (path: string, ...args: readonly string[]): string =>
    packed.run([join(root, 'node_modules', path), ...args]);
  const textOf = (file: string): string => readFileSync(join(installed, file), 'utf8');

  describe('The content of the package', () => {
    test('depends on temporal-polyfill and on nothing else', () => {
      const { dependencies, peerDependencies } = JSON.parse(textOf('package.json'));
      assert.deepEqual([Object.keys(dependencies), peerDependencies], [['temporal-polyfill'], undefined]);
    });

    test('is its code, its types, a readme and the license, and nothing else', () => {
      for (const entry of ['index', 'rules', 'adapters', 'testing']) {
        const module = entry === 'testing' ? 'testing/index' : entry;
        const needed = [
          `bundle/${entry}.js`,
          `${module}.d.ts`,
          `commonjs/${module}.js`,
          `commonjs/${module}.d.ts`,
        ];
        for (const file of needed) assert.ok(files.includes(`dist/${file}`), file);
      }
      assert.equal(textOf('LICENSE'), readFileSync(join(root, 'LICENSE'), 'utf8'));
      assert.ok(files.includes('README.md'));
      const expected =
        /^(package\.json|README\.md|LICENSE|dist\/commonjs\/(package\.json|.+\.js)|dist\/bundle\/(.+\.js(\.map)?|temporal-polyfill\.LICENSE)|dist\/modules\/.+\.js|dist\/.+\.d\.ts)$/;
      assert.deepEqual(
        files.filter((file) => !expected.test(file)),
        [],
      );
      const bytes = files.reduce((sum, file) => sum + statSync(join(installed, file)).size, 0);
      assert.ok(bytes < 3_000_000, `${bytes} bytes`);
    });

    test('has temporal-polyfill inside for Node, with its license', () => {
      const outside = files
        .filter((file) => file.startsWith('dist/bundle/') && file.endsWith('.js'))
        .filter((file) => /\b(?:from|import) ?\(?['"][^.]/.test(textOf(file).replace(/\/\*.*?\*\//gs, '')));
      assert.deepEqual(outside, []);
      assert.match(textOf('dist/bundle/temporal-polyfill.LICENSE'), /^Copyright .*Adam Shaw$/m);
    });

    test('has classes with the names that logs and traces show', () => {
      const renamed = files
        .filter((file) => file.startsWith('dist/bundle/') && file.endsWith('.js'))
        .flatMap((file) => textOf(file).match(/\bclass _\w+/g) ?? []);
      assert.deepEqual(renamed, []);
    });

    test('contains no path of the machine that built it', () => {
      const found = files.filter((file) => textOf(file).includes(root));
      assert.deepEqual(found, []);
    });

    test('every source map is present and names its sources, which are not in the package', () => {
      const maps = files
        .filter((file) => /\.(js|d\.ts)$/.test(file))
        .flatMap((file) => {
          const [, name] = /^\/\/# sourceMappingURL=(.+)$/m.exec(textOf(file)) ?? [];
          return name === undefined ? [] : [join(dirname(file), name)];
        });
      assert.deepEqual([...maps].sort(), files.filter((file) => file.endsWith('.map')).sort());
      for (const file of maps) {
        const { sources, sourcesContent } = JSON.parse(textOf(file));
        assert.equal(sourcesContent, undefined, file);
        for (const source of sources) {
          const path = relative(installed, resolve(installed, dirname(file), source));
          assert.ok(existsSync(join(root, 'core', path)), `${file}: ${source}`);
        }
      }
    });

    test('an editor shows the description of each method of the core, in modules and in CommonJS', () => {
      const links = { invitation: () => '', login: () => '', defaultAvatar: '' };
      const names = Object.keys(createCore(memoryPorts().ports, { links }));
      const source = `import type { Core } from '@rollcall/core';
        export const use = (core: Core) => [${names.map((name) => `core.${name}`).join(', ')}];
        export * as useCases from '@rollcall/core';`;
      const described = sentencesOf(
        files
          .filter((file) => /^dist\/(?:[\w-]+\/)+[\w-]+\.d\.ts$/.test(file))
          .map(textOf)
          .join('\n'),
      );
      const hovered = ['mts', 'cts'].map((ending) => packed.write(`hover.${ending}`, source));
      for (const shown of hoverTexts(hovered, source, names))
        assert.deepEqual(
          names.map((name) => [name, shown.get(name)]),
          names.map((name) => [name, described.get(name) ?? 'a sentence']),
        );
    });

    test('has the version of the product', () => {
      const { version } = JSON.parse(textOf('package.json'));
      assert.equal(version, JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version);
    });
  });

  test('TypeScript finds the same types in modules and in CommonJS, without the types of Node', () => {
    const source = `
      import { createCore, Refusal, Secret, type Core, type Organizations, type Ports } from '@rollcall/core';
      import { memoryPorts } from '@rollcall/core/testing';
      const { ports } = memoryPorts();
      export const typed: Ports = ports;
      export const links = { invitation: (token: Secret) => token.reveal(), login: (token: Secret) => token.reveal(), defaultAvatar: '' };
      export const core: Core = createCore(ports, { links });
      export const organizations: Organizations = ports.organizations;
      export const refusal = (error: unknown): string => (error instanceof Refusal ? error.code : 'bug');
      // @ts-expect-error a missing port does not compile
      createCore({ ...ports, clock: undefined }, { links });`;
    const shared = `
      import type { Ports as ModulePorts } from '@rollcall/core' with { 'resolution-mode': 'import' };
      import type { Ports } from '@rollcall/core';
      export const fromModule = (ports: ModulePorts): Ports => ports;
      export const toModule = (ports: Ports): ModulePorts => ports;`;
    tool(
      'typescript/bin/tsc',
      ...['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--types', ''],
      ...['--module', 'nodenext', '--lib', 'ES2023', '--target', 'ES2023'],
      packed.write('use.mts', source),
      packed.write('use.cts', source),
      packed.write('shared.cts', shared),
    );
  });
}

/** The first sentences that an editor shows over `core.<name>` in each file, from the language service of TypeScript. */
function hoverTexts(
  files: readonly string[],
  source: string,
  names: readonly string[],
): readonly ReadonlyMap<string, string>[] {
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getCompilationSettings: () => ({
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
      types: [],
    }),
    getScriptFileNames: () => [...files],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const text = ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  const sentence = (file: string, name: string): string => {
    const at = source.search(new RegExp(`core\\.${name}\\b`)) + 'core.'.length;
    const { documentation } = service.getQuickInfoAtPosition(file, at) ?? {};
    return firstSentence(ts.displayPartsToString(documentation));
  };
  return files.map((file) => new Map(names.map((name) => [name, sentence(file, name)])));
}

/** The first sentence of the docstring of each function, by its name. */
function sentencesOf(declarations: string): ReadonlyMap<string, string> {
  const documented = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export declare function (\w+)\(/g;
  return new Map(
    [...declarations.matchAll(documented)].map(([, text = '', name = '']) => [name, firstSentence(text)]),
  );
}

function firstSentence(text: string): string {
  return /^.+?\.(?= |$)/.exec(text.replace(/\s+(?:\* )?/g, ' ').trim())?.[0] ?? '';
}
