import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encodeCursor } from '#core/values/cursor.js';
import { listLimit, listPart } from '#core/values/list.js';

describe('A part of a list', () => {
  const keyOf = (item: string): readonly string[] => [item];

  test('ends with the cursor of its last item while more follow', () => {
    const part = listPart(['a', 'b', 'c'], { list: 'users', limit: 2, keyOf });
    assert.deepEqual(part, { items: ['a', 'b'], next: encodeCursor('users', ['b']) });
  });

  test('has no cursor at the end of the list', () => {
    for (const found of [[], ['a'], ['a', 'b']])
      assert.deepEqual(listPart(found, { list: 'users', limit: 2, keyOf }), { items: found, next: null });
  });

  for (const [given, limit] of [
    [undefined, 50],
    [0, 1],
    ['7', 7],
    [101, 100],
    ['many', 50],
  ] as const) {
    test(`has at most ${limit} items if ${JSON.stringify(given)} is asked for`, () => {
      assert.equal(listLimit(given), limit);
    });
  }
});
