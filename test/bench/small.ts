import { isSmall } from './data.js';
import {
  alternate,
  type BenchRequest,
  checkSameAnswer,
  cpuPerRequest,
  hammer,
  isClearOf,
  type Measured,
  median,
  medianRatio,
  rates,
  ratios,
} from './measure.js';
import { type Bench, workIn } from './measurement.js';
import type { Subject } from './servers.js';
import type { Result } from './table.js';

const ROUNDS = 17;
const ROUND_MS = 250;
/** A warm-up consists of slices of this length, and ends after this many that made no request cheaper by 3 %. */
const SLICE_MS = 500;
const SLICES_WITHOUT_GAIN = 8;
const MAX_WARM_UP_MS = 20_000;

/**
 * Compares small requests with those of the floor behind Express. Several requests are sent in turn.
 * The verdict is about requests a second, which include the work of the database; the CPU of the service is a remark.
 */
export async function smallRequests(
  { product, floorBehindExpress: floor, state }: Bench,
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
  const subjects = [product, floor];
  let hash = '';
  for (const request of requests) hash = await checkSameAnswer(subjects, request, parse);
  for (const subject of subjects) await warmUp(subject, requests);
  const measured = await alternate(
    subjects,
    ROUNDS,
    (subject) => hammer(subject, requests, { milliseconds: ROUND_MS }),
    ([one, other]) => isClearOf(goal, ratios(one as Measured, other as Measured, rates.requests)),
  );
  const [ours, theirs] = measured as [Measured, Measured];
  const added = median(ours.rounds.map(cpuPerRequest)) - median(theirs.rounds.map(cpuPerRequest));
  return {
    work: workIn(state, work),
    rate: 'requests',
    measured,
    verdicts: [
      {
        figure: `of the ${floor.name}`,
        value: medianRatio(ours, theirs, rates.requests),
        goal: { atLeast: goal },
      },
    ],
    remarks: [
      `CPU: ${(1 / medianRatio(ours, theirs, cpuPerRequest)).toFixed(2)} of the ${floor.name}, ${added.toFixed(3)} ms over it; ${ours.rounds.length} rounds of ${spreadText(ours, theirs)}; same answer ${hash}`,
    ],
  };
}

/**
 * Sends requests until V8 has compiled what they run: until they take no less CPU than before. A page of PostgreSQL took
 * 3.3 ms of CPU at first, 2.1 ms after three seconds and 1.4 ms after ten; its floor 2.4, 2.1 and 1.7 ms.
 */
async function warmUp(subject: Subject, requests: readonly BenchRequest[]): Promise<void> {
  const until = performance.now() + (isSmall ? SLICE_MS : MAX_WARM_UP_MS);
  let lowest = Number.POSITIVE_INFINITY;
  let withoutGain = 0;
  while (withoutGain < SLICES_WITHOUT_GAIN && performance.now() < until) {
    const before = subject.cpu();
    const round = await hammer(subject, requests, { milliseconds: SLICE_MS });
    const cost = cpuPerRequest({ ...round, cpu: subject.cpu() - before });
    withoutGain = cost > lowest * 0.97 ? withoutGain + 1 : 0;
    lowest = Math.min(lowest, cost);
  }
}

/** The lowest and the highest ratio of a round. */
function spreadText(ours: Measured, theirs: Measured): string {
  const all = ratios(ours, theirs, rates.requests);
  return `${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)}`;
}
