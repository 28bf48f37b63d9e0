import type { DatasetMeeting } from '@rollcall/core/testing';
import fc from 'fast-check';
import { naiveUpcoming } from '../naive-rules.js';
import { isSame } from './cell.js';
import { caller, chosen, idpIdOf, maybe, someUuid } from './choices.js';
import { type Answer, ApiCall, type Call, type Plan, refused, type Step } from './command.js';
import { iso, type Member, MINUTE, type Model, type ModelMeeting, type OrganizationModel } from './model.js';
import { invitationPending, memberWith } from './users.js';

const notFound = refused(404, 'member-not-found', 'User not found on Service');

interface PageQuery {
  readonly page: string | undefined;
  readonly items: string | undefined;
}

const pageQuery: fc.Arbitrary<PageQuery> = fc.record({
  page: maybe(fc.constantFrom('1', '2', '2.9', '0', '-1', 'first', '7')),
  items: maybe(fc.constantFrom('1', '2', '0', '1.5', 'all', '101')),
});

/** A number as decision 8 reads it: clamped, without its fraction, or the default. */
export function numberOf(
  text: string | undefined,
  { byDefault, max }: { readonly byDefault: number; readonly max: number },
): number {
  const number = Number(text);
  if (text === undefined || Number.isNaN(number)) return byDefault;
  return Math.min(max, Math.max(1, Math.trunc(number)));
}

function queryOf({ page, items }: PageQuery): NonNullable<Call['query']> {
  return [
    ...(page === undefined ? [] : [['page', page] as const]),
    ...(items === undefined ? [] : [['items', items] as const]),
  ];
}

/** The list of section 4.4. */
function upcoming(model: Model, organization: OrganizationModel, member: Member, asked: PageQuery): Answer {
  const page = numberOf(asked.page, { byDefault: 1, max: Number.MAX_SAFE_INTEGER });
  const items = numberOf(asked.items, { byDefault: 10, max: 100 });
  const { number } = member.account;
  const meetings = datasetMeetings(model);
  const all = naiveUpcoming(meetings, {
    organizationId: organization.id,
    userId: Number(number.value ?? 0),
    now: new Date(model.now),
    registrations: model.registrations,
    waitingPlaces: model.waitingPlaces,
  });
  const totalPages = Math.ceil(all.length / items);
  const shown = all.slice((page - 1) * items, page * items);
  return {
    status: 200,
    headers: { link: page < totalPages ? /rel="next"$/ : undefined },
    body: {
      current_page: page,
      items,
      total_items: all.length,
      total_pages: totalPages,
      meetings: shown.map(([id, waiting, isRegistered]) =>
        upcomingBody(model, { id, waiting, isRegistered, userId: Number(number.value) }),
      ),
    },
  };
}

/** The meetings for `naive-rules.ts`, which does not read when they were updated. */
export function datasetMeetings({ meetings }: Model): readonly DatasetMeeting[] {
  return [...meetings.values()].map((meeting) => ({ ...meeting, updatedAt: new Date(0) }));
}

function upcomingBody(
  { meetings, registrations, accounts }: Model,
  given: {
    readonly id: number;
    readonly waiting: string | null;
    readonly isRegistered: boolean;
    readonly userId: number;
  },
): object {
  const { id, waiting, isRegistered, userId } = given;
  const meeting = meetings.get(id) as ModelMeeting;
  const minutes = Math.floor((meeting.endTime.getTime() - meeting.startTime.getTime()) / MINUTE);
  const seats = registrations.filter(({ meetingId }) => meetingId === id);
  const own = seats.find((seat) => seat.userId === userId);
  const leader = accounts.find(({ number }) => number.value === meeting.groupLeaderId);
  return {
    id,
    name: meeting.name,
    start_time: meeting.startTime.toISOString(),
    end_time: meeting.endTime.toISOString(),
    duration: durationText(minutes),
    duration_in_minutes: minutes,
    topic: meeting.topic,
    description: meeting.description,
    location: meeting.location,
    max_attendees: meeting.maxAttendees,
    registered_attendees: seats.filter((seat) => seat.userId !== meeting.groupLeaderId).length,
    group_leader:
      leader === undefined
        ? null
        : {
            id: meeting.groupLeaderId,
            name: `${leader.firstName} ${leader.lastName.slice(0, 1)}.`,
            avatar: /^http:\/\/localhost:3000\/assets\/\S+$/,
          },
    waiting_status: waiting,
    registered: isRegistered,
    registered_at: own === undefined ? null : own.registeredAt.toISOString(),
  };
}

