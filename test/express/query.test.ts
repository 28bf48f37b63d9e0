import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readQuery } from '#adapters/express/query.js';

const rules = {
  fields: new Map([
    ['limit', { type: 'integer' }],
    ['email', { type: 'string' }],
  ]),
  lists: new Set<string>(),
};

describe('The query of an operation', () => {
  test('that is strict fails for each parameter that the operation does not have', () => {
    const { values, failed } = readQuery('limit=5&emial=x&emial=y&a%5B%5D=1&=1&', {
      ...rules,
      isStrict: true,
    });
    assert.deepEqual(values, { limit: 5 });
    assert.deepEqual(
      failed.map(({ path, message }) => [path, message]),
      ['emial', 'a', '=1'].map((name) => [
        name,
        'is not a parameter of this operation, which has only limit, email',
      ]),
    );
  });

  test('that is strict and has no parameters says so', () => {
    const none = { fields: new Map(), lists: new Set<string>(), isStrict: true };
    const [failed] = readQuery('page=1', none).failed;
    assert.equal(failed?.message, 'is not a parameter of this operation, which has none');
  });

  test('that is not strict may have other parameters', () => {
    assert.deepEqual(readQuery('emial=x', { ...rules, isStrict: false }), { values: {}, failed: [] });
  });
});
