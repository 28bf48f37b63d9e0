import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDevice } from '#core/values/device.js';

test('the name of a device is one line of at most 60 characters', () => {
  const names: readonly (readonly [string | undefined, string | null])[] = [
    ['Firefox on Android', 'Firefox on Android'],
    [' Firefox on Android\n', 'Firefox on Android'],
    ['x'.repeat(60), 'x'.repeat(60)],
    ['x'.repeat(61), null],
    [undefined, null],
    ['', null],
    [' ', null],
    ['two\nlines', null],
    ['a\0b', null],
    ['a\ud800b', null],
  ];
  for (const [text, name] of names) assert.equal(readDevice(text), name, String(text));
});
