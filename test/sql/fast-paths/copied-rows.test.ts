import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { csvText } from '@rollcall/core/adapters';
import { chooseColumns } from '@rollcall/core/rules';
import type { EncodeRow } from '#adapters/sql/engine/database.js';
import { copiedRowEncoder } from '#adapters/sql/fast-paths/copied-rows.js';

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
  ';',
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

function copied(...cells: readonly (string | null)[]): Buffer {
  const inCopy = (cell: string | null): string =>
    cell === null ? '\\N' : [...cell].map((letter) => escapes[letter] ?? letter).join('');
  return Buffer.from(`${cells.map(inCopy).join('\t')}\n`);
}

/** The row that the encoder writes behind a byte that it must leave alone. */
function encoded(encode: EncodeRow, row: Buffer): string {
  const into = Buffer.alloc(6 * row.length + 200, '!');
  const end = encode(row, into, 1);
  assert.equal(into.toString('utf8', 0, 1), '!');
  assert.match(into.toString('utf8', end), /^!+$/);
  return into.toString('utf8', 1, end);
}

describe('copiedRowEncoder', () => {
  test('writes JSON that parses to the copied text, whatever is next to a backslash', () => {
    const encode = copiedRowEncoder(columns, 'ndjson');
    for (const text of texts) {
      const row = encoded(encode, copied(text, null, null, 't'));
      const rest = { meeting_description: null, price: 0, privacy: true };
      assert.deepEqual(JSON.parse(row), { name: text, ...rest }, row);
      assert.ok(row.endsWith('}\n'));
    }
  });

  test('writes CSV records with the copied text', () => {
    const encode = copiedRowEncoder(columns, 'csv');
    for (const text of texts)
      assert.equal(encoded(encode, copied(text, null, null, 't')), `${csvText(text)},,0,true\r\n`);
  });

  test('writes long texts as well as short ones, in every form', () => {
    for (const length of [47, 48, 49, 50, 5_000])
      for (const letter of ['a', 'é', '😀']) {
        const long = letter.repeat(length);
        const text = `${long}"${long}\n${long}`;
        const row = copied('', text, '12.50', 'f');
        const json = JSON.stringify(text);
        const members = `"name":"","meeting_description":${json},"price":12.50,"privacy":false`;
        assert.equal(encoded(copiedRowEncoder(columns, 'json'), row), `,{${members}}`);
        assert.equal(encoded(copiedRowEncoder(columns, 'ndjson'), row), `{${members}}\n`);
        assert.equal(encoded(copiedRowEncoder(columns, 'csv'), row), `"",${csvText(text)},12.50,false\r\n`);
      }
  });

  test('writes numbers and times', () => {
    const some = chooseColumns(['start_time', 'duration', 'group_leader_id', 'updated_at']);
    const row = copied('2026-11-20 18:00:00+00', '60', '7', '2026-11-20 18:00:00.25+00');
    const [start, updated] = ['2026-11-20T18:00:00.000Z', '2026-11-20T18:00:00.250Z'];
    assert.deepEqual(JSON.parse(encoded(copiedRowEncoder(some, 'ndjson'), row)), {
      ...{ start_time: start, duration: 60, group_leader: 7, updated_at: updated },
    });
    assert.equal(encoded(copiedRowEncoder(some, 'csv'), row), `${start},60,7,${updated}\r\n`);
    const noLeader = copied('2026-11-20 18:00:00.5+00', '60', null, '2026-11-20 18:00:00.123456+00');
    assert.equal(
      encoded(copiedRowEncoder(some, 'csv'), noLeader),
      '2026-11-20T18:00:00.500Z,60,,2026-11-20T18:00:00.123Z\r\n',
    );
    assert.equal(JSON.parse(encoded(copiedRowEncoder(some, 'ndjson'), noLeader)).group_leader, null);
  });

  test('reports a time in another form, and a row with other columns', () => {
    const encode = copiedRowEncoder(chooseColumns(['start_time', 'name']), 'json');
    const times = [
      ...['2026-11-20 18:00:00+01', '2026-11-20 18:00:00-05', '2026-11-20 18:00:00+05:30'],
      ...['2026-11-20T18:00:00+00', '2026-11-20 18:00:00x+00', '12026-11-20 18:00:00+00'],
      ...['20 Nov 2026 18:00', 'infinity', ''],
    ];
    for (const time of times)
      for (const name of ['a', '+00'])
        assert.throws(() => encoded(encode, copied(time, name)), {
          message: `the timestamp ${time} is not in the expected form`,
        });
    const message = 'a row of COPY does not have the expected columns';
    for (const some of [['name', 'topic'], ['name', 'duration'], ['name', 'privacy'], ['topic']]) {
      const cells = some.length === 1 ? ['a', 'b'] : ['a'];
      for (const form of ['json', 'csv'] as const)
        assert.throws(() => encoded(copiedRowEncoder(chooseColumns(some), form), copied(...cells)), {
          message,
        });
    }
  });

  test('tells how large the buffer must be for a row that does not fit, and leaves other memory alone', () => {
    const text = '"'.repeat(100) + 'long '.repeat(100);
    const row = copied(text, text, null, 't');
    for (const form of ['json', 'ndjson', 'csv'] as const) {
      const encode = copiedRowEncoder(columns, form);
      const whole = encoded(encode, row);
      for (const length of [0, 1, 5, 100, 130, 250, whole.length]) {
        const memory = Buffer.alloc(2_000, '!');
        const end = encode(row, memory.subarray(0, length), 1);
        assert.equal(end, 1 + whole.length);
        assert.match(memory.toString('utf8', length), /^!+$/);
      }
    }
  });
});
