import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isAccessKey } from '#core/access/access-key.js';

describe('An access key', () => {
  test('is 24 digits and nothing else', () => {
    assert.equal(isAccessKey('0123456789'.repeat(3).slice(0, 24)), true);
    for (const text of [
      '1'.repeat(23),
      '1'.repeat(25),
      `${'1'.repeat(24)}\n`,
      ` ${'1'.repeat(23)}`,
      '１'.repeat(24),
      5,
      null,
    ]) {
      assert.equal(isAccessKey(text), false, String(text));
    }
  });
});
