import '../../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryStorage, storageSuites } from '@rollcall/core/testing';
import { cryptoBugs } from './crypto-bugs.js';
import { limitsBugs } from './limits-bugs.js';
import { firstFailure } from './planted-bug.js';
import { senderBugs, senderSuites } from './sender-bugs.js';
import { storageBugs } from './storage-bugs.js';

const security = [...cryptoBugs, ...limitsBugs, ...senderBugs];
const bugs = [...security, ...storageBugs];

describe('The suites catch adapters that break a promise', () => {
  for (const { bug, suite } of bugs) {
    test(bug, async () => {
      const failure = await firstFailure(suite);
      assert.ok(failure !== null, 'no test has failed');
      const { promise, message } = failure;
      assert.ok(message.startsWith(`${promise}\n`), message);
      assert.ok(showsDifference(message.slice(promise.length + 1)), message);
      assert.ok(Buffer.byteLength(message) <= 2_000, `the error has ${Buffer.byteLength(message)} bytes`);
    });
  }

  test('there are 60 of them, at least 20 about secrets, limits and webhook senders', () => {
    assert.ok(bugs.length >= 60 && security.length >= 20, `${bugs.length} bugs, ${security.length} of them`);
    assert.equal(new Set(bugs.map(({ bug }) => bug)).size, bugs.length);
  });
});

describe('The suites accept adapters that keep their promises', () => {
  for (const { name, run } of [...senderSuites(), ...storageSuites(startReordered)]) test(name, run);
});

/** Whether the text has an expected value and another one, or says in words what is wrong. */
function showsDifference(text: string): boolean {
  const isComparison = /^Expected(?: at .*)?: /.test(text);
  return isComparison ? /: \S.*\nbut got: \S/s.test(text) : /\w+ \w+/.test(text);
}

/** A storage that returns lists in reverse order wherever its ports promise no order. */
async function startReordered(): ReturnType<Parameters<typeof storageSuites>[0]> {
  const { load, ...storage } = memoryStorage();
  const { meetings, invitations } = storage;
  return {
    storage: {
      ...storage,
      meetings: {
        ...meetings,
        async places(member) {
          const { registered, waiting } = await meetings.places(member);
          return { registered: reversed(registered), waiting: reversed(waiting) };
        },
        async placesOf(member) {
          const found = await meetings.placesOf(member);
          if (found === null) return null;
          const { registered, waiting, details, total } = found;
          return {
            registered: reversed(registered),
            waiting: reversed(waiting),
            details: reversed(details),
            total,
          };
        },
        seatsSince: async (member) => reversed(await meetings.seatsSince(member)),
        details: async (request) => reversed(await meetings.details(request)),
      },
      invitations: {
        ...invitations,
        current: async (key) => reversed(await invitations.current(key)),
      },
    },
    load,
    stop: async () => {},
  };
}

function reversed<Item>(items: readonly Item[]): readonly Item[] {
  return [...items].reverse();
}
