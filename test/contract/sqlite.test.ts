import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { examinePlans } from '../support/plans.js';
import { recordedSuites } from '../support/statements.js';

describe('The ports over SQLite', () => {
  const { suites, ...recorded } = recordedSuites('sqlite');

  describe('keep the promises', () => {
    for (const { name, run } of suites) test(name, run);
  });

  test('run no statement that reads or sorts more as the data grows', async () => {
    const options = { meetings: 5000, seqscan: 'off', perPage: 4 } as const;
    const { statements, growing } = await examinePlans('sqlite', recorded, options);
    assert.ok(statements > 80, `${statements} statements`);
    assert.deepEqual(growing, []);
  });
});
