import { cpuPerRequest, type Measured, median, quantile, rates } from './measure.js';

/** A figure that has a goal. */
export interface Verdict {
  /** What the figure is, such as `of the floor's throughput`. */
  readonly figure: string;
  readonly value: number;
  readonly goal: { readonly atLeast: number } | { readonly atMost: number };
  readonly unit?: string;
}

/** The result of one piece of work. */
export interface Result {
  readonly work: string;
  /** What the rate counts. */
  readonly rate: keyof typeof rates;
  readonly measured: readonly Measured[];
  readonly verdicts: readonly Verdict[];
  /** Figures without a goal. */
  readonly remarks?: readonly string[];
}

export function isMet({ value, goal }: Verdict): boolean {
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost;
}

const heads = { requests: 'answers/s', megabytes: 'MB/s' } as const;

/** The figures of each subject, and the verdicts below them. */
export function resultText({ work, rate, measured, verdicts, remarks = [] }: Result): string {
  const head = ['', heads[rate], 'first byte ms', 'p50 ms', 'p99 ms', 'CPU ms', 'peak MB'];
  const rows = measured.map(({ subject, rounds, peak }) => {
    const latencies = rounds.flatMap((round) => round.latencies);
    return [
      subject.name,
      figure(median(rounds.map(rates[rate]))),
      figure(median(rounds.flatMap(({ firstBytes }) => firstBytes))),
      figure(quantile(latencies, 0.5)),
      figure(quantile(latencies, 0.99)),
      figure(median(rounds.map(cpuPerRequest))),
      figure(peak),
    ];
  });
  return [
    work,
    ...(rows.length === 0 ? [] : aligned([head, ...rows])).map((line) => `  ${line}`),
    ...verdicts.map((verdict) => `  ${verdictText(verdict)}`),
    ...remarks.map((remark) => `  ${remark}`),
    '',
  ].join('\n');
}

/** One line for each verdict, for the end of the run. */
export function summaryText(results: readonly Result[]): string {
  const all = results.flatMap(({ work, verdicts }) => verdicts.map((verdict) => ({ work, verdict })));
  const met = all.filter(({ verdict }) => isMet(verdict)).length;
  const rows = all.map(({ work, verdict }) => [work, ...verdictParts(verdict)]);
  return [...aligned(rows), `${met} of ${all.length} goals met`, ''].join('\n');
}

function verdictText(verdict: Verdict): string {
  return verdictParts(verdict).join('  ');
}

function verdictParts(verdict: Verdict): readonly string[] {
  const { figure: name, goal, unit = '' } = verdict;
  const wanted = 'atLeast' in goal ? `goal ≥ ${goal.atLeast}${unit}` : `goal ≤ ${goal.atMost}${unit}`;
  return [`${valueText(verdict)} ${name}`, wanted, isMet(verdict) ? 'met' : 'MISSED'];
}

/** The value with its unit. */
export function valueText({ value, unit = '' }: Verdict): string {
  return `${figure(value)}${unit}`;
}

/** Three significant digits; a dash if there is no value. */
function figure(value: number): string {
  if (Number.isNaN(value)) return '–';
  if (value >= 100) return String(Math.round(value));
  const size = Math.abs(value);
  return value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

/** Aligns the first column to the left, and the others to the right if they are numbers. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths =
    rows[0]?.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column > 0 && /^[\d.–]+$|^[a-zA-Z0-9/ ]+ ms$|\/s$| MB$/.test(cell)
          ? cell.padStart(width)
          : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
