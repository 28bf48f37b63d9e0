import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clampPage, totalPages } from '@rollcall/core/rules';
import { pageOf, pageOffset } from '#core/values/page.js';

describe('Page', () => {
  const clamp = (page: unknown, size: unknown) => clampPage({ page, size, defaultSize: 10 });

  test('page is 1-indexed and defaults to 1, items to 10', () => {
    assert.deepEqual(clamp(undefined, undefined), { page: 1, size: 10 });
    assert.deepEqual(clamp('3', '7'), { page: 3, size: 7 });
  });

  test('numbers out of range are clamped to 1..100', () => {
    assert.deepEqual(clamp('0', '0'), { page: 1, size: 1 });
    assert.deepEqual(clamp(-5, '-1'), { page: 1, size: 1 });
    assert.deepEqual(clamp('7', '101'), { page: 7, size: 100 });
    assert.deepEqual(clamp('9'.repeat(300), 1e300), { page: 1_000_000_000, size: 100 });
  });

  test('fractions are cut off', () => {
    assert.deepEqual(clamp('2.9', 50.5), { page: 2, size: 50 });
    assert.deepEqual(clamp(-0.5, '0.9'), { page: 1, size: 1 });
    assert.deepEqual(clamp(Infinity, '100.5'), { page: 1_000_000_000, size: 100 });
  });

  test('anything but a number means the default', () => {
    for (const text of [
      'abc',
      '',
      '1.5.2',
      '1.',
      '0x10',
      'NaN',
      'Infinity',
      '1e3',
      '１',
      ['2'],
      { page: 2 },
      null,
      true,
      Number.NaN,
    ]) {
      assert.deepEqual(clamp(text, text), { page: 1, size: 10 }, String(text));
    }
  });

  test('numbers of more than 400 digits mean the default', () => {
    assert.deepEqual(clamp('9'.repeat(400), '9'.repeat(400)), { page: 1_000_000_000, size: 100 });
    assert.deepEqual(clamp('9'.repeat(401), '9'.repeat(401)), { page: 1, size: 10 });
    assert.deepEqual(clamp(`2.${'1'.repeat(400)}`, `3.${'1'.repeat(401)}`), { page: 2, size: 10 });
  });

  test('a page begins after those before it, and knows the totals', () => {
    const page = { page: 3, size: 4 };
    assert.equal(pageOffset(page), 8);
    assert.deepEqual(pageOf(page, { items: ['a'], total: 9 }), {
      ...{ page: 3, size: 4, items: ['a'] },
      ...{ totalItems: 9, totalPages: 3 },
    });
  });

  test('the page count is rounded up, and is 0 without items', () => {
    assert.deepEqual(
      [0, 1, 10, 11].map((items) => totalPages(items, 10)),
      [0, 1, 1, 2],
    );
  });
});