/** Decision 15. */
function durationText(minutes: number): string {
  const parts = [
    [Math.floor(minutes / 60), 'hour'],
    [minutes % 60, 'minute'],
  ] as const;
  const texts = parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`);
  return texts.length === 0 ? '0 minutes' : texts.join(' ');
}

const listUpcomingMeetings: fc.Arbitrary<Step> = fc
  .record({ caller, chosen, pageQuery })
  .map(({ caller: who, chosen: number, pageQuery: asked }) => {
    const plan = (model: Model, organization: OrganizationModel): Plan => {
      const known = organization.members.filter(({ idpId }) => idpId !== null);
      const idpId =
        number % 3 === 0
          ? idpIdOf(model, model.organizations[number % 2 === 0 ? 0 : 1], number)
          : (known[number % Math.max(1, known.length)]?.idpId ?? 'nobody');
      const member = organization.members.find((one) => one.idpId === idpId);
      return {
        call: {
          method: 'GET',
          path: [`/members/${encodeURIComponent(idpId)}/upcoming_meetings`],
          query: queryOf(asked),
        },
        answer: member === undefined ? notFound : upcoming(model, organization, member, asked),
      };
    };
    return new ApiCall('listUpcomingMeetings', who, plan);
  });

const listUserMeetings: fc.Arbitrary<Step> = fc
  .record({ caller, chosen, pageQuery })
  .map(({ caller: who, chosen: number, pageQuery: asked }) => {
    const plan = (model: Model, organization: OrganizationModel): Plan => {
      const uuid = someUuid(model, organization, { number: number, wanted: 'members' });
      const member = memberWith(organization, uuid);
      const pending = organization.invitations.some(
        ({ id, stored }) => isSame(id, uuid) && stored === 'pending',
      );
      const call = { method: 'GET', path: ['/users/', uuid, '/upcoming_meetings'], query: queryOf(asked) };
      if (member !== undefined) return { call, answer: upcoming(model, organization, member, asked) };
      return { call, answer: pending ? invitationPending : notFound };
    };
    return new ApiCall('listUserMeetings', who, plan);
  });

export const meetingSteps: readonly fc.Arbitrary<Step>[] = [listUpcomingMeetings, listUserMeetings];

/** A meeting's value of each column of section 2.5 and of the additions, with its label and type. */
export const columns = {
  name: ['Name', 'string', (meeting) => meeting.name],
  meeting_type: ['Meeting Type', 'string', (meeting) => meeting.meetingType],
  start_time: ['Start Time', 'string', (meeting) => iso(meeting.startTime.getTime())],
  duration: ['Duration', 'integer', (meeting) => meeting.duration],
  status: ['Status', 'string', (meeting) => meeting.status],
  topic: ['Topic', 'string', (meeting) => meeting.topic],
  special_focus: ['Special Focus', 'string', (meeting) => meeting.specialFocus],
  host: ['Host', 'string', (meeting) => meeting.host],
  location: ['Location', 'string', (meeting) => meeting.location],
  price: ['Price', 'number', (meeting) => meeting.price ?? 0],
  max_attendees: ['Max Registrants', 'integer', (meeting) => meeting.maxAttendees],
  meeting_description: ['Description', 'string or null', (meeting) => meeting.description],
  group_leader_id: ['Group Leader', 'integer or null', (meeting) => meeting.groupLeaderId],
  privacy: ['Privacy', 'boolean', (meeting) => meeting.privacy],
  eap: ['EAP Meeting', 'boolean', (meeting) => meeting.eap],
  allow_meeting_donation: ['Donation Allowed', 'boolean', (meeting) => meeting.allowMeetingDonation],
  invitation_only: ['Invitation Only', 'boolean', (meeting) => meeting.invitationOnly],
  wait_list: ['Wait List', 'boolean', (meeting) => meeting.waitList],
  id: ['ID', 'integer', (meeting) => meeting.id],
  updated_at: ['Updated', 'string', (meeting) => meeting.updatedAt],
} as const satisfies Readonly<
  Record<string, readonly [label: string, type: string, valueOf: (meeting: ModelMeeting) => unknown]>
>;

export type ColumnKey = keyof typeof columns;
export const columnKeys = Object.keys(columns) as readonly ColumnKey[];

/** The meeting with the requested columns (rule 3 of section 4.6). */
export function meetingBody(meeting: ModelMeeting, keys: readonly ColumnKey[]): object {
  return Object.fromEntries(
    keys.map((key) => [key === 'group_leader_id' ? 'group_leader' : key, columns[key][2](meeting)]),
  );
}
