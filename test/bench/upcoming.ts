import { facts } from './data.js';
import { cpuPerRequest, type Measured, median } from './measure.js';
import type { Bench, Measurement } from './measurement.js';
import { smallRequests } from './small.js';
import type { Result } from './table.js';

/** Goal 7: the cost of the upcoming list does not grow with a member's past. */
export const upcoming: Measurement = {
  name: 'upcoming',
  async run(bench) {
    const { long, short } = facts.members;
    const longPast = await listOf(bench, long, facts.upcoming);
    const shortPast = await listOf(bench, short, facts.upcoming);
    const value = productCpu(longPast) / productCpu(shortPast);
    const figure = `of what the member with ${short.registrations} registrations takes, by CPU`;
    return [
      { ...longPast, verdicts: [...longPast.verdicts, { figure, value, goal: { atMost: 2 } }] },
      shortPast,
      await listOf(bench, long, 10),
    ];
  },
};

async function listOf(
  bench: Bench,
  { idpId, registrations }: { readonly idpId: string; readonly registrations: number },
  items: number,
): Promise<Result> {
  const { large } = facts.organizations;
  const path = `/api/v2/organizations/${large.id}/members/${idpId}/upcoming_meetings?items=${items}`;
  const request = { method: 'GET', path, token: bench.tokenOf(large) } as const;
  const work = `Upcoming, ${items} of ${registrations.toLocaleString('en')} registrations`;
  return smallRequests(bench, { work, request, goal: 0.7 });
}

function productCpu({ measured }: Result): number {
  const [ours] = measured as [Measured];
  return median(ours.rounds.map(cpuPerRequest));
}
