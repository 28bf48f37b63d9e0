import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly action: string };
}

export const rulesFile = fileURLToPath(new URL('../../../../contracts/alerts.yaml', import.meta.url));

/** The rules of `contracts/alerts.yaml`. */
export function readRules(): readonly Rule[] {
  const { groups } = parse(readFileSync(rulesFile, 'utf8')) as {
    readonly groups: readonly { readonly rules: readonly Rule[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}

/** The names of the metrics in an expression, without the suffixes of histograms. */
export function metricsIn(expression: string): readonly string[] {
  const names = expression.match(/\b(?:rollcall|nodejs|process)_\w+|\bup\b/g) ?? [];
  return [...new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')))];
}
