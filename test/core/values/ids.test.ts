import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkId, isId, isUuid } from '#core/values/ids.js';

describe('An ID', () => {
  test('is a whole number from 1 to 2^53 - 1', () => {
    for (const id of [1, 2, 2 ** 53 - 1]) {
      assert.equal(isId(id), true);
      assert.equal(checkId('id', id), id);
    }
    for (const id of [0, -1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, '1', null, undefined, 1n])
      assert.equal(isId(id), false, String(id));
  });

  test('that is impossible is named in the error, without texts that were given', () => {
    const message = 'organization.id must be a whole number from 1 to 2^53 - 1, not';
    assert.throws(() => checkId('organization.id', 0), { name: 'TypeError', message: `${message} 0` });
    assert.throws(() => checkId('organization.id', 'dana'), {
      name: 'TypeError',
      message: `${message} string`,
    });
  });
});

describe('A UUID', () => {
  const uuid = '018f2b3c-4d5e-7a6b-8c9d-0e1f2a3b4c5d';

  test('may be in upper or lower case', () => {
    for (const id of [uuid, uuid.toUpperCase()]) assert.equal(isUuid(id), true, id);
  });

  test('has groups of 8, 4, 4, 4 and 12 hexadecimal digits and nothing else', () => {
    const others = [
      ...[` ${uuid}`, `${uuid}0`, `0${uuid}`, uuid.slice(1), uuid.slice(0, -1), uuid.replace('f', 'g')],
      ...[
        uuid.replaceAll('-', ''),
        `${uuid.slice(0, 8)}${uuid.slice(13)}`,
        uuid.replace('-', '-aaaa-'),
        ...[uuid.replace('4d5e', '4d5e0'), [uuid]],
        '',
        5,
        null,
      ],
    ];
    for (const id of others) assert.equal(isUuid(id), false, String(id));
  });
});
