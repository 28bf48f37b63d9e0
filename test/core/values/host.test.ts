import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { domainToASCII, domainToUnicode } from 'node:url';
import { encodedHost, readHost } from '#core/values/host.js';

/** Labels of many scripts and lengths, with and without ASCII, so that every step of Punycode is taken. */
const labels = [
  ...[
    'bücher',
    'ü',
    'üü',
    'aü',
    'a-ü',
    'ü-a',
    'münchen-ost',
    'straße',
    'ελλάδα',
    'παράδειγμα',
    'россия',
    'пример',
  ],
  ...[
    '他们为什么不说中文',
    '他們爲什麽不說中文',
    'почемужеонинеговорятпорусски',
    'なぜみんな日本語を話してくれないのか',
    '王',
    '日本語',
  ],
  ...[
    '세계의모든사람들이한국어를이해한다면',
    'यहलोगहिन्दीक्योंनहींबोलसकतेहैं',
    'למההםפשוטלאמדבריםעברית',
    'ليهمابتكلموشعربي',
    '3年b組金八先生',
  ],
  ...[
    'porquénopuedensimplementehablarenespañol',
    'tạisaohọkhôngthểchỉnóitiếngviệt',
    '安室奈美恵-with-super-monkeys',
    '𐐨𐐩',
    '𠮷野家',
    'a𠮷b',
  ],
  ...[
    'ĉĝĥĵŝŭ',
    'ıi',
    'ǆ',
    'żółć',
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaü',
    'ü'.repeat(30),
    'āăąćĉċčďđēĕėęěĝğġģĥħĩī',
  ],
];

describe('The one form of a host', () => {
  test('is what people read, and its encoded form is that of the runtime', () => {
    for (const label of labels)
      for (const host of [`${label}.example`, `mail.${label}.test`]) {
        const ascii = domainToASCII(host);
        assert.match(ascii, /xn--/, host);
        assert.equal(encodedHost(host), ascii, host);
        assert.equal(readHost(ascii), domainToUnicode(ascii), host);
        assert.equal(readHost(host), domainToUnicode(ascii), host);
        assert.equal(readHost(ascii.toUpperCase()), domainToUnicode(ascii), host);
      }
  });

  test('of plain names is lower case', () => {
    assert.deepEqual(['Example.COM', 'a.B', ''].map(readHost), ['example.com', 'a.b', '']);
    assert.deepEqual(['Example.COM', 'a.B', ''].map(encodedHost), ['example.com', 'a.b', '']);
    assert.equal(readHost('axn--b.Example'), 'axn--b.example');
  });

  test('is the same for marks in another order, which are the same text', () => {
    for (const marks of ['\u0345\u030a', '\u030a\u0345', '\u0345\u0323\u0301', '\u0301\u0323'])
      for (const base of ['', 'α', 'a']) {
        const host = `${base}${marks}.test`;
        const one = readHost(host.normalize('NFD'));
        assert.equal(readHost(host), one, JSON.stringify(host));
        assert.equal(readHost(host.normalize('NFC')), one, JSON.stringify(host));
      }
  });

  test('is null for what DNS cannot hold', () => {
    for (const host of [
      'ü/a',
      'ü a',
      `${'ü'.repeat(60)}.test`,
      `${'a'.repeat(64)}.ü`,
      'xn--a',
      'xn--a-!.test',
      'xn--99999999.test',
      'a\u200bü.test',
      'xn--.test',
      'xn--ü.test',
    ])
      assert.equal(readHost(host), null, host);
    assert.equal(encodedHost('ü/a'), null);
    assert.equal(encodedHost(`${'a'.repeat(64)}.ü`), null);
    assert.equal(encodedHost(`${'a'.repeat(63)}.ü`), `${'a'.repeat(63)}.xn--tda`);
  });
});
