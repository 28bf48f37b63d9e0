import { type BenchOrganization, facts } from './data.js';
import { allColumns, exportPath } from './export.js';
import { type Asked, alternate, cpuPerRequest, hammer, type Measured, median, readOnce } from './measure.js';
import type { Bench, Measurement } from './measurement.js';
import { smallRequests } from './small.js';
import type { Result } from './table.js';

const PER_PAGE = 100;
const ROUNDS = 9;
const MILLISECONDS = 300;
const { tenth, large, million } = facts.organizations;

/** Goal 6: pages with their total, which the floor reads from the counter as well. */
export const page: Measurement = {
  name: 'page',
  readsMillion: true,
  async run(bench) {
    return [
      await pageOf(bench, 1),
      await pageOf(bench, 500),
      await firstOfMany(bench),
      await deepPage(bench, million.meetings / PER_PAGE / 2),
    ];
  },
};

function asked({ tokenOf }: Bench, organization: BenchOrganization, number: number): Asked {
  const path = exportPath(organization, allColumns, `&page=${number}&per_page=${PER_PAGE}`);
  return { method: 'GET', path, token: tokenOf(organization) };
}

function pageOf(bench: Bench, number: number): Promise<Result> {
  const work = `Page ${number} of ${(large.meetings / PER_PAGE).toLocaleString('en')}, with its total`;
  return smallRequests(bench, { work, asked: asked(bench, large, number), goal: 0.85 });
}

/** The first page of a million rows, and of ten thousand. */
async function firstOfMany(bench: Bench): Promise<Result> {
  const firstOf = async (organization: BenchOrganization): Promise<Measured> => {
    const [measured] = await alternate([bench.product], ROUNDS, (subject) =>
      hammer(subject, asked(bench, organization, 1), { milliseconds: MILLISECONDS }),
    );
    if (measured === undefined) throw new Error('one subject gives one result');
    return measured;
  };
  const few = await firstOf(tenth);
  const many = await firstOf(million);
  const cpu = ({ rounds }: Measured): number => median(rounds.map(cpuPerRequest));
  return {
    work: 'Page 1 of 1,000,000 rows',
    rate: 'requests',
    measured: [many],
    verdicts: [
      {
        figure: `of page 1 of ${tenth.meetings.toLocaleString('en')} rows, by CPU`,
        value: cpu(many) / cpu(few),
        goal: { atMost: 1.5 },
      },
    ],
  };
}

/** One at a time: how long somebody waits who asks for it. */
async function deepPage(bench: Bench, number: number): Promise<Result> {
  const measured = await alternate([bench.product, bench.floor], ROUNDS, (subject) =>
    readOnce(subject, asked(bench, million, number)),
  );
  const [ours] = measured as [Measured, Measured];
  return {
    work: `Page ${number.toLocaleString('en')} of 1,000,000 rows`,
    rate: 'requests',
    measured,
    verdicts: [
      {
        figure: 'until it is there',
        value: median(ours.rounds.map(({ took }) => took)),
        goal: { atMost: bench.engine === 'SQLite' ? 20 : 40 },
        unit: ' ms',
      },
    ],
    remarks: ['by plain OFFSET with the floor'],
  };
}
