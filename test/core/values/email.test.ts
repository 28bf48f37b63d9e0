import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emailProblem, normalizeEmail } from '@rollcall/core/rules';
import { emailForms } from '#core/values/email.js';

describe('Email', () => {
  test('addresses are compared without surrounding spaces and case-insensitively', () => {
    assert.equal(normalizeEmail('  Dana.Kim@Example.TEST '), 'dana.kim@example.test');
  });

  test('composed and decomposed accents are equal', () => {
    assert.equal(normalizeEmail('re\u0301ne\u0301@exa\u0308mple.test'), 'réné@exämple.test');
    assert.equal(normalizeEmail('RE\u0301NE\u0301@example.test'), 'réné@example.test');
    assert.equal(normalizeEmail('\u03aa\u0301@example.test'), '\u0390@example.test');
  });

  test('each form of a host is stored as people read it', () => {
    const forms = {
      'a@bücher.example.test': [
        'a@xn--bcher-kva.example.test',
        'A@XN--BCHER-KVA.Example.Test',
        'a@BÜCHER.example.test',
        'a@bu\u0308cher.example.test',
        'a@ｂücher．example。test',
      ],
      'a@straße.test': ['a@xn--strae-oqa.test', 'a@STRAẞE.test', 'a@Straße.TEST'],
      'a@strasse.test': ['a@STRASSE.test'],
      'a@例え.テスト': ['a@xn--r8jz45g.xn--zckzah', 'a@例え。テスト'],
      'a@βόλος.test': ['a@xn--nxasmm1c.test'],
      'a@βόλοσ.test': ['a@ΒΌΛΟΣ.test', 'a@xn--nxasmq6b.test'],
      'a@💩.test': ['a@xn--ls8h.test'],
      'a@fi.test': ['a@ﬁ.test'],
      // With an invisible character it stays encoded.
      'a@xn--mgba3gch31f060k.test': ['a@XN--mgba3gch31f060k.test'],
      // Only the host has two forms.
      'xn--bcher-kva@b.test': ['XN--bcher-kva@b.test'],
      'é@xn.test': ['É@xn.test'],
    };
    for (const [stored, others] of Object.entries(forms))
      for (const address of [stored, ...others]) {
        assert.equal(normalizeEmail(address), stored, address);
        assert.equal(emailProblem('to', address), null, address);
      }
  });

  test('a host that DNS cannot hold is refused', () => {
    const wrong = [
      ...['xn--a.test', 'xn--.test', 'xn--abc-.test', 'xn--bcher-kva', 'xn--bcher-\u00e9.test'],
      ...['ü.test.', 'ü.test。', 'ü..test', '.ü.test', '-ü.test', 'ü-.test', '\u0301.test'],
      ...['ü%41.test', 'ü:1.test', 'ü／b.test', 'ü＠b.test', `${'ü'.repeat(60)}.test`],
      ...['xn--é.test', 'ü\u2488b.test', 'ü\ufffd.test', `xn--${'9'.repeat(59)}.test`],
    ];
    for (const host of wrong) assert.equal(emailProblem('to', `a@${host}`)?.code, 'malformed', host);
    const long = `${'a'.repeat(200)}@${'ü.'.repeat(12)}test`;
    assert.equal(emailProblem('to', long)?.code, 'too-long');
  });

  test('both forms of an address are found in texts', () => {
    assert.deepEqual(emailForms(['a@bücher.test', 'a@b.test', 'é@b.test', 'none']), [
      ...['a@bücher.test', 'a@xn--bcher-kva.test', 'a@b.test', 'é@b.test', 'none'],
    ]);
  });

  test('a problem names the field, its kind and what is allowed', () => {
    const problem = (code: string, message: string) => ({ field: 'to', code, message });
    for (const other of [5, null])
      assert.deepEqual(emailProblem('to', other), problem('wrong-type', 'must be a string'));
    assert.deepEqual(emailProblem('to', ' '), problem('empty', 'must not be empty'));
    const host = `@${'b'.repeat(20)}.test`;
    const long = (length: number) => `${'a'.repeat(length - host.length)}${host}`;
    assert.equal(emailProblem('to', long(254)), null);
    assert.deepEqual(emailProblem('to', long(255)), problem('too-long', 'must have at most 254 characters'));
    const malformed = problem('malformed', 'must be an email address such as dana@example.com');
    const wrong = ['dana', 'dana@', '@example.test', 'a b@c.test', 'a@b..test', 'a\0@b.test'];
    for (const text of [...wrong, 'a@b.test@c.test', 'a\ud800@b.test'])
      assert.deepEqual(emailProblem('to', text), malformed);
  });

  test('names are words separated by single dots, and hosts have two labels or more', () => {
    for (const good of [
      ' Dana+work@example.co.test ',
      'ülf@exämple.test',
      'a.b@c.test',
      'a.b.c@d-e.f.test',
      "o'neil+x@1.test",
      'a@b.ü',
      'a@xn--4ca.test',
    ])
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
});
