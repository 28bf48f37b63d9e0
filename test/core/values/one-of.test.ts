import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkOneOf } from '#core/values/one-of.js';

test('a text that is not one of the known ones is an error that lists them', () => {
  checkOneOf('role', ['owner', 'admin'], 'admin');
  assert.throws(() => checkOneOf('role', ['owner', 'admin'], 'king'), {
    name: 'TypeError',
    message: 'role must be one of owner, admin',
  });
});
