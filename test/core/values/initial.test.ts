import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initialOf } from '#core/values/initial.js';

test('the initial of a name is its first letter with its accents, in upper case', () => {
  const initials = {
    kim: 'K',
    "'t Hooft": 'T',
    ñandú: 'Ñ',
    'e\u0301mile': 'É',
    'x\u0302y': 'X\u0302',
    ßler: 'S',
    ŉ: 'N',
    王: '王',
  };
  for (const [name, initial] of Object.entries(initials)) assert.equal(initialOf(name), initial, name);
  for (const name of ['', "'", '–', '\u0301']) assert.equal(initialOf(name), null, name);
});
