import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { describe, test } from 'node:test';
import { networkOf, readAddress } from '@rollcall/core/adapters';
import fc from 'fast-check';

const read: readonly (readonly [string, string])[] = [
  ['192.0.2.1', '192.0.2.1'],
  [' 192.0.2.1 ', '192.0.2.1'],
  ['192.0.2.1:5678', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['[::ffff:192.0.2.1]:443', '192.0.2.1'],
  ['::1', '::1'],
  ['::', '::'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['2001:db8:0:1:0:0:0:1', '2001:db8:0:1::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['[fe80::1%25eth0]:80', 'fe80::1'],
  ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['1::ffff:192.0.2.1', '1::ffff:c000:201'],
  ['fe80::1%', 'fe80::1'],
  ['fe80::1%a\nb', 'fe80::1'],
  [`fe80::1%${'x'.repeat(92)}`, 'fe80::1'],
];

const notAddresses = [
  '',
  ' ',
  'unknown',
  '_hidden',
  'localhost',
  '1.2.3',
  '1.2.3.4.5',
  '01.2.3.4',
  '256.1.1.1',
  '1.2.3.4:',
  '1.2.3.4:x',
  '1.2.3.4, 5.6.7.8',
  ':::',
  '1::2::3',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8::',
  '12345::',
  'g::1',
  '::1.2.3.4:5',
  '[::1',
  'x[::1]',
  '[::1]:443x',
  '[::1]:123456',
  '1.2.3.4:123456',
  `fe80::1%${'x'.repeat(93)}`,
  `${'0'.repeat(5000)}::1`,
  'x'.repeat(100_000),
];

describe('The address of a client', () => {
  test('is normalized: no port, no zone, and IPv4 if it is mapped', () => {
    assert.deepEqual(
      read.map(([text]) => [text, readAddress(text)]),
      read,
    );
  });

  test('is null for text that is not an address, and all such text counts as one network', () => {
    for (const text of notAddresses) {
      assert.equal(readAddress(text), null, text);
      assert.equal(networkOf(text), 'unknown', text);
    }
  });

  test('belongs to a network: itself for IPv4, its /64 for IPv6', () => {
    assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1');
    assert.equal(networkOf('192.0.2.2:80'), '192.0.2.2');
    assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
    assert.equal(networkOf('[2001:db8:1:2:ffff:ffff:ffff:ffff]:1'), '2001:db8:1:2::/64');
    assert.equal(networkOf('2001:db8:1:3::'), '2001:db8:1:3::/64');
    assert.equal(networkOf('fe80::1%eth0'), 'fe80::/64');
    assert.equal(networkOf('0:0:0:5:1:2:3:4'), '0:0:0:5::/64');
  });

  test('is normalized like in the URL standard', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV6(), fc.ipV4(), fc.string()), (text) => {
        const address = readAddress(text);
        if (isIP(text) === 0) return;
        assert.ok(address !== null, text);
        if (isIP(address) === 6) assert.equal(new URL(`http://[${text}]`).hostname, `[${address}]`);
        assert.equal(readAddress(address), address);
        assert.equal(networkOf(address), networkOf(text));
      }),
      { numRuns: 2000, seed: 20_261_120 },
    );
  });
});
