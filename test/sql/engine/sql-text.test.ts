import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listOf, raw, SQL } from '#adapters/sql/engine/sql-text.js';

test('A statement has its parts in the text, and a parameter for every value', () => {
  const { text, values } =
    SQL`SELECT ${raw('id')} FROM users WHERE id IN (${listOf([1, 2])}) AND email = ${'a@b.test'}`;
  assert.equal(text, 'SELECT id FROM users WHERE id IN (?, ?) AND email = ?');
  assert.deepEqual(values, [1, 2, 'a@b.test']);
});

test('A list from outside is a value, also where it looks like a part', () => {
  const hostile = ['1 OR 1 = 1', []];
  const { text, values } = SQL`id = ${hostile as never} AND ${raw('true')}`;
  assert.equal(text, 'id = ? AND true');
  assert.deepEqual(values, [hostile]);
});
