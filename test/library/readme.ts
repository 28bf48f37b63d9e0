import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Refusal, type RefusalCode } from '@rollcall/core';
import * as testing from '@rollcall/core/testing';
import { errorAnswer } from '#adapters/express/errors.js';
import { settingNames, variableOf } from '#app/config/settings.js';
import type { PackedPackages } from '../support/packed-packages.js';
import { root } from '../support/packing.js';

interface Block {
  readonly language: string;
  readonly text: string;
  /** The name in the comment of its first line. */
  readonly name: string;
  /** What the program prints: the text block right after it. */
  readonly output: string | null;
}

/** Checks the readme of the package: runs every program in it, and compares every table with the code. */
export function readmeSuite(packed: PackedPackages): void {
  const readme = readFileSync(join(packed.folder, 'node_modules', '@rollcall', 'core', 'README.md'), 'utf8');
  const blocks = blocksOf(readme);

  describe('The programs in core/README.md, over the packed core', () => {
    const folder = join(packed.folder, 'readme');
    for (const { name, text } of blocks) packed.write(join('readme', name), text);

    for (const { name, output } of blocks) {
      test(`${name} runs and prints the text below it`, () => {
        const printed = runBlock(packed, { folder, name });
        if (output !== null) assert.equal(printed, output);
      });
    }

    test('every block is a program with a unique name, or the output of one', () => {
      const fences = [...readme.matchAll(/^```(\w+)$/gm)].map(([, language]) => language);
      const outputs = blocks.filter(({ output }) => output !== null).length;
      assert.ok(blocks.length >= 7);
      assert.equal(fences.length, blocks.length + outputs);
      assert.equal(new Set(blocks.map(({ name }) => name)).size, blocks.length);
    });

    test('the example of the whole core has at most 15 lines, and that of one use-case with its adapter fewer than 40', () => {
      assert.ok(linesOf('use.mjs') <= 15, `use.mjs has ${linesOf('use.mjs')}`);
      assert.ok(linesOf('upcoming.mjs') < 40, `upcoming.mjs has ${linesOf('upcoming.mjs')}`);
    });

    function linesOf(wanted: string): number {
      const lines = blocks
        .find(({ name }) => name === wanted)
        ?.text.split('\n')
        .filter((line) => line.trim() !== '' && !line.startsWith('//'));
      return lines?.length ?? Number.POSITIVE_INFINITY;
    }
  });

  test('every code of a refusal says which status the service has for it', () => {
    const source = readFileSync(join(root, 'core', 'errors.ts'), 'utf8');
    const [, union = ''] = /export type RefusalCode =(.+?);\n\n/s.exec(source) ?? [];
    const codes = [...union.matchAll(/'([\w-]+)'/g)].map(([, code = '']) => code);
    const described = [...union.matchAll(/\/\*\* (\d+)\. .+\. \*\/\n +\| '([\w-]+)'/g)];
    const right = codes.map(
      (code) => `${errorAnswer(new Refusal(code as RefusalCode, 'no')).status} ${code}`,
    );
    assert.deepEqual(
      described.map(([, status, code]) => `${status} ${code}`),
      right,
    );
  });

  describe('The tables in core/README.md', () => {
    test('names variables that the service reads', () => {
      const table = rowsOf(readme, 'Variable of the service').flat().join(' ');
      const variables = table.match(/\b[A-Z]{2,}(?:_[A-Z]+)+\b/g) ?? [];
      assert.deepEqual(
        variables.filter((name) => !settingNames.map(variableOf).includes(name)),
        [],
      );
    });

    test('lists exactly the suites', () => {
      const suites = rowsOf(readme, 'Suite').flatMap(([names = '']) => names.match(/\w+Suites?(?=`)/g) ?? []);
      const exported = Object.keys(testing).filter((name) => /Suites?$/.test(name));
      assert.deepEqual([...suites].sort(), exported.sort());
    });
  });
}

/** The named blocks of code. A text block is the output of the one before. */
function blocksOf(markdown: string): readonly Block[] {
  const fences = [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  return fences.flatMap(([, language = '', text = ''], index) => {
    if (language === 'text') return [];
    const [, name] =
      /^\/\/ (\S+)\n/.exec(text) ?? assert.fail(`A block without a name: ${text.slice(0, 80)}`);
    const [, next, printed = ''] = fences[index + 1] ?? [];
    return [{ language, text, name: name ?? '', output: next === 'text' ? printed : null }];
  });
}

function runBlock(
  packed: PackedPackages,
  { folder, name }: { readonly folder: string; readonly name: string },
): string {
  if (name.endsWith('.test.mjs')) return packed.run(['--test', name], folder);
  if (!name.endsWith('.mts')) return packed.run([name], folder);
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  packed.run([tsc, ...options, name], folder);
  return packed.run([name.replace(/\.mts$/, '.mjs')], folder);
}

/** The cells of a table's rows, by the head of its first column. */
function rowsOf(markdown: string, head: string): readonly (readonly string[])[] {
  const [, table = ''] =
    new RegExp(`^\\| ${head} +\\|.*\\n\\|[- |]+\\n((?:\\|.*\\n)+)`, 'm').exec(markdown) ?? [];
  const lines = table.split('\n').filter((line) => line !== '');
  assert.ok(lines.length > 0, `There is no table ${head}`);
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
