import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { searchPattern, sortKey, withoutAccents } from '#core/values/search-pattern.js';

const finds = (word: string, text: string): boolean => searchPattern(word).test(withoutAccents(text));

describe('A search pattern', () => {
  test('finds a word in any case and with any accents', () => {
    const pairs = [
      ...['tomas Tomás', 'TOMÁS tomas', 'o Ö', 'ö O', 'sigma SIGMA', 'σ ς', 'ς Σ', 'ß ẞ', 'straße STRAẞE'],
      ...['d Đ', 'đ D', 'ð d', 'đ ð', 'h ħ', 'Ħ H', 'i ı', 'l Ł', 'ł L', 'o Ø', 'ø O', 't ŧ', 'Ŧ t'],
    ];
    for (const pair of pairs) {
      const [word = '', text = ''] = pair.split(' ');
      assert.equal(finds(word, text), true, pair);
      assert.equal(finds(word, `a${text}b`), true, pair);
    }
  });

  test('finds nothing else', () => {
    for (const pair of ['tomas Thomas', 'd t', 'l i', 'a b', '. a', 'ab a', 'ß s', '👩 👨']) {
      const [word = '', text = ''] = pair.split(' ');
      assert.equal(finds(word, text), false, pair);
    }
  });

  test('takes every character literally', () => {
    for (const character of '\\[]^-$.*+?(){}|/"\'') {
      assert.equal(finds(`a${character}b`, `a${character}b`), true, character);
      assert.equal(finds(character, 'a'), false, character);
    }
  });

  test('removes accents of every alphabet, and nothing else', () => {
    assert.equal(withoutAccents('Tomás Ångström ἄλφα й ø 👩'), 'Tomas Angstrom αλφα и ø 👩');
  });

  test('has a sort key without accents, with A to Z in lower case', () => {
    assert.equal(sortKey('Tomás ÅNGSTRÖM-Zed Ø'), 'tomas angstrom-zed Ø');
  });
});
