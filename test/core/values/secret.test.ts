import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { Secret } from '@rollcall/core';

describe('Secret', () => {
  test('prints *** wherever it is printed, joined or encoded', () => {
    const secret = new Secret('open sesame');
    const shown = [
      String(secret),
      `${secret}`,
      JSON.stringify({ secret }),
      inspect({ secret }),
      [secret].join(),
    ];
    for (const text of shown) {
      assert.match(text, /\*\*\*/);
      assert.doesNotMatch(text, /sesame/);
    }
    assert.equal(secret.reveal(), 'open sesame');
    assert.deepEqual(Object.keys(secret), []);
  });
});
