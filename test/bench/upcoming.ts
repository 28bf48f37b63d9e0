import { type BenchMember, facts } from './data.js';
import { type BenchRequest, cpuPerRequest, type Measured, median } from './measure.js';
import type { Bench, Measurement } from './measurement.js';
import { smallRequests } from './small.js';
import type { Result } from './table.js';

/** Goal 7: the cost of the upcoming list does not grow with a member's past. */
export const upcoming: Measurement = {
  name: 'upcoming',
  alsoLoaded: true,
  async run(bench) {
    const { long, short, program } = facts.members;
    const longPast = await listOf(bench, long, facts.upcoming);
    const shortPast = await listOf(bench, short, facts.upcoming);
    const value = productCpu(longPast) / productCpu(shortPast);
    const figure = `of what the member with ${short.registrations} registrations takes, by CPU`;
    return [
      { ...longPast, verdicts: [...longPast.verdicts, { figure, value, goal: { atMost: 2 } }] },
      shortPast,
      await listOf(bench, long, 10),
      await listOf(bench, program, facts.upcoming),
    ];
  },
};

async function listOf(bench: Bench, member: BenchMember, items: number): Promise<Result> {
  return smallRequests(bench, { ...upcomingOf(bench, member, items), goal: 0.8 });
}

export function upcomingOf(
  bench: Bench,
  { idpId, registrations, organization: organizationId }: BenchMember,
  items: number,
): { readonly work: string; readonly requests: readonly BenchRequest[] } {
  const { large, program } = facts.organizations;
  const organization = organizationId === program.id ? program : large;
  const path = `/api/v2/organizations/${organization.id}/members/${idpId}/upcoming_meetings?items=${items}`;
  const where = organization === program ? ', with a program' : '';
  return {
    work: `Upcoming, ${items} of ${registrations.toLocaleString('en')} registrations${where}`,
    requests: [{ method: 'GET', path, token: bench.tokenOf(organization) }],
  };
}

function productCpu({ measured }: Result): number {
  const [ours] = measured as [Measured];
  return median(ours.rounds.map(cpuPerRequest));
}
