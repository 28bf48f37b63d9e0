import { exportColumns } from '@rollcall/core';
import { facts } from './data.js';
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

export function exportPath(columns: readonly string[], more = ''): string {
  const query = columns.map((column) => `column[]=${column}`).join('&');
  return `/api/v2/organizations/${facts.organization.id}/export_meetings?${query}${more}`;
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
  { engine, product, floor, token }: Bench,
  columns: readonly string[],
): Promise<Result> {
  const subjects = [product, floor];
  const asked: Asked = { method: 'GET', path: exportPath(columns), token };
  const hash = await checkSameAnswer(subjects, asked);
  const measured = await alternate(subjects, ROUNDS, (subject) => readOnce(subject, asked));
  const [ours, theirs] = measured;
  if (ours === undefined || theirs === undefined) throw new Error('two subjects give two results');
  return {
    work: `Export of ${facts.organization.meetings.toLocaleString('en')} rows, ${columns.length} columns`,
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
