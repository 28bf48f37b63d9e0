import { isSmall } from './data.js';
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
import type { Subject } from './servers.js';
import type { Result } from './table.js';

const ROUNDS = 7;
const ROUND_MS = 250;
/** After this time V8 has compiled what the request runs. With less, the larger program is measured half compiled. */
const WARM_UP_MS = 1500;

/**
 * Compares small requests with those of the floor behind Express, or of another one. Several requests are sent in turn.
 * The verdict is about requests a second, which include the work of the database; the CPU of the service is a remark.
 */
export async function smallRequests(
  { product, floorBehindExpress, state }: Bench,
  {
    work,
    requests,
    goal,
    parse,
    floor = floorBehindExpress,
    rounds = ROUNDS,
  }: {
    readonly work: string;
    readonly requests: readonly BenchRequest[];
    readonly goal: number;
    readonly parse?: (body: Buffer) => unknown;
    readonly floor?: Subject;
    readonly rounds?: number;
  },
): Promise<Result> {
  const subjects = [product, floor];
  let hash = '';
  for (const request of requests) hash = await checkSameAnswer(subjects, request, parse);
  for (const subject of subjects)
    await hammer(subject, requests, { milliseconds: isSmall ? ROUND_MS : WARM_UP_MS });
  const measured = await alternate(subjects, rounds, (subject) =>
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
        figure: `of the requests a second of the ${floor.name}`,
        value: medianRatio(ours, theirs, rates.requests),
        goal: { atLeast: goal },
      },
    ],
    remarks: [
      `CPU: ${(1 / medianRatio(ours, theirs, cpuPerRequest)).toFixed(2)} of the ${floor.name}, ${added.toFixed(3)} ms over it; ${ours.rounds.length} rounds of ${spreadText(ours, theirs)}; same answer ${hash}`,
    ],
  };
}

/** The lowest and the highest ratio of a round. */
function spreadText(ours: Measured, theirs: Measured): string {
  const ratios = ours.rounds.map((round, index) => {
    const other = theirs.rounds[index];
    return other === undefined ? Number.NaN : rates.requests(round) / rates.requests(other);
  });
  return `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
}
