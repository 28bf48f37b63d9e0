import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isStorable, problemText } from '@rollcall/core/adapters';
import { textProblem } from '#core/values/text.js';

describe('Text', () => {
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

  test('surrogate pairs can be stored, lone surrogates cannot', () => {
    assert.equal(isStorable('😀'), true);
    assert.equal(isStorable('\ude00'), false);
  });
});
