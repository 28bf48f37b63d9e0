import {
  alternate,
  type BenchRequest,
  checkSameAnswer,
  cpuPerRequest,
  hammer,
  type Measured,
  median,
  medianRatio,
  rates,
} from './measure.js';
import type { Bench } from './measurement.js';
import type { Result } from './table.js';

const ROUNDS = 9;
const ROUND_MS = 500;

/**
 * Compares small requests with those of the floor behind Express. The verdict is about requests a second, which include
 * the work of the database; the CPU of the service is a remark.
 */
export async function smallRequests(
  { product, floor, floorBehindExpress }: Bench,
  {
    work,
    request,
    goal,
    parse,
  }: {
    readonly work: string;
    readonly request: BenchRequest;
    readonly goal: number;
    readonly parse?: (body: Buffer) => unknown;
  },
): Promise<Result> {
  const subjects = [product, floorBehindExpress, floor];
  const hash = await checkSameAnswer(subjects, request, parse);
  const measured = await alternate(subjects, ROUNDS, (subject) =>
    hammer(subject, request, { milliseconds: ROUND_MS }),
  );
  const [ours, theirs, bare] = measured as [Measured, Measured, Measured];
  return {
    work,
    rate: 'requests',
    measured,
    verdicts: [
      {
        figure: 'of the requests a second of the floor behind Express',
        value: medianRatio(ours, theirs, rates.requests),
        goal: { atLeast: goal },
      },
    ],
    remarks: [
      `CPU: ${(1 / medianRatio(ours, theirs, cpuPerRequest)).toFixed(2)} of the floor behind Express, ${(median(ours.rounds.map(cpuPerRequest)) - median(theirs.rounds.map(cpuPerRequest))).toFixed(3)} ms over it, ${(1 / medianRatio(ours, bare, cpuPerRequest)).toFixed(2)} of the bare floor; ${ROUNDS} rounds; same answer ${hash}`,
    ],
  };
}
