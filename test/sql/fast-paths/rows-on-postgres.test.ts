import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formulaBeginnings } from '@rollcall/core/adapters';
import { chooseColumns } from '@rollcall/core/rules';
import { copiedRowEncoder } from '#adapters/sql/fast-paths/rows-on-postgres.js';

const columns = chooseColumns(['name', 'meeting_description', 'price', 'privacy']);
const letters = [
  '\\',
  'v',
  'n',
  '"',
  '\v',
  '\t',
  '\n',
  '\r',
  '\b',
  '\f',
  '\u0001',
  '\u001f',
  'é',
  'N',
  '😀',
  '=',
];
/** The characters that COPY escapes. */
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

const texts = letters.flatMap((one) =>
  ['', ...letters].flatMap((two) => ['', ...letters].map((three) => one + two + three)),
);

function copied(text: string): string {
  const escaped = [...text].map((letter) => escapes[letter] ?? letter).join('');
  return Buffer.from(`${escaped}\t\\N\t\\N\tt`).toString('latin1');
}

const decoded = (row: string): string => Buffer.from(row, 'latin1').toString();

describe('copiedRowEncoder', () => {
  test('writes JSON that parses to the copied text, whatever is next to a backslash', () => {
    const encode = copiedRowEncoder(columns, 'ndjson');
    for (const text of texts) {
      const row = decoded(encode(copied(text)));
      const rest = { meeting_description: null, price: 0, privacy: true };
      assert.deepEqual(JSON.parse(row), { name: text, ...rest }, row);
      assert.ok(row.endsWith('}\n'));
    }
  });

  test('writes CSV records with the copied text', () => {
    const encode = copiedRowEncoder(columns, 'csv');
    for (const text of texts) {
      const sign = formulaBeginnings.some((beginning) => text.startsWith(beginning)) ? "'" : '';
      assert.equal(decoded(encode(copied(text))), `"${sign}${text.replaceAll('"', '""')}",,0,true\r\n`);
    }
  });
});
