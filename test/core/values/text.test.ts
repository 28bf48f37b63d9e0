import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isStorable, problemText } from '@rollcall/core/adapters';
import { oneLine, textProblem, visibleUrl } from '#core/values/text.js';

describe('Text', () => {
  test('on one line has neither line breaks nor marks that turn the text after it', () => {
    for (const [text, line] of [
      ['Northwind', 'Northwind'],
      [' a  b ', 'a  b'],
      ['a\r\n\nb\u2028c\u2029d\u0085e', 'a b c d e'],
      ['a \u001b[2Jb\tc\u0000', 'a [2Jb c'],
      ['\u202egnp.\u202cexe\u2066\u2069', 'gnp.exe'],
      // Marks that are part of names stay.
      ['نامه\u200cای \u200f', 'نامه\u200cای \u200f'],
    ] as const)
      assert.equal(oneLine(text), line, JSON.stringify(text));
  });

  test('a URL shows what is invisible in it', () => {
    assert.equal(visibleUrl('https://ü.test/é?a=%20#x'), 'https://ü.test/é?a=%20#x');
    assert.equal(
      visibleUrl('https://a.test/\u202e\u200b\u00ad\u2028\n'),
      'https://a.test/%E2%80%AE%E2%80%8B%C2%AD%E2%80%A8%0A',
    );
  });

  test('a problem names the field and what is allowed', () => {
    const problem = (text: unknown) => {
      const found = textProblem('firstName', text, { maxCharacters: 5 });
      return found && problemText(found);
    };
    for (const text of ['Ana', 'Emily', '😀']) assert.equal(problem(text), null);
    assert.equal(problem('A\tb'), 'firstName must not contain control characters');
    assert.equal(problem(5), 'firstName must be a string');
    assert.equal(problem('  '), 'firstName must not be empty');
    assert.equal(problem('Amelia'), 'firstName must have at most 5 characters');
    assert.equal(problem('A\0'), 'firstName must not contain control characters');
    assert.equal(problem('A\ud800'), 'firstName must not contain control characters');
  });

  test('a text of invisible characters is empty', () => {
    for (const text of [
      '',
      ' \t\n',
      '\u200b',
      '\u200d \u200c',
      '\u00ad\ufeff',
      '\u3164',
      '\ufe0f',
      '\u2028',
      '\u202e',
    ])
      assert.deepEqual(
        textProblem('lastName', text, { maxCharacters: 5 }),
        { field: 'lastName', code: 'empty', message: 'must not be empty' },
        JSON.stringify(text),
      );
  });

  test('a text has one line, in its own direction', () => {
    const message = 'must not contain line breaks or characters that change the direction of text';
    for (const code of [
      0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
    ])
      assert.deepEqual(
        textProblem('name', `a${String.fromCodePoint(code)}b`, { maxCharacters: 5 }),
        { field: 'name', code: 'malformed', message },
        code.toString(16),
      );
    for (const code of [0x2027, 0x202f, 0x2065, 0x206a])
      assert.equal(textProblem('name', `a${String.fromCodePoint(code)}b`, { maxCharacters: 5 }), null);
  });

  test('of a text with several problems, the worst is named', () => {
    const code = (text: string) => textProblem('name', text, { maxCharacters: 5 })?.code;
    assert.deepEqual(
      [code('a\u202e\0'), code('a\u202ebcdef'), code('\u200b'.repeat(9))],
      ['not-storable', 'too-long', 'empty'],
    );
  });

  test('a name may join letters and emoji, mark its direction, and have soft hyphens', () => {
    // A Persian name with ZWNJ, a Sinhala one with ZWJ, a family of emoji with ZWJ, and Hebrew after a mark.
    for (const name of ['علی\u200cرضا', 'ශ්\u200dරී', '👩\u200d👧', '\u200fדנה', 'Kim\u00adura', '✈\ufe0f'])
      assert.equal(textProblem('firstName', name, { maxCharacters: 20 }), null, name);
  });

  test('surrogate pairs can be stored, lone surrogates cannot', () => {
    assert.equal(isStorable('😀'), true);
    assert.equal(isStorable('\ude00'), false);
  });
});
