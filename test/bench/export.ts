import { exportColumns } from '@rollcall/core';
import { type BenchOrganization, facts } from './data.js';
import {
  type Asked,
  alternate,
  checkSameAnswer,
  cpuPerRequest,
  medianRatio,
  rates,
  readOnce,
} from './measure.js';
import type { Bench, Measurement } from './measurement.js';
import type { Result } from './table.js';

const ROUNDS = 9;

/** The six columns of section 7's example of a small report. */
export const fewColumns = ['name', 'start_time', 'duration', 'status', 'host', 'price'] as const;
export const allColumns: readonly string[] = exportColumns.map(({ key }) => key);

/** What an export of the organization asks for. */
export function exportPath(
  { id }: BenchOrganization,
  columns: readonly string[] = allColumns,
  more = '',
): string {
  const query = columns.map((column) => `column[]=${column}`).join('&');
  return `/api/v2/organizations/${id}/export_meetings?${query}${more}`;
}

/** Goal 1: an unpaginated export against the floor's throughput. */
export const exports: Measurement = {
  name: 'export',
  async run(bench) {
    const results: Result[] = [];
    for (const columns of [allColumns, fewColumns]) results.push(await exportOf(bench, columns));
    return results;
  },
};

async function exportOf(
  { engine, product, floor, tokenOf }: Bench,
  columns: readonly string[],
): Promise<Result> {
  const subjects = [product, floor];
  const { large } = facts.organizations;
  const asked: Asked = { method: 'GET', path: exportPath(large, columns), token: tokenOf(large) };
  const hash = await checkSameAnswer(subjects, asked);
  const measured = await alternate(subjects, ROUNDS, (subject) => readOnce(subject, asked));
  const [ours, theirs] = measured;
  if (ours === undefined || theirs === undefined) throw new Error('two subjects give two results');
  return {
    work: `Export of ${large.meetings.toLocaleString('en')} rows, ${columns.length} columns`,
    rate: 'megabytes',
    measured,
    verdicts: [
      {
        figure: "of the floor's throughput",
        value: medianRatio(ours, theirs, rates.megabytes),
        goal: { atLeast: engine === 'SQLite' ? 0.85 : 0.8 },
      },
    ],
    remarks: [
      `${(1 / medianRatio(ours, theirs, cpuPerRequest)).toFixed(2)} by CPU; ${ROUNDS} rounds; same answer ${hash}`,
    ],
  };
}
