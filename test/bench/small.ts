import {
  type Asked,
  alternate,
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
const MILLISECONDS = 500;
/** Goal 11. */
const MOST_OVER = 0.15;

/**
 * Small requests, against the floor behind Express. Judged by the CPU that one takes: with the server's core
 * always busy that is the throughput, and others on the machine disturb it least.
 */
export async function smallRequests(
  { product, floor, floorBehindExpress }: Bench,
  {
    work,
    asked,
    goal,
    parse,
  }: {
    readonly work: string;
    readonly asked: Asked;
    readonly goal: number;
    readonly parse?: (body: Buffer) => unknown;
  },
): Promise<Result> {
  const subjects = [product, floorBehindExpress, floor];
  const hash = await checkSameAnswer(subjects, asked, parse);
  const measured = await alternate(subjects, ROUNDS, (subject) =>
    hammer(subject, asked, { milliseconds: MILLISECONDS }),
  );
  const [ours, theirs, bare] = measured as [Measured, Measured, Measured];
  return {
    work,
    rate: 'requests',
    measured,
    verdicts: [
      {
        figure: 'of the floor behind Express, by CPU',
        value: 1 / medianRatio(ours, theirs, cpuPerRequest),
        goal: { atLeast: goal },
      },
      {
        figure: 'of CPU over it',
        value: median(ours.rounds.map(cpuPerRequest)) - median(theirs.rounds.map(cpuPerRequest)),
        goal: { atMost: MOST_OVER },
        unit: ' ms',
      },
    ],
    remarks: [
      `${medianRatio(ours, theirs, rates.requests).toFixed(2)} by answers a second; ${(1 / medianRatio(ours, bare, cpuPerRequest)).toFixed(2)} of the bare floor by CPU; ${ROUNDS} rounds; same answer ${hash}`,
    ],
  };
}
