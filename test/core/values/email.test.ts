import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emailProblem, normalizeEmail } from '@rollcall/core/rules';
import { emailLook } from '#core/values/email.js';

describe('Email', () => {
  test('addresses are compared without surrounding spaces and case-insensitively', () => {
    assert.equal(normalizeEmail('  Dana.Kim@Example.TEST '), 'dana.kim@example.test');
  });

  test('composed and decomposed accents are equal', () => {
    assert.equal(normalizeEmail('re\u0301ne\u0301@exa\u0308mple.test'), 'réné@exämple.test');
    assert.equal(normalizeEmail('RE\u0301NE\u0301@example.test'), 'réné@example.test');
    assert.equal(normalizeEmail('\u03aa\u0301@example.test'), '\u0390@example.test');
  });

  test('the look of an address has no invisible characters', () => {
    assert.equal(emailLook(' D\u200ba\u0000na\u{e0061}@Example.test'), 'dana@example.test');
  });

  test('a problem names the field, its kind and what is allowed', () => {
    const problem = (code: string, message: string) => ({ field: 'to', code, message });
    assert.deepEqual(emailProblem('to', 5), problem('wrong-type', 'must be a string'));
    assert.deepEqual(emailProblem('to', ' '), problem('empty', 'must not be empty'));
    const host = `@${'b'.repeat(20)}.test`;
    const long = (length: number) => `${'a'.repeat(length - host.length)}${host}`;
    assert.equal(emailProblem('to', long(254)), null);
    assert.deepEqual(emailProblem('to', long(255)), problem('too-long', 'must have at most 254 characters'));
    const malformed = problem('malformed', 'must be an email address such as dana@example.com');
    for (const text of ['dana', 'a@b.test@c.test', 'a\ud800@b.test'])
      assert.deepEqual(emailProblem('to', text), malformed);
  });

  test('names are words separated by single dots, and hosts have two labels or more', () => {
    for (const good of ['a.b@c.test', 'a.b.c@d-e.f.test', "o'neil+x@1.test", 'a@b.ü', 'a@xn--4ca.test'])
      assert.equal(emailProblem('to', good), null, good);
    const wrong = [
      ...['.a@b.test', 'a.@b.test', 'a..b@c.test', 'a"b@c.test', 'a(b@c.test', 'a,b@c.test', 'a\\b@c.test'],
      ...[
        'a@-b.test',
        'a@b-.test',
        'a@b.-test',
        'a@b.test-',
        'a@b_c.test',
        'a@b.test.',
        'a@.b.test',
        'a@b.te st',
        'a@localhost',
        'a@b.c.test/d',
        'a@b.c.-d',
      ],
    ];
    for (const address of wrong) assert.equal(emailProblem('to', address)?.code, 'malformed', address);
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
