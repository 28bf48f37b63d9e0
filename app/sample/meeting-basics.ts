import { MAX_DAYS_FROM_TODAY } from './days.js';
import { COUNSELLOR_COUNT, type SampleMember } from './people.js';
import { pick, type Random } from './random.js';

/** The input for a random meeting. */
export interface MeetingRequest {
  readonly index: number;
  readonly meetingCount: number;
  readonly today: Date;
  readonly locations: readonly [string, string];
  readonly members: readonly SampleMember[];
  readonly memberCount: number;
  readonly random: Random;
}

/** The properties of a meeting that are decided first. */
export interface MeetingBasics {
  readonly id: number;
  /** Days from today. */
  readonly day: number;
  readonly organizationId: number | null;
  readonly leaderId: number;
  readonly type: string;
  readonly maxAttendees: number;
  readonly waitList: boolean;
}

/** Meetings are spread evenly, so that every day has some. The first one and today's belong to organization 1. */
export function chooseBasics({
  index,
  meetingCount,
  members,
  memberCount,
  random,
}: MeetingRequest): MeetingBasics {
  const day =
    meetingCount === 1
      ? 0
      : Math.round((2 * MAX_DAYS_FROM_TODAY * index) / (meetingCount - 1)) - MAX_DAYS_FROM_TODAY;
  const drawn = chooseOrganization(random());
  const organizationId = index === 0 || day === 0 ? 1 : drawn;
  const type = pick(random, ['Group', 'Group', 'Group', 'Group', 'OneToOne', 'Workshop', 'Webinar']);
  return {
    id: index + 1,
    day,
    organizationId,
    leaderId: chooseLeader({ organizationId, members, memberCount, random }),
    type,
    maxAttendees: type === 'OneToOne' ? 1 : type === 'Webinar' ? 200 : 4 + Math.floor(random() * 12),
    waitList: (random() < 0.35 || (day >= 0 && index % 5 === 0)) && !['OneToOne', 'Webinar'].includes(type),
  };
}

/** Whether the meeting shows no leader. */
export function hidesLeader(index: number): boolean {
  return index % 23 === 22;
}

function chooseOrganization(draw: number): number | null {
  if (draw < 0.14) return null;
  if (draw < 0.64) return 1;
  return draw < 0.88 ? 2 : 3;
}

function chooseLeader({
  organizationId,
  members,
  memberCount,
  random,
}: Pick<MeetingRequest, 'members' | 'memberCount' | 'random'> & {
  readonly organizationId: number | null;
}): number {
  if (organizationId === null) return memberCount + 1 + Math.floor(random() * COUNSELLOR_COUNT);
  const own = members.filter((member) => member.organizationId === organizationId && member.userId !== 3);
  return pick(random, own.slice(0, 8)).userId;
}
