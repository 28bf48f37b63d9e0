import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  findsMistakes,
  type Requirement,
  requirementsIn,
  wrongCounts,
  wrongIds,
} from '../support/requirements-table.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const document = readFileSync(join(root, 'contracts/accessibility.md'), 'utf8');

/** The criteria of levels A and AA of WCAG 2.2 by guideline. Level AAA has the numbers that are missing. */
const criteria = Object.entries({
  '1.1': [1],
  '1.2': [1, 2, 3, 4, 5],
  '1.3': [1, 2, 3, 4, 5],
  '1.4': [1, 2, 3, 4, 5, 10, 11, 12, 13],
  '2.1': [1, 2, 4],
  '2.2': [1, 2],
  '2.3': [1],
  '2.4': [1, 2, 3, 4, 5, 6, 7, 11],
  '2.5': [1, 2, 3, 4, 7, 8],
  '3.1': [1, 2],
  '3.2': [1, 2, 3, 4, 6],
  '3.3': [1, 2, 3, 4, 7, 8],
  '4.1': [2, 3],
}).flatMap(([guideline, numbers]) => numbers.map((number) => `${guideline}.${number}`));

describe('contracts/accessibility.md', () => {
  test('has every criterion of levels A and AA once, and names existing tests', () => {
    assert.equal(criteria.length, 55);
    assert.deepEqual(problemsIn(document), []);
  });

  findsMistakes(document, problemsIn, [
    ['a criterion is missing', /^\| 2\.4\.11 .*\n/m, ''],
    ['a criterion is there twice', /^(\| 2\.4\.11 .*\n)/m, '$1$1'],
    ['a criterion is of level AAA', /^\| 2\.4\.11 /m, '| 2.4.12 '],
    ['a file does not exist', 'test/pages/brand.test.ts', 'test/pages/invented.test.ts'],
    ['a file has no such test', '"menus open and close without the mouse"', '"menus open and shut"'],
    ['a criterion is tested by nothing', /^(\| 2\.4\.11 \| [^|]+ \|).*/m, '$1 Believe us |'],
    ['a status is unknown', '## Tested', '## Done'],
    ['a count is wrong', /^(\| open \| .*\|) (\d+) \|$/m, '$1 1$2 |'],
  ]);
});

function problemsIn(text: string): readonly string[] {
  const all = requirementsIn(text, ['tested', 'reviewed', 'not applicable', 'open']);
  return [
    ...wrongIds(all, criteria),
    ...all.flatMap(problemsOf),
    ...missingTests('the text above the table', text.split('## Tested\n')[0] ?? ''),
    ...wrongCounts(text, all),
  ];
}

function problemsOf({ id, status, shownBy }: Requirement): readonly string[] {
  return [
    ...(status === 'tested' && !shownBy.includes('`test/') ? [`${id}: no test is named`] : []),
    ...missingTests(id, shownBy),
  ];
}

/** Each file in backquotes must exist and contain the words in quotes that follow it. */
function missingTests(id: string, text: string): readonly string[] {
  return [...text.matchAll(/`(test\/[^`]+)`((?:(?:,|,? and) "[^"]+")*)/g)].flatMap(
    ([, path = '', quotes = '']) => {
      if (!existsSync(join(root, path))) return [`${id}: ${path} does not exist`];
      const source = readFileSync(join(root, path), 'utf8');
      const words = [...quotes.matchAll(/"([^"]+)"/g)].map(([, quote = '']) => quote);
      return words
        .filter((quote) => !source.includes(quote))
        .map((quote) => `${id}: ${path} has no “${quote}”`);
    },
  );
}
