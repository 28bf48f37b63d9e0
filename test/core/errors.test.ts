import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CallLost, CursorExpired, type Problem, Refusal, Unavailable } from '@rollcall/core';
import { UnknownKey } from '@rollcall/core/adapters';
import type * as errors from '#core/errors.js';

const here: typeof errors = { CallLost, CursorExpired, Refusal, Unavailable, UnknownKey };

describe('The errors of the core', () => {
  test('a refusal has one reason, or a problem for each mistake, which are sentences for people', () => {
    const one = new Refusal('too-many-requests', 'Try again later', 7);
    assert.deepEqual(
      [one.name, one.code, one.message, one.problems, one.retryAfter, one.texts()],
      ['Refusal', 'too-many-requests', 'Try again later', [], 7, ['Try again later']],
    );
    const problems: readonly Problem[] = [
      { field: 'email', code: 'empty', message: 'must not be empty' },
      { field: null, code: 'range-incomplete', message: 'A custom range needs both' },
    ];
    const refusal = new Refusal('invalid-request', problems);
    assert.equal(refusal.message, 'email must not be empty; A custom range needs both');
    assert.deepEqual([refusal.problems, refusal.retryAfter], [problems, null]);
    assert.deepEqual(refusal.texts(), ['email must not be empty', 'A custom range needs both']);
    const nameOf = (field: string) => `user_${field}`;
    assert.deepEqual(refusal.texts(nameOf), ['user_email must not be empty', 'A custom range needs both']);
    assert.deepEqual(new Refusal('invalid-request', problems.slice(0, 1)).texts(nameOf), [
      'user_email must not be empty',
    ]);
  });

  test('an expired cursor is a refusal that tells where to continue', () => {
    const expired = new CursorExpired('the oldest');
    assert.ok(expired instanceof Refusal);
    assert.deepEqual(
      [expired.code, expired.message, expired.oldest],
      ['cursor-expired', 'The events after this cursor are no longer kept', 'the oldest'],
    );
  });

  test('every other error has a name, a message and what its reader needs', () => {
    const unknownKey = new UnknownKey('k7');
    assert.deepEqual(
      [String(unknownKey), unknownKey.keyId],
      ['UnknownKey: The key k7 that encrypted a secret is not configured.', 'k7'],
    );
    assert.equal(String(new CallLost()), 'CallLost: Another run has taken over the call');
    const unavailable = new Unavailable('away');
    assert.deepEqual([String(unavailable), unavailable.retryAfter], ['Unavailable: away', 5]);
    assert.equal(Object.hasOwn(unavailable, 'cause'), false);
    const cause = new Error('refused');
    const later = new Unavailable('away', { retryAfter: 30, cause });
    assert.deepEqual([later.retryAfter, later.cause], [30, cause]);
  });

  test('instanceof recognises the errors of another copy of the core, and no other error', async () => {
    const copy: typeof here = await import(`${import.meta.resolve('#core/errors.js')}?another-copy`);
    const errors = (from: typeof here) => [
      new from.Refusal('invalid-request', 'no'),
      new from.CursorExpired('the oldest'),
      new from.UnknownKey('k7'),
      new from.CallLost(),
      new from.Unavailable('away'),
      Object.assign(new Error('no'), { name: 'Refusal', code: 'invalid-request' }),
      null,
      undefined,
      'Refusal',
    ];
    const classes = [here.Refusal, here.CursorExpired, here.UnknownKey, here.CallLost, here.Unavailable];
    const recognised = [
      ['Refusal'],
      ['Refusal', 'CursorExpired'],
      ['UnknownKey'],
      ['CallLost'],
      ['Unavailable'],
      [],
      [],
      [],
      [],
    ];
    assert.notEqual(copy.Refusal, here.Refusal);
    for (const from of [here, copy])
      assert.deepEqual(
        errors(from).map((error) => classes.filter((type) => error instanceof type).map(({ name }) => name)),
        recognised,
      );
  });

  test('a class of a host that extends an error of the core recognises its own errors only', () => {
    for (const type of [
      class extends Refusal {},
      class extends CursorExpired {},
      class extends UnknownKey {},
      class extends CallLost {},
      class extends Unavailable {},
    ]) {
      const own = Reflect.construct(type, ['invalid-request', 'no']);
      const other = Reflect.construct(Object.getPrototypeOf(type), ['invalid-request', 'no']);
      assert.deepEqual([own instanceof type, other instanceof type], [true, false]);
      assert.ok(own instanceof Object.getPrototypeOf(type));
    }
  });

  test('the mark of an error is not among the values that are compared and printed', () => {
    const shown = Reflect.ownKeys(new Refusal('invalid-request', 'no')).filter((key) =>
      Object.prototype.propertyIsEnumerable.call(new Refusal('invalid-request', 'no'), key),
    );
    assert.deepEqual(shown, ['name', 'code', 'problems', 'retryAfter']);
  });
});
