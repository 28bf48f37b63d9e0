import { exportColumns } from '@rollcall/core/rules';
import { type BenchOrganization, facts } from './data.js';
import {
  alternate,
  type BenchRequest,
  checkSameAnswer,
  cpuPerRequest,
  type Measured,
  median,
  medianRatio,
  type Round,
  rates,
  readOnce,
} from './measure.js';
import type { Bench, Measurement } from './measurement.js';
import type { Result } from './table.js';

const ROUNDS = 9;
const GZIP_ROUNDS = 3;

/** The six columns of section 7's example of a small report. */
export const fewColumns = ['name', 'start_time', 'duration', 'status', 'host', 'price'] as const;
export const allColumns: readonly string[] = exportColumns.map(({ key }) => key);

/** The path of an export of the organization. */
export function exportPath(
  { id }: BenchOrganization,
  columns: readonly string[] = allColumns,
  more = '',
): string {
  const query = columns.map((column) => `column[]=${column}`).join('&');
  return `/api/v2/organizations/${id}/export_meetings?${query}${more}`;
}

/** Goal 1: the throughput of an export without pages, compared with the floor's. */
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
  const request: BenchRequest = { method: 'GET', path: exportPath(large, columns), token: tokenOf(large) };
  const hash = await checkSameAnswer(subjects, request);
  const measured = await alternate(subjects, ROUNDS, (subject) => readOnce(subject, request));
  const [compressed] = await alternate([product], GZIP_ROUNDS, (subject) =>
    readOnce(subject, { ...request, gzip: true }),
  );
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
      ...(compressed === undefined ? [] : [compressionText(compressed, ours)]),
    ],
  };
}

/** The CPU is that of two threads. */
function compressionText(compressed: Measured, plain: Measured): string {
  const of = ({ rounds }: Measured, figure: (round: Round) => number): number => median(rounds.map(figure));
  const share = of(compressed, ({ bytes }) => bytes) / of(plain, ({ bytes }) => bytes);
  return `with gzip ${(100 * share).toFixed(1)} % of the bytes, in ${of(compressed, ({ elapsedMs }) => elapsedMs).toFixed(0)} ms, with ${of(compressed, cpuPerRequest).toFixed(0)} ms of CPU`;
}
