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
import { type Bench, workIn } from './measurement.js';
import type { Result } from './table.js';

const ROUNDS = 7;
const ROUND_MS = 250;

/**
 * Compares small requests with those of the floor behind Express. Several requests are sent in turn. The verdict is about
 * requests a second, which include the work of the database; the CPU of the service is a remark.
 */
export async function smallRequests(
  { product, floorBehindExpress, state }: Bench,
  {
    work,
    requests,
    goal,
    parse,
  }: {
    readonly work: string;
    readonly requests: readonly BenchRequest[];
    readonly goal: number;
    readonly parse?: (body: Buffer) => unknown;
  },
): Promise<Result> {
  const subjects = [product, floorBehindExpress];
  let hash = '';
  for (const request of requests) hash = await checkSameAnswer(subjects, request, parse);
  const measured = await alternate(subjects, ROUNDS, (subject) =>
    hammer(subject, requests, { milliseconds: ROUND_MS }),
  );
  const [ours, theirs] = measured as [Measured, Measured];
  const added = median(ours.rounds.map(cpuPerRequest)) - median(theirs.rounds.map(cpuPerRequest));
  return {
    work: workIn(state, work),
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
      `CPU: ${(1 / medianRatio(ours, theirs, cpuPerRequest)).toFixed(2)} of the floor behind Express, ${added.toFixed(3)} ms over it; ${ours.rounds.length} rounds; same answer ${hash}`,
    ],
  };
}
