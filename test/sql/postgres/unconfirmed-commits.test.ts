import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Unavailable } from '@rollcall/core';
import { READ_ONLY, StandbyAway, UNREACHABLE } from '#adapters/sql/postgres/errors.js';
import { standbyWatch } from '#adapters/sql/postgres/unconfirmed-commits.js';
import { eventually } from '../../support/wait.js';

describe('While a synchronous standby is away', () => {
  const undecided = [
    new StandbyAway(),
    new Unavailable('The database has no free connection.'),
    new Unavailable(`${UNREACHABLE} The outcome of the change is unknown.`, { isOutcomeUnknown: true }),
  ];
  for (const [name, last] of [
    ['a commit is confirmed', null],
    ['the database is read-only', new Unavailable(READ_ONLY)],
    ['the database is unreachable', new Unavailable(UNREACHABLE)],
  ] as const)
    test(`writes are refused before they begin, until ${name}`, async () => {
      const outcomes: (Unavailable | null)[] = [...undecided, last];
      const watch = standbyWatch(async () => {
        const outcome = outcomes.shift();
        await assert.rejects(
          watch.run(async () => assert.fail('it has begun')),
          /waiting for a synchronous standby\.$/,
        );
        if (outcome) throw outcome;
      });
      await assert.rejects(
        watch.run(() => Promise.reject(new StandbyAway())),
        StandbyAway,
      );
      await eventually(() => !watch.isAway(), 'it is still away');
      assert.deepEqual(outcomes, []);
      assert.equal(await watch.run(async () => 'written'), 'written');
    });
});
