import { type Chance, pick } from './chance.js';
import { REACH_DAYS } from './days.js';
import { COUNSELLORS, type SampleMember } from './people.js';

/** The input for a random meeting. */
export interface MeetingRequest {
  readonly index: number;
  readonly meetingCount: number;
  readonly today: Date;
  readonly locations: readonly [string, string];
  readonly members: readonly SampleMember[];
  readonly memberCount: number;
  readonly chance: Chance;
}

/** The properties of a meeting that are decided first. */
export interface MeetingFrame {
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
export function drawFrame({
  index,
  meetingCount,
  members,
  memberCount,
  chance,
}: MeetingRequest): MeetingFrame {
  const day = meetingCount === 1 ? 0 : Math.round((2 * REACH_DAYS * index) / (meetingCount - 1)) - REACH_DAYS;
  const drawn = drawOrganization(chance());
  const organizationId = index === 0 || day === 0 ? 1 : drawn;
  const type = pick(chance, ['Group', 'Group', 'Group', 'Group', 'OneToOne', 'Workshop', 'Webinar']);
  return {
    id: index + 1,
    day,
    organizationId,
    leaderId: drawLeader({ organizationId, members, memberCount, chance }),
    type,
    maxAttendees: type === 'OneToOne' ? 1 : type === 'Webinar' ? 200 : 4 + Math.floor(chance() * 12),
    waitList: chance() < 0.35 || (day >= 0 && index % 5 === 0),
  };
}

function drawOrganization(draw: number): number | null {
  if (draw < 0.14) return null;
  if (draw < 0.64) return 1;
  return draw < 0.88 ? 2 : 3;
}

function drawLeader({
  organizationId,
  members,
  memberCount,
  chance,
}: Pick<MeetingRequest, 'members' | 'memberCount' | 'chance'> & {
  readonly organizationId: number | null;
}): number {
  if (organizationId === null) return memberCount + 1 + Math.floor(chance() * COUNSELLORS);
  const own = members.filter((member) => member.organizationId === organizationId && member.userId !== 3);
  return pick(chance, own.slice(0, 8)).userId;
}
