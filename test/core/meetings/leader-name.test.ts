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
});
