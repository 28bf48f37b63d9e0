import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
// The compiler of this repository has no interface for programs. This is the one that generates the types of the contract.
import type * as TypeScript from '../../contracts/node_modules/typescript/lib/typescript.js';
import { root } from '../support/packing.js';

const require = createRequire(join(root, 'contracts/package.json'));
const typescript: typeof TypeScript = require('typescript');

describe('What @rollcall/core exports has a description, which editors show:', () => {
  for (const entry of ['index', 'rules', 'adapters', 'testing/index'])
    test(entry, () => {
      assert.deepEqual(undocumented(join(root, `core/dist/${entry}.d.ts`)), []);
    });

  test('what has none is found', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rollcall-undocumented-'));
    try {
      const file = join(folder, 'planted.d.ts');
      const port = [
        '/** Finds. */',
        'export interface Port<T> {',
        'find(id: T): void;',
        '/** Its name. */',
        'name: T }',
      ];
      const error = ['/** Fails. */', 'export declare class Failed {', 'constructor();', 'reason: string; }'];
      writeFileSync(file, [...port, ...error, 'export declare const limit: number;'].join('\n'));
      assert.deepEqual(undocumented(file), ['Port.find', 'Failed.reason', 'limit']);
      writeFileSync(file, 'declare const limit: number;');
      assert.throws(() => undocumented(file), /planted\.d\.ts exports nothing/);
      writeFileSync(file, 'export {};');
      assert.throws(() => undocumented(file), /planted\.d\.ts exports nothing/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** The exports of a file, and the members of exported interfaces and classes, that have no description. */
function undocumented(file: string): readonly string[] {
  const { ModuleKind, ModuleResolutionKind, ScriptTarget, SymbolFlags } = typescript;
  const program = typescript.createProgram([file], {
    ...{ target: ScriptTarget.ES2022, module: ModuleKind.NodeNext, types: [] },
    ...{ moduleResolution: ModuleResolutionKind.NodeNext, strict: true, skipLibCheck: true },
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  const all = module === undefined ? [] : checker.getExportsOfModule(module);
  if (all.length === 0) throw new Error(`${file} exports nothing`);
  const isUndocumented = (symbol: TypeScript.Symbol) => symbol.getDocumentationComment(checker).length === 0;
  return all.flatMap((exported) => {
    const symbol = exported.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const hasMembers = symbol.flags & (SymbolFlags.Interface | SymbolFlags.Class);
    const members = hasMembers ? [...(symbol.members?.values() ?? [])] : [];
    const needless = SymbolFlags.TypeParameter | SymbolFlags.Constructor;
    const documentable = members.filter(({ flags }) => !(flags & needless));
    const found = documentable.filter(isUndocumented).map(({ name }) => `${symbol.name}.${name}`);
    return isUndocumented(symbol) ? [symbol.name, ...found] : found;
  });
}
