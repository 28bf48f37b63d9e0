import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { leaderName } from '#core/meetings/leader-name.js';

describe('leaderName', () => {
  test('is the first name and the initial of the last name', () => {
    const name = (firstName: string, lastName: string) => leaderName({ firstName, lastName });
    assert.deepEqual(
      [
        name('Dana', 'Kim'),
        name('Ana', 'ñandú'),
        name('Yui', '😀x'),
        name('Madonna', ''),
        name('Al', ' de Wit'),
      ],
      ['Dana K.', 'Ana Ñ.', 'Yui 😀.', 'Madonna', 'Al D.'],
    );
  });

  test('the initial is a letter with its accents, however the last name is written', () => {
    const initials = {
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
    for (const [lastName, initial] of Object.entries(initials))
      assert.equal(leaderName({ firstName: 'Jan', lastName }), `Jan ${initial}.`, lastName);
    for (const lastName of ["'", '(.)', ' ', '–', '\u0301', '…'])
      assert.equal(leaderName({ firstName: 'Jan', lastName }), 'Jan', lastName);
  });
});
