import { facts } from './data.js';
import type { BenchRequest } from './measure.js';
import type { Bench, Measurement } from './measurement.js';
import { PAGE_SIZE, pageOf } from './page.js';
import { smallRequests } from './small.js';
import type { Result } from './table.js';
import { upcomingOf } from './upcoming.js';

interface Work {
  readonly work: string;
  readonly requests: readonly BenchRequest[];
  readonly goal: number;
}

/** Goals 6 and 7 once more, against a floor that knows nothing of the other one. The answers are equal byte for byte. */
export const secondFloor: Measurement = {
  name: 'second-floor',
  alsoLoaded: true,
  async run(bench) {
    const results: Result[] = [];
    for (const work of works(bench))
      results.push(
        await smallRequests(bench, {
          ...work,
          parse: (body) => body.toString(),
          floor: bench.secondFloor,
        }),
      );
    return results;
  },
};

function works(bench: Bench): readonly Work[] {
  const { large } = facts.organizations;
  const { long, short } = facts.members;
  const pages = large.meetings / PAGE_SIZE;
  return [
    ...[1, Math.ceil(pages / 2)].map((number) => ({
      work: `Page ${number} of ${pages.toLocaleString('en')}, with the total`,
      requests: [pageOf(bench, large, number)],
      goal: 0.85,
    })),
    ...[long, short].map((member) => ({ ...upcomingOf(bench, member, facts.upcoming), goal: 0.8 })),
  ];
}
