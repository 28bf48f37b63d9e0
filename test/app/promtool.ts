import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scrape } from '../support/alerts/expressions.js';
import { metricsIn, type Rule } from '../support/alerts/rules.js';

/** Runs promtool with these arguments. Null where it is not installed. */
export function runPromtool(
  args: readonly string[],
  input = '',
): { status: number | null; text: string } | null {
  const { error, status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  if (error !== undefined) return null;
  return { status, text: `${stdout}${stderr}` };
}

/** Has promtool read these expressions, and says how many it accepted. Null where it is not installed. */
export function acceptsExpressions(
  expressions: readonly string[],
): { readonly status: number | null; readonly rules: number } | null {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-expressions-'));
  try {
    const file = join(folder, 'rules.yaml');
    const rules = expressions.map((expr, index) => ({ record: `panel:expression:${index}`, expr }));
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }));
    const result = runPromtool(['check', 'rules', file]);
    if (result === null) return null;
    const [, found = '0'] = /(\d+) rules found/.exec(result.text) ?? [];
    return { status: result.status, rules: Number(found) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Asserts that Prometheus itself, given these scrapes, fires the alert at the last one and not at the quiet ones. */
export function assertFiresInPrometheus(
  rule: Rule,
  { scrapes, quiet, stepSeconds }: { scrapes: readonly Scrape[]; quiet: number; stepSeconds: number },
): void {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-rules-'));
  try {
    const rules = join(folder, 'rules.yaml');
    writeFileSync(rules, JSON.stringify({ groups: [{ name: 'rollcall', rules: [rule] }] }));
    const expr = `count(ALERTS{alertname="${rule.alert}",alertstate="firing"}) > bool 0`;
    const test = {
      interval: `${stepSeconds}s`,
      input_series: seriesOf(rule, scrapes),
      promql_expr_test: [
        { expr, eval_time: `${(quiet - 1) * stepSeconds}s`, exp_samples: [] },
        {
          expr,
          eval_time: `${(scrapes.length - 1) * stepSeconds}s`,
          exp_samples: [{ labels: '{}', value: 1 }],
        },
      ],
    };
    const file = join(folder, 'test.yaml');
    writeFileSync(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests: [test] }));
    const result = runPromtool(['test', 'rules', file]);
    assert.ok(result === null || result.status === 0, `${rule.alert}: ${result?.text}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function seriesOf({ expr }: Rule, scrapes: readonly Scrape[]) {
  const names = metricsIn(expr);
  const series = new Map<string, string[]>();
  for (const [index, { samples }] of scrapes.entries()) {
    for (const { name, labels, value } of samples) {
      if (!names.includes(name.replace(/_(bucket|sum|count)$/, ''))) continue;
      const pairs = Object.entries(labels).map(([key, text]) => `${key}=${JSON.stringify(text)}`);
      const key = `${name}{${pairs.join(',')}}`;
      const values = series.get(key) ?? [];
      series.set(key, values);
      while (values.length < index) values.push(values.length === index - 1 ? 'stale' : '_');
      values.push(value.toFixed(9));
    }
  }
  return [...series].map(([name, values]) => {
    if (values.length < scrapes.length) values.push('stale');
    return { series: name, values: values.join(' ') };
  });
}
