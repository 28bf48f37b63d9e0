import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { csvHeading, csvLine, csvText } from '#core/values/csv.js';

describe('CSV', () => {
  test('a heading starts with a byte order mark and has each label in quotes', () => {
    assert.equal(csvHeading(['Name', 'Start Time']), '\ufeff"Name","Start Time"\r\n');
  });

  test('a text is in quotes, and has an apostrophe before what a spreadsheet could run', () => {
    assert.deepEqual(['', 'Dana', '"Dana" = x'].map(csvText), ['""', '"Dana"', '"""Dana"" = x"']);
    for (const beginning of ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
      assert.equal(csvText(`${beginning}SUM(1)`), `"'${beginning}SUM(1)"`);
      assert.equal(csvText(`1${beginning}`), `"1${beginning}"`);
    }
  });

  test('a formula has an apostrophe before it also where a spreadsheet may begin another cell', () => {
    for (const cellBreak of [';', '\t', '\r', '\n', '\r\n'])
      for (const sign of ['=', '+', '-', '@', '＝', '＋', '－', '＠'])
        for (const quotes of ['', '"', '""']) {
          const [before, after] = [`O${cellBreak}`, `${quotes}${sign}1+1;x${cellBreak}`];
          assert.equal(csvText(before + after), `"${before}'${after.replaceAll('"', '""')}"`);
        }
    assert.deepEqual(['a;=1;=2\n-3', ';cab', 'e=1', 'd+1'].map(csvText), [
      ...["\"a;'=1;'=2\n'-3\"", '";cab"', '"e=1"', '"d+1"'],
    ]);
    assert.deepEqual([';=1', ';;-1', '\t=1', 'a; =1', 'a;b=1'].map(csvText), [
      ...['";\'=1"', '";;\'-1"', '"\'\t\'=1"', '"a; =1"', '"a;b=1"'],
    ]);
  });

  test('a line has texts, times in UTC, and empty fields for null', () => {
    const time = new Date('2026-11-20T18:30:00.000Z');
    assert.equal(csvLine(['a', null, time, '']), '"a",,2026-11-20T18:30:00.000Z,""\r\n');
  });
});
