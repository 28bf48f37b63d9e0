import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emailProblem, normalizeEmail } from '@rollcall/core/rules';
import fc from 'fast-check';

/** Letters, combining marks, and invisible characters. */
const parts = [
  ...[
    'a',
    'A',
    'e',
    'E',
    'é',
    'É',
    'ñ',
    'i',
    'I',
    'İ',
    'ı',
    'ß',
    'ﬁ',
    'Å',
    'ｅ',
    'が',
    '각',
    'ά',
    'Σ',
    'ς',
    '1',
    '-',
    '.',
  ],
  ...['\u0301', '\u0308', '\u0303', '\u030a', '\u0307', '\u3099', '\u11a8', '\u0345', '\u0323'],
  ...[
    '\u034f',
    '\u3164',
    '\ufe0f',
    '\u200b',
    '\u200d',
    '\u2060',
    '\u00ad',
    '\u115f',
    '\u17b4',
    '\u{e0061}',
    '\u{1d173}',
  ],
];
const words = fc.string({ unit: fc.constantFrom(...parts), minLength: 1, maxLength: 5 });
const anything = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 });
const addresses = fc
  .tuple(fc.oneof(words, anything), fc.oneof(words, fc.constant('mail')))
  .map(([name, host]) => `${name}@${host}.test`);

/** The address as a person sees it. */
function visibleForm(address: string): string {
  return address
    .normalize('NFC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFC');
}

/** The stored form of an address, or null if it is refused. */
function stored(address: string): string | null {
  return emailProblem('email', address) === null ? normalizeEmail(address) : null;
}

/** Other spellings that look the same. */
const disguises: readonly ((address: string) => string)[] = [
  (address) => address.normalize('NFD'),
  (address) => address.normalize('NFC'),
  (address) => address.toUpperCase(),
  (address) => ` ${address}`,
  ...parts.slice(-11).map((hidden) => (address: string) => address.replace('@', `${hidden}@`)),
];

describe('Email addresses', () => {
  test('that look the same are stored in the same form', () => {
    fc.assert(
      fc.property(addresses, fc.constantFrom(...disguises), (address, disguise) => {
        const [one, other] = [stored(address), stored(disguise(address))];
        if (one === null || other === null || one === other) return;
        assert.notEqual(visibleForm(one), visibleForm(other));
      }),
      { numRuns: 5_000 },
    );
  });

  test('are stored in one form, without invisible characters', () => {
    fc.assert(
      fc.property(addresses, (address) => {
        const kept = stored(address);
        if (kept === null) return;
        assert.equal(kept, visibleForm(kept));
        assert.equal(normalizeEmail(kept), kept);
        assert.equal(emailProblem('email', kept), null);
        assert.equal(stored(address.normalize('NFD')), kept);
      }),
      { numRuns: 5_000 },
    );
  });
});
