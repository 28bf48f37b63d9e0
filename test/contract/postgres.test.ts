import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isGrowing } from '../support/export-page-runs.js';
import { examinePlans } from '../support/plans.js';
import { recordedSuites } from '../support/statements.js';

describe('The ports over PostgreSQL', () => {
  const { suites, ...statements } = recordedSuites('postgres');

  describe('keep the promises', () => {
    for (const { name, run } of suites) test(name, run);
  });

  test('run no statement that reads or sorts more as the data grows', { timeout: 240_000 }, async () => {
    const options = { meetings: 5000, seqscan: 'off', perPage: 4 } as const;
    const report = await examinePlans('postgres', statements, options);
    assert.ok(report.statements > 80, `${report.statements} statements`);
    assert.deepEqual(report.growing, []);
    assert.ok(report.pages.length > 50, `${report.pages.length} pages`);
    assert.deepEqual(report.pages.filter(isGrowing), []);
  });
});
