import { type BenchMember, facts } from './data.js';
import { cpuPerRequest, type Measured, median } from './measure.js';
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
  const { idpId, registrations } = member;
  const { large, program } = facts.organizations;
  const organization = member.organization === program.id ? program : large;
  const path = `/api/v2/organizations/${organization.id}/members/${idpId}/upcoming_meetings?items=${items}`;
  const request = { method: 'GET', path, token: bench.tokenOf(organization) } as const;
  const where = organization === program ? ', with a program' : '';
  const work = `Upcoming, ${items} of ${registrations.toLocaleString('en')} registrations${where}`;
  return smallRequests(bench, { work, requests: [request], goal: 0.8 });
}

function productCpu({ measured }: Result): number {
  const [ours] = measured as [Measured];
  return median(ours.rounds.map(cpuPerRequest));
}
