import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeCursor, encodeCursor } from '#core/values/cursor.js';
import { refused } from '../../support/core/refused.js';

const isText = (value: unknown): value is string => typeof value === 'string';
const read = ([text]: readonly unknown[]): string | null => (isText(text) ? text : null);

describe('A cursor', () => {
  test('is read as it was written, in any script and with any sign', () => {
    for (const text of ['dana@northwind.test', 'ÿþ>>>???~~~', 'Zoë', '山田', '👩🏽‍🚀', '', '"],[', ' ']) {
      assert.equal(decodeCursor('users', encodeCursor('users', [text]), read), text);
    }
  });

  test('needs no escaping in a URL', () => {
    // Base64 fills texts of two of three lengths up with `=`.
    for (const text of ['', 'a', 'ab'])
      assert.match(encodeCursor('users', [`ÿþ>>>???~~~${text}`, 2 ** 53 - 1]), /^[\w-]+$/);
  });

  test('is undefined if it is left out', () => {
    assert.equal(decodeCursor('users', undefined, read), undefined);
  });

  test('has at most 4000 characters', () => {
    const cursor = (characters: number) =>
      encodeCursor('users', ['a'.repeat(characters - '["users",""]'.length)]);
    assert.equal(cursor(3000).length, 4000);
    assert.equal(decodeCursor('users', cursor(3000), read)?.length, 2988);
    assert.throws(() => decodeCursor('users', cursor(3001), read), refused('invalid-request'));
  });

  const good = encodeCursor('users', ['a']);
  for (const [name, text] of [
    ['of another list', encodeCursor('invitations', ['a'])],
    ['with a value of another kind', encodeCursor('users', [1])],
    ['that is empty', ''],
    ['that is cut off', good.slice(0, -1)],
    ['with another letter', `${good}A`],
    ['with padding', `${good}=`],
    ['with white space', `${good} `],
    ['that is not JSON', btoa('hello')],
    ['that is no list', btoa('{"0":"users","1":"a"}').replaceAll('=', '')],
    ['that is written differently', btoa('["users", "a"]').replaceAll('=', '')],
    ['that is very long', 'A'.repeat(100_000)],
  ] as const) {
    test(`${name} is refused with the name of the parameter`, () => {
      assert.throws(
        () => decodeCursor('users', text, read),
        refused('invalid-request', 'after must be the `next` of an earlier answer'),
      );
    });
  }
});
