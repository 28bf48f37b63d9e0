import { exportColumns } from '@rollcall/core/rules';
import { type BenchOrganization, facts } from './data.js';
import {
  alternate,
  type BenchRequest,
  checkSameAnswer,
  cpuPerRequest,
  isClearOf,
  type Measured,
  median,
  medianRatio,
  type Round,
  rates,
  ratios,
  readOnce,
} from './measure.js';
import { type Bench, type Measurement, workIn } from './measurement.js';
import type { Result } from './table.js';

/** Short exports differ more from round to round, and get more rounds. */
const MIN_ROUNDS = 7;
const MAX_ROUNDS = 25;
const MEASURED_MS = 2_500;
const GZIP_ROUNDS = 2;
const GOAL = 0.9;

function roundsFor({ elapsedMs }: Pick<Round, 'elapsedMs'>): number {
  return Math.min(Math.max(Math.round(MEASURED_MS / elapsedMs), MIN_ROUNDS), MAX_ROUNDS);
}

/** The six columns of section 7's example of a small report. */
export const fewColumns = ['name', 'start_time', 'duration', 'status', 'host', 'price'] as const;
/** The 18 columns of the specification: those that Rollcall adds would change what the goals are about. */
export const allColumns: readonly string[] = exportColumns
  .map(({ key }) => key)
  .filter((key) => key !== 'id' && key !== 'updated_at');

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
  alsoLoaded: true,
  async run(bench) {
    const { large, program, heavy } = facts.organizations;
    const results = [
      await exportOf(bench, { organization: large, columns: allColumns }),
      await exportOf(bench, { organization: large, columns: fewColumns }),
      await exportOf(bench, { organization: program, columns: allColumns, kind: ' with a program' }),
    ];
    if (bench.state === 'loaded') return results;
    const kind = ' with long descriptions';
    return [...results, await exportOf(bench, { organization: heavy, columns: allColumns, kind })];
  },
};

async function exportOf(
  { state, product, floor, tokenOf }: Bench,
  {
    organization,
    columns,
    kind = '',
  }: {
    readonly organization: BenchOrganization;
    readonly columns: readonly string[];
    readonly kind?: string;
  },
): Promise<Result> {
  const subjects = [product, floor];
  const path = exportPath(organization, columns);
  const request: BenchRequest = { method: 'GET', path, token: tokenOf(organization) };
  const hash = await checkSameAnswer(subjects, request);
  const rounds = roundsFor(await readOnce(product, request));
  const measured = await alternate(
    subjects,
    rounds,
    (subject) => readOnce(subject, request),
    ([one, other]) => isClearOf(GOAL, ratios(one as Measured, other as Measured, rates.megabytes)),
  );
  const [compressed] =
    state === 'loaded'
      ? []
      : await alternate([product], GZIP_ROUNDS, (subject) => readOnce(subject, { ...request, gzip: true }));
  const [ours, theirs] = measured;
  if (ours === undefined || theirs === undefined) throw new Error('two subjects give two results');
  return {
    work: workIn(
      state,
      `Export of ${organization.meetings.toLocaleString('en')} rows${kind}, ${columns.length} columns`,
    ),
    rate: 'megabytes',
    measured,
    verdicts: [
      {
        figure: "of the floor's throughput",
        value: medianRatio(ours, theirs, rates.megabytes),
        goal: { atLeast: GOAL },
      },
    ],
    remarks: [
      `${(1 / medianRatio(ours, theirs, cpuPerRequest)).toFixed(2)} by CPU; ${ours.rounds.length} rounds; same answer ${hash}`,
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
