import { type BenchOrganization, facts, smallOrganizations } from './data.js';
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

const { large, tenth, million, program, heavy } = facts.organizations;

export const PAGE_SIZE = 100;

export function pageOf(bench: Bench, organization: BenchOrganization, page: number): BenchRequest {
  const path = exportPath(organization, allColumns, `&page=${page}&per_page=${PAGE_SIZE}`);
  return { method: 'GET', path, token: bench.tokenOf(organization) };
}

/** Goal 6: pages with their total. The floor also reads the total from the counter. */
export const page: Measurement = {
  name: 'page',
  alsoLoaded: true,
  async run(bench) {
    const results: Result[] = [];
    for (const [organization, kind] of organizations) {
      const pages = organization.meetings / PAGE_SIZE;
      for (const number of [1, Math.ceil(pages / 2)]) {
        const work = `Page ${number} of ${pages.toLocaleString('en')}${kind}, with the total`;
        const requests = [pageOf(bench, organization, number)];
        results.push(await smallRequests(bench, { work, requests, goal: GOAL }));
      }
    }
    const requests = smallOrganizations.map((organization) => pageOf(bench, organization, 1));
    const work = `Page 1 of ${requests.length} organizations in turn, with the total`;
    return [...results, await smallRequests(bench, { work, requests, goal: GOAL })];
  },
};

const organizations = [
  [large, ''],
  [program, ', with a program'],
  [heavy, ', with long descriptions'],
] as const;

const GOAL = 0.85;

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
        hammer(product, [request], { milliseconds: ROUND_MS }),
      );
      rounds.push(...(measured?.rounds ?? []));
    }
  }
  const value = median(many.map((round, index) => cpuPerRequest(round) / cpuPerRequest(few[index] ?? round)));
  return {
    work: `Page 1 of ${million.meetings.toLocaleString('en')} rows`,
    rate: 'requests',
    measured: [{ subject: product, rounds: many, peak: product.peak() }],
    verdicts: [
      { figure: `of page 1 of ${tenth.meetings.toLocaleString('en')}, by CPU`, value, goal: { atMost: 1.5 } },
    ],
    remarks: [`${ROUNDS} rounds`],
  };
}

/** The page in the middle, far from both ends. */
async function middlePage(bench: Bench): Promise<Result> {
  const { product, floor } = bench;
  const number = Math.ceil(million.meetings / PAGE_SIZE / 2);
  const request = pageOf(bench, million, number);
  const hash = await checkSameAnswer([product, floor], request);
  const measured = await alternate([product, floor], DEEP_ROUNDS, (subject) => readOnce(subject, request));
  const times = measured[0]?.rounds.map(({ elapsedMs }) => elapsedMs) ?? [];
  return {
    work: `Page ${number.toLocaleString('en')} of ${million.meetings.toLocaleString('en')} rows`,
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
