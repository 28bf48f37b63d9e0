import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { instrument } from './instrument.js';

/** The changes in their order. */
function changesOf(source: string): readonly string[] {
  return instrument(source, { file: 'sample.ts', first: 0 }).mutants.map(({ change }) => change);
}

/** Runs the function `work` of the source with one mutant after the other, and without any. */
function resultsOf(source: string): readonly unknown[] {
  const { text, mutants } = instrument(source, { file: 'sample.ts', first: 0 });
  const work = new Function('__mutant', `${text}; return work();`) as (
    on: (id: number) => boolean,
  ) => unknown;
  return [...mutants.keys(), -1].map((id) => {
    try {
      return work((number) => number === id);
    } catch (error) {
      return error instanceof Error ? error.name : error;
    }
  });
}

describe('The mutants of a source', () => {
  const samples: Readonly<Record<string, readonly [source: string, changes: readonly string[]]>> = {
    'conditions and operands': [
      'if (a && !b) c();',
      ['a && !b → true', 'a && !b → false', 'a && !b → !b', 'a && !b → a', 'c(); → removed'],
    ],
    'boundaries and numbers': [
      'export const isLow = a <= 2 * 60;',
      ['a <= 2 * 60 → true', 'a <= 2 * 60 → false', 'a <= 2 * 60 → a < 2 * 60', '2 * 60 → 2 * 60 + 1'],
    ],
    'what is compared with a text': [
      "x = a === 'b';",
      ["x = a === 'b'; → removed", "a === 'b' → true", "a === 'b' → false"],
    ],
    calculations: ['x(a + b, -c);', ['x(a + b, -c); → removed', 'a + b → a - b', '-c → c']],
    'texts that are joined': ["x(a + 'b');", ["x(a + 'b'); → removed", "'b' → ''"]],
    'calls of a method': [
      'for (const a of b.trim().split(",")) c(a);',
      ['b.trim().split(",") → []', 'b.trim() → b', '"," → \'\'', 'c(a); → removed'],
    ],
    'defaults, optional members and await': [
      'export const a = await (b?.c.d ?? e);',
      ['await (b?.c.d ?? e) → (b?.c.d ?? e)', 'b?.c.d ?? e → e', 'b?.c → b.c', 'b?.c.d ?? e → b?.c.d'],
    ],
    'elements of objects and arrays': [
      "f({ a, b: 1, ...c }, ['d', e]);",
      [
        ...["f({ a, b: 1, ...c }, ['d', e]); → removed", 'a → removed', '1 → 1 + 1', '...c → removed'],
        ...["'d' → removed", 'e → removed'],
      ],
    ],
    'returned values': [
      'function f() { if (a) return; throw b; }',
      ['a → true', 'a → false', 'return; → removed', 'throw b; → removed'],
    ],
    'functions without braces': ['export const f = (a) => g(a);', ['g(a) → undefined']],
    'regular expressions': [
      'x(/^a{1,2}b+$/i);',
      [
        ...['x(/^a{1,2}b+$/i); → removed', '/^a{1,2}b+$/i → /(?!)/i', '/^a{1,2}b+$/i → /a{1,2}b+$/i'],
        ...['/^a{1,2}b+$/i → /^a{1,3}b+$/i', '/^a{1,2}b+$/i → /^a{1,2}b*$/i', '/^a{1,2}b+$/i → /^a{1,2}b+/i'],
        '/^a{1,2}b+$/i → /^a{1,2}b+$/',
      ],
    ],
    'a line that only calls': ['const a = b();', ['b() → undefined']],
    'types, imports and declarations': [
      "import { a } from 'b';\ninterface C { readonly d: 'e' }\ntype F = 'g' | 1;\nexport function h(i: C): void {}",
      [],
    ],
  };
  for (const [name, [source, changes]] of Object.entries(samples)) {
    test(name, () => assert.deepEqual(changesOf(source), changes));
  }

  test('only the mutant that is switched on changes what the source does', () => {
    const source = `function work() {
      const list = [2, 1];
      list.sort();
      return { list, isShort: list.length < 2 };
    }`;
    const sorted = { list: [1, 2], isShort: false };
    assert.deepEqual(resultsOf(source), [
      ...[
        { list: [1], isShort: true },
        { list: [2], isShort: true },
      ],
      ...[
        { list: [2, 1], isShort: false },
        { list: [2, 1], isShort: false },
      ],
      ...[{ isShort: false }, { list: [1, 2] }],
      ...[
        { list: [1, 2], isShort: true },
        sorted,
        { list: [1, 2], isShort: true },
        { list: [1, 2], isShort: true },
      ],
      sorted,
    ]);
  });
});
