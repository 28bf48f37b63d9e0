import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CallLost, CursorExpired, type Problem, Refusal, Unavailable } from '@rollcall/core';
import { UnknownKey } from '@rollcall/core/adapters';

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
    const unknown = new Unavailable('away', { isOutcomeUnknown: true });
    assert.deepEqual(
      [unavailable, unknown].map(({ isOutcomeUnknown }) => isOutcomeUnknown),
      [false, true],
    );
  });

  test('instanceof recognises the errors of every copy of the core by their marks, and no other error', () => {
    const classes = { Refusal, CursorExpired, UnknownKey, CallLost, Unavailable };
    const namesOf = (error: unknown) =>
      Object.entries(classes).flatMap(([name, type]) => (error instanceof type ? [name] : []));
    const marked = (...names: readonly string[]) =>
      Object.assign(
        new Error('no'),
        ...names.map((name) => ({ [Symbol.for(`@rollcall/core/${name}`)]: true })),
      );
    assert.deepEqual(namesOf(new Refusal('invalid-request', 'no')), ['Refusal']);
    assert.deepEqual(namesOf(new CursorExpired('the oldest')), ['Refusal', 'CursorExpired']);
    assert.deepEqual(namesOf(new UnknownKey('k7')), ['UnknownKey']);
    assert.deepEqual(namesOf(new CallLost()), ['CallLost']);
    assert.deepEqual(namesOf(new Unavailable('away')), ['Unavailable']);
    for (const name of Object.keys(classes)) assert.deepEqual(namesOf(marked(name)), [name]);
    const alike = Object.assign(new Error('no'), { name: 'Refusal', code: 'invalid-request' });
    for (const other of [alike, null, undefined, 'Refusal']) assert.deepEqual(namesOf(other), []);
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
