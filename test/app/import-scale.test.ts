import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { measureImport } from '../soak/import-scale.js';
import { slowness } from '../support/slowness.js';

describe('An import into a served database', () => {
  test('uses bounded memory, and the server keeps answering', async (context) => {
    const report = await measureImport({ meetings: 4000, registrations: 16_000 });
    context.diagnostic(JSON.stringify(report));
    assert.equal(report.exitCode, 0, report.stderr);
    assert.ok(report.records > 20_000);
    assert.ok(report.peakRssMiB > 0 && report.peakRssMiB < 300, `${report.peakRssMiB} MiB`);
    assert.deepEqual(Object.keys(report.reads.statuses), ['200']);
    assert.deepEqual(Object.keys(report.writes.statuses), ['200']);
    assert.ok(report.writes.maxMs < 5000 * slowness(), `a write took ${report.writes.maxMs} ms`);
  });
});
