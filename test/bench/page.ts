import { type BenchOrganization, facts } from './data.js';
import { allColumns, exportPath } from './export.js';
import {
  alternate,
  type BenchRequest,
  checkSameAnswer,
  cpuPerRequest,
  hammer,
  median,
  quantile,
  type Round,
  readOnce,
} from './measure.js';
import type { Bench, Measurement } from './measurement.js';
import { smallRequests } from './small.js';
import type { Result } from './table.js';

const { large, tenth, million } = facts.organizations;

function pageOf(bench: Bench, organization: BenchOrganization, page: number): BenchRequest {
  const path = exportPath(organization, allColumns, `&page=${page}&per_page=100`);
  return { method: 'GET', path, token: bench.tokenOf(organization) };
}

/** Goal 6: pages with their total. The floor also reads the total from the counter. */
export const page: Measurement = {
  name: 'page',
  async run(bench) {
    const results: Result[] = [];
    for (const number of [1, 500]) {
      const work = `Page ${number} of 1,000, with the total`;
      results.push(await smallRequests(bench, { work, request: pageOf(bench, large, number), goal: 0.7 }));
    }
    return results;
  },
};

const ROUNDS = 9;
const ROUND_MS = 300;
const DEEP_ROUNDS = 15;

/** Goal 6: pages of a million meetings. */
export const deepPage: Measurement = {
  name: 'deep-page',
  readsMillion: true,
  async run(bench) {
    return [await firstPages(bench), await middlePage(bench)];
  },
};

async function firstPages(bench: Bench): Promise<Result> {
  const { product } = bench;
  const few: Round[] = [];
  const many: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [organization, rounds] of [
      [tenth, few],
      [million, many],
    ] as const) {
      const request = pageOf(bench, organization, 1);
      const [measured] = await alternate([product], 1, () =>
        hammer(product, request, { milliseconds: ROUND_MS }),
      );
      rounds.push(...(measured?.rounds ?? []));
    }
  }
  const value = median(many.map((round, index) => cpuPerRequest(round) / cpuPerRequest(few[index] ?? round)));
  return {
    work: 'Page 1 of 1,000,000 rows',
    rate: 'requests',
    measured: [{ subject: product, rounds: many, peak: product.peak() }],
    verdicts: [{ figure: 'of page 1 of 10,000, by CPU', value, goal: { atMost: 1.5 } }],
    remarks: [`${ROUNDS} rounds`],
  };
}

/** The page in the middle, far from both ends. */
async function middlePage(bench: Bench): Promise<Result> {
  const { product, floor } = bench;
  const request = pageOf(bench, million, 5_000);
  const hash = await checkSameAnswer([product, floor], request);
  const measured = await alternate([product, floor], DEEP_ROUNDS, (subject) => readOnce(subject, request));
  const times = measured[0]?.rounds.map(({ elapsedMs }) => elapsedMs) ?? [];
  return {
    work: 'Page 5,000 of 1,000,000 rows',
    rate: 'requests',
    measured,
    verdicts: [
      {
        figure: 'for one',
        value: median(times),
        goal: { atMost: bench.engine === 'SQLite' ? 20 : 40 },
        unit: ' ms',
      },
    ],
    remarks: [`${quantile(times, 1).toFixed(1)} ms at worst; ${DEEP_ROUNDS} rounds; same answer ${hash}`],
  };
}
