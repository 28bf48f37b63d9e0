import { MAX_DAYS_FROM_TODAY, timestamp } from './days.js';
import { sampleFacts } from './sample-facts.js';
import type { SampleRecord } from './sample-record.js';
import { sampleName } from './sample-texts.js';
import { sampleUuid } from './sample-uuid.js';

/** The number of counsellors, who lead the service's own meetings and belong to no organization. */
export const COUNSELLOR_COUNT = 4;

const organizations = [
  { id: 1, name: sampleFacts.organization.name, eap: true, domain: 'northwind.test', share: 0.6 },
  { id: 2, name: 'Øresund Harbour Community Trust', eap: false, domain: 'harbour.test', share: 0.28 },
  {
    id: 3,
    name: 'مركز الأمل – Hope Centre for Counselling, Family Support and Lifelong Learning 希望',
    eap: false,
    domain: 'hope.test',
    share: 0.12,
  },
] as const;

/** A user and one organization they belong to. */
export interface SampleMember {
  readonly userId: number;
  readonly organizationId: number;
}

export function* organizationRecords(): Generator<SampleRecord> {
  for (const { id, name, eap } of organizations) {
    yield { kind: 'organization', id, name, eap, access_key: String(id).repeat(24) };
  }
}

/** User numbers start at 1; the first three are the people of `sampleFacts`. A few users belong to two organizations. */
export function allocateMembers(memberCount: number): readonly SampleMember[] {
  const members: SampleMember[] = [];
  for (let userId = 1; userId <= memberCount; userId += 1) {
    const organizationId = userId <= 3 ? 1 : organizationIdOf(userId, memberCount);
    members.push({ userId, organizationId });
    if (organizationId === 1 && userId % 16 === 0) members.push({ userId, organizationId: 2 });
  }
  return members;
}

function organizationIdOf(userId: number, memberCount: number): number {
  const share = userId / memberCount;
  if (share <= organizations[0].share) return 1;
  return share <= organizations[0].share + organizations[1].share ? 2 : 3;
}

export function* userRecords({
  today,
  members,
  memberCount,
}: {
  readonly today: Date;
  readonly members: readonly SampleMember[];
  readonly memberCount: number;
}): Generator<SampleRecord> {
  const known = [sampleFacts.owner, sampleFacts.admin, sampleFacts.member];
  const homes = new Map([...members].reverse().map(({ userId, organizationId }) => [userId, organizationId]));
  for (let id = 1; id <= memberCount + COUNSELLOR_COUNT; id += 1) {
    const { latin, ...name } = sampleName(id);
    const domain = organizations.find((organization) => organization.id === homes.get(id))?.domain;
    const person = known.find((one) => one.id === id) ?? {
      ...name,
      email: `${latin}.${id}@${domain ?? 'counsellors.test'}`,
    };
    yield {
      kind: 'user',
      id,
      uuid: sampleUuid(id),
      email: person.email,
      first_name: person.firstName,
      last_name: person.lastName,
      avatar: null,
      created_at: timestamp(today, -MAX_DAYS_FROM_TODAY - 30 - (id % 90), 9 * 60 + id),
    };
  }
}

export function* membershipRecords(members: readonly SampleMember[]): Generator<SampleRecord> {
  const seen = new Map<number, number>();
  for (const { userId, organizationId } of members) {
    const rank = seen.get(organizationId) ?? 0;
    seen.set(organizationId, rank + 1);
    yield {
      kind: 'membership',
      organization_id: organizationId,
      user_id: userId,
      role: roleOf({ userId, organizationId, rank }),
      idp_id: idpIdOf({ userId, organizationId, rank }),
    };
  }
}

interface RankedMember extends SampleMember {
  /** The number of members that the organization already has. */
  readonly rank: number;
}

function roleOf({ userId, organizationId, rank }: RankedMember): string {
  if (organizationId === 1) return userId === 1 ? 'owner' : userId === 2 ? 'admin' : 'member';
  return rank === 0 ? 'owner' : rank === 1 ? 'admin' : 'member';
}

/** Null for some members: they joined through an invitation. */
function idpIdOf({ userId, organizationId, rank }: RankedMember): string | null {
  if (organizationId === 1 && userId <= 3) return `idp-${userId % 3}`;
  return rank % 17 === 16 ? null : `idp-${rank}`;
}
