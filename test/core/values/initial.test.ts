import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initialOf } from '#core/values/initial.js';

test('the initial of a name is its first letter with its accents, in upper case', () => {
  const initials = {
    kim: 'K',
    ñandú: 'Ñ',
    "'t Hooft": 'T',
    '’t Hooft': 'T',
    '(née) Kim': 'N',
    '"Ada" Kim': 'A',
    '-Smith': 'S',
    '¿Qué?': 'Q',
    'van der Berg': 'V',
    'Smith-Jones': 'S',
    'E\u0301mile': 'É',
    'e\u0301mile': 'É',
    'x\u0302y': 'X\u0302',
    '\u0301Kim': 'K',
    ʻAukai: 'A',
    ʼn: 'N',
    ŉ: 'N',
    ßler: 'S',
    ﬁsh: 'F',
    ǆaja: 'Ǆ',
    𐐨𐐲: '𐐀',
    𠮷田: '𠮷',
    王: '王',
    محمد: 'م',
    '\u200fمحمد': 'م',
    कि: 'कि',
    '\u1100\u1161나': '가',
    '3rd': '3',
    '\u200b Kim': 'K',
  };
  for (const [name, initial] of Object.entries(initials)) assert.equal(initialOf(name), initial, name);
  for (const name of ['', ' ', "'", '(.)', '–', '\u0301', '…']) assert.equal(initialOf(name), null, name);
});
