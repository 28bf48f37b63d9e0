import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal } from '@rollcall/core';
import { type ProblemCode, problemText } from '#core/values/problem.js';
import { Problems, refuseAny } from '#core/values/problems.js';
import { refused } from '../../support/core/refused.js';

const empty = { field: 'name', code: 'empty', message: 'must not be empty' } as const;
const taken = { field: 'email', code: 'taken', message: 'somebody has it' } as const;

describe('A problem', () => {
  test('is one sentence that begins with the field', () => {
    const after = (code: ProblemCode) => problemText({ field: 'name', code, message: 'm' });
    for (const code of ['unknown', 'taken', 'already-member'] as const) assert.equal(after(code), 'name: m');
    const continued = [
      ...[
        'required',
        'required-when-enabled',
        'range-incomplete',
        'empty',
        'wrong-type',
        'too-short',
        'too-long',
      ],
      ...[
        'too-few',
        'too-many',
        'malformed',
        'not-allowed',
        'without-rotation',
        'rotation-under-way',
        'too-common',
      ],
      ...['guessable', 'not-storable', 'credentials', 'duplicate', 'wrong', 'taken-id', 'outdated'],
    ] as const satisfies readonly ProblemCode[];
    for (const code of continued) assert.equal(after(code), 'name m', code);
  });

  test('of the whole request names no field, and other names of fields can be given', () => {
    assert.equal(problemText({ ...empty, field: null }), 'must not be empty');
    assert.equal(
      problemText(empty, (field) => `the ${field}`),
      'the name must not be empty',
    );
  });
});

describe('Problems', () => {
  test('are all in one refusal, and none is no refusal', () => {
    refuseAny([null, null]);
    refuseAny([]);
    assert.throws(() => refuseAny([empty]), refused('invalid-request', 'name must not be empty'));
    const message = 'name must not be empty; email: somebody has it';
    assert.throws(() => refuseAny([empty, null, taken]), refused('invalid-request', message));
  });

  test('are collected, with those that a step throws', () => {
    const problems = new Problems();
    problems.refuse();
    problems.add(empty);
    assert.equal(
      problems.in(() => 5, null),
      5,
    );
    const refuse = (): number => {
      throw new Refusal('invalid-request', [taken]);
    };
    assert.equal(problems.in(refuse, null), null);
    assert.throws(
      () => problems.refuse(),
      refused('invalid-request', 'name must not be empty; email: somebody has it'),
    );
  });

  test('keep nothing of other errors', () => {
    for (const error of [new Error('a bug'), new Refusal('not-authorized', 'No')]) {
      const problems = new Problems();
      const fail = (): never => {
        throw error;
      };
      assert.throws(() => problems.in(fail, null), error);
      problems.refuse();
    }
  });
});
