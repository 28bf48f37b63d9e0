import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { Secret } from '@rollcall/core';
import { isStorable, problemText, textProblem } from '@rollcall/core/adapters';
import { clampPage, emailProblem, normalizeEmail, totalPages } from '@rollcall/core/rules';

describe('Page', () => {
  const clamp = (page: unknown, size: unknown) => clampPage({ page, size, defaultSize: 10 });

  test('page is 1-indexed and defaults to 1, items to 10', () => {
    assert.deepEqual(clamp(undefined, undefined), { page: 1, size: 10 });
    assert.deepEqual(clamp('3', '7'), { page: 3, size: 7 });
  });

  test('numbers out of range are clamped to 1..100', () => {
    assert.deepEqual(clamp('0', '0'), { page: 1, size: 1 });
    assert.deepEqual(clamp(-5, '-1'), { page: 1, size: 1 });
    assert.deepEqual(clamp('7', '101'), { page: 7, size: 100 });
    assert.deepEqual(clamp('9'.repeat(300), 1e300), { page: 1_000_000_000, size: 100 });
  });

  test('of a number with a fraction the whole part counts', () => {
    assert.deepEqual(clamp('2.9', 50.5), { page: 2, size: 50 });
    assert.deepEqual(clamp(-0.5, '0.9'), { page: 1, size: 1 });
    assert.deepEqual(clamp(Infinity, '100.5'), { page: 1_000_000_000, size: 100 });
  });

  test('what is not a number means the default', () => {
    for (const text of [
      'abc',
      '',
      '1.5.2',
      '1.',
      '0x10',
      'NaN',
      'Infinity',
      '1e3',
      '１',
      ['2'],
      { page: 2 },
      null,
      true,
      Number.NaN,
    ]) {
      assert.deepEqual(clamp(text, text), { page: 1, size: 10 }, String(text));
    }
  });

  test('nothing matches: no pages', () => {
    assert.deepEqual(
      [0, 1, 10, 11].map((items) => totalPages(items, 10)),
      [0, 1, 1, 2],
    );
  });
});

describe('Email', () => {
  test('addresses are compared trimmed and whatever their case', () => {
    assert.equal(normalizeEmail('  Dana.Kim@Example.TEST '), 'dana.kim@example.test');
  });

  test('an accented letter is the same however it is written', () => {
    assert.equal(normalizeEmail('re\u0301ne\u0301@exa\u0308mple.test'), 'réné@exämple.test');
    assert.equal(normalizeEmail('RE\u0301NE\u0301@example.test'), 'réné@example.test');
  });

  test('characters that cannot be seen are not allowed', () => {
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

  test('what is no address is named as such', () => {
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

describe('Text', () => {
  test('names the field and what is allowed', () => {
    const problem = (text: unknown) => {
      const found = textProblem('firstName', text, { maxCharacters: 5 });
      return found && problemText(found);
    };
    assert.equal(problem('Ana'), null);
    assert.equal(problem(5), 'firstName must be a string');
    assert.equal(problem('  '), 'firstName must not be empty');
    assert.equal(problem('Amelia'), 'firstName must have at most 5 characters');
    assert.equal(problem('A\0'), 'firstName must not contain control characters');
    assert.equal(problem('A\ud800'), 'firstName must not contain control characters');
  });

  test('pairs of surrogates can be stored, halves cannot', () => {
    assert.equal(isStorable('😀'), true);
    assert.equal(isStorable('\ude00'), false);
  });
});

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
