import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { randomNumbers } from '../support/random-numbers.js';
import { isLinearizable, type Model, type Operation, smallestFailure } from './linearizability.js';

/** A number that is written and read. */
type Call = { readonly write: number } | { readonly read: number };
const register: Model<number, Call> = {
  initial: 0,
  step(state, call) {
    if ('write' in call) return call.write;
    return call.read === state ? state : null;
  },
  keyOf: String,
  isRead: (call) => 'read' in call,
};

type Short = readonly [start: number, end: number, call: Call];
const never = Number.POSITIVE_INFINITY;
const of = (...history: readonly Short[]): readonly Operation<Call>[] =>
  history.map(([start, end, call]) => ({ start, end, call }));

const linearizable: Readonly<Record<string, readonly Operation<Call>[]>> = {
  nothing: [],
  'reads of what was written': of([0, 1, { write: 1 }], [2, 3, { read: 1 }], [4, 5, { read: 1 }]),
  'a read during a write, of the old value': of([0, 9, { write: 1 }], [2, 3, { read: 0 }]),
  'a read during a write, of the new value': of([0, 9, { write: 1 }], [2, 3, { read: 1 }]),
  'two reads during a write, the old value first': of(
    [0, 9, { write: 1 }],
    [2, 3, { read: 0 }],
    [4, 5, { read: 1 }],
  ),
  'two writes at once, read in either order': of(
    [0, 9, { write: 1 }],
    [0, 9, { write: 2 }],
    [10, 11, { read: 1 }],
  ),
  'a read that ends when the write starts': of([0, 5, { read: 1 }], [5, 6, { write: 1 }]),
  'a write without an answer that never happens': of(
    [0, 1, { write: 1 }],
    [2, never, { write: 2 }],
    [3, 4, { read: 1 }],
  ),
  'a write without an answer that happens much later': of(
    [0, never, { write: 2 }],
    [3, 4, { write: 1 }],
    [5, 6, { read: 1 }],
    [7, 8, { read: 2 }],
  ),
  'three writes without an answer, read in another order': of(
    [0, never, { write: 1 }],
    [1, never, { write: 2 }],
    [2, never, { write: 3 }],
    [10, 11, { read: 3 }],
    [12, 13, { read: 1 }],
    [14, 15, { read: 2 }],
  ),
};

const notLinearizable: Readonly<Record<string, readonly Operation<Call>[]>> = {
  'a lost write': of([0, 1, { write: 1 }], [2, 3, { read: 0 }]),
  'a value that nobody wrote': of([0, 1, { read: 7 }]),
  'a read before its write': of([0, 1, { read: 1 }], [2, 3, { write: 1 }]),
  'an old value after a new one was read': of([0, 9, { write: 1 }], [2, 3, { read: 1 }], [4, 5, { read: 0 }]),
  'two writes at once that two readers see in different orders': of(
    [0, 1, { write: 1 }],
    [0, 1, { write: 2 }],
    [2, 3, { read: 1 }],
    [4, 5, { read: 2 }],
  ),
  'a write without an answer that happens twice': of(
    [0, never, { write: 2 }],
    [3, 4, { read: 2 }],
    [5, 6, { write: 1 }],
    [7, 8, { read: 2 }],
  ),
  'a write without an answer that happens before it starts': of(
    [2, never, { write: 2 }],
    [0, 1, { read: 2 }],
  ),
};

describe('A history is linearizable with', () => {
  for (const [what, history] of Object.entries(linearizable))
    test(what, () => {
      assert.equal(isLinearizable(register, history), true);
      assert.equal(smallestFailure(register, history), null);
    });
});

describe('A history is not linearizable with', () => {
  for (const [what, history] of Object.entries(notLinearizable))
    test(what, () => {
      assert.equal(isLinearizable(register, history), false);
      assert.ok(smallestFailure(register, history));
    });
});

/** Tries every order of every choice of operations, which is certain and slow. */
function isLinearizableByTrying(history: readonly Operation<Call>[]): boolean {
  const place = (state: number, rest: readonly Operation<Call>[]): boolean => {
    if (rest.every(({ end }) => end === never)) return true;
    return rest.some((next) => {
      const others = rest.filter((one) => one !== next);
      if (others.some(({ end }) => end < next.start)) return false;
      const after = register.step(state, next.call);
      return after !== null && place(after, others);
    });
  };
  return place(register.initial, history);
}

describe('Random histories', () => {
  test('are judged as by trying every order', () => {
    const random = randomNumbers(4711);
    const counts = { good: 0, bad: 0 };
    for (let round = 0; round < 2_000; round += 1) {
      const history = Array.from({ length: 2 + random(6) }, (): Operation<Call> => {
        const start = random(20);
        const isWrite = random(2) === 0;
        const end = isWrite && random(4) === 0 ? never : start + 1 + random(8);
        return { start, end, call: isWrite ? { write: random(3) } : { read: random(3) } };
      });
      const expected = isLinearizableByTrying(history);
      counts[expected ? 'good' : 'bad'] += 1;
      assert.equal(isLinearizable(register, history), expected, JSON.stringify(history));
      const smallest = smallestFailure(register, history);
      assert.equal(smallest === null, expected);
      if (smallest !== null) assert.equal(isLinearizableByTrying(smallest), false, JSON.stringify(smallest));
    }
    assert.ok(counts.good > 200 && counts.bad > 200, JSON.stringify(counts));
  });

  test('that are long are judged in time', () => {
    const random = randomNumbers(7);
    const history: Operation<Call>[] = [];
    let value = 0;
    for (let time = 0; history.length < 1_000; time += 10) {
      if (random(5) === 0) {
        value = time;
        // It takes effect in the middle; every hundredth has no answer.
        history.push({ start: time, end: random(100) === 0 ? never : time + 9, call: { write: value } });
      } else history.push({ start: time - random(4), end: time + 9, call: { read: value } });
    }
    assert.equal(isLinearizable(register, history), true);
    const wrong = [...history, { start: 5_003, end: 5_004, call: { read: -1 } }];
    const smallest = smallestFailure(register, wrong);
    assert.ok(smallest !== null && smallest.filter(({ call }) => 'read' in call).length === 1);
  });
});

describe('The smallest failure', () => {
  test('has the writes and the one read that they contradict', () => {
    const history = of(
      [0, 1, { write: 1 }],
      [2, 3, { read: 1 }],
      [4, 5, { read: 1 }],
      [6, 7, { write: 2 }],
      [8, 9, { read: 1 }],
      [10, 11, { read: 2 }],
      [12, 13, { write: 3 }],
      [14, 15, { read: 3 }],
    );
    assert.deepEqual(
      smallestFailure(register, history),
      of([0, 1, { write: 1 }], [6, 7, { write: 2 }], [8, 9, { read: 1 }]),
    );
  });
});
