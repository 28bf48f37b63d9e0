import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { apiReport, entryPoints, reportFile } from './api-report.js';

describe('The API of @rollcall/core', () => {
  for (const entry of entryPoints) {
    test(`${entry} exports what core/api/${entry}.api.md lists`, () => {
      // The names are compared first, because the difference between whole reports is hard to read.
      const [written, actual] = [readFileSync(reportFile(entry), 'utf8'), apiReport(entry)];
      assert.deepEqual(exportedNames(actual), exportedNames(written));
      assert.equal(actual, written);
      assert.deepEqual(undocumented(actual), []);
    });
  }
});

function exportedNames(report: string): readonly string[] {
  return [...report.matchAll(/^export (?:declare )?(?:abstract )?\w+ (\w+)/gm)].map(([, name = '']) => name);
}

/** What the report says has no description, each with the name of its type. */
function undocumented(report: string): readonly string[] {
  let type = '';
  return report.split('\n').flatMap((line, index, lines) => {
    type = /^export .*?\b(?:interface|type|class|const|function) (\w+)/.exec(line)?.[1] ?? type;
    return line.includes('(undocumented)') ? [`${type}: ${lines[index + 1]?.trim()}`] : [];
  });
}
