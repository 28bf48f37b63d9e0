import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Problem, Refusal } from '@rollcall/core';
import { problemsOf } from '#adapters/express/pages/design/form.js';

const labels = { firstName: 'First name', timeZone: 'Time zone' };

describe('The problems of a form', () => {
  test('are shown next to the field that they name, whatever their message says', () => {
    const refusal = new Refusal('invalid-request', [
      { field: 'firstName', code: 'empty', message: 'timeZone must not be empty' },
      { field: 'firstName', code: 'too-long', message: 'must be shorter' },
      { field: 'timeZone', code: 'unknown', message: 'there is no zone Mars' },
    ]);
    assert.deepEqual(problemsOf(refusal, labels), {
      general: null,
      fields: {
        firstName: 'First name is required',
        timeZone: 'Time zone: there is no zone Mars',
      },
    });
  });

  test('are shown above the form if it does not have the field', () => {
    const refusal = new Refusal('invalid-request', [
      { field: null, code: 'range-incomplete', message: 'First name is not what this is about' },
      { field: 'role', code: 'not-allowed', message: 'must be one of owner, admin, member' },
    ]);
    assert.deepEqual(problemsOf(refusal, labels), {
      general: 'First name is not what this is about. role must be one of owner, admin, member',
      fields: {},
    });
  });

  test('are one sentence if the refusal is about no field', () => {
    const refusal = new Refusal('wrong-credentials', 'The email address or password is wrong');
    assert.deepEqual(problemsOf(refusal, labels), {
      general: 'The email address or password is wrong',
      fields: {},
    });
  });

  test('have codes and fields of closed sets', () => {
    // The compiler checks this: a directive above a line without an error is itself an error.
    const problems: readonly Problem[] = [
      // @ts-expect-error: not a code
      { field: 'email', code: 'no-such-code', message: 'must be right' },
      // @ts-expect-error: not a field of the core
      { field: 'first_name', code: 'empty', message: 'must not be empty' },
    ];
    assert.equal(problems.length, 2);
  });
});
