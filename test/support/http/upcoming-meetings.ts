import assert from 'node:assert/strict';
import { aMeeting, aUser, type Dataset, type DatasetMeeting } from '@rollcall/core/testing';
import type { Json } from './reply.js';
import type { HttpService, TestOrganization } from './service.js';

export const registeredAt = new Date('2026-11-01T10:00:00.000Z');

/** A member `idp-0`, and meetings with their differences from a default one. */
interface MeetingsOfMember {
  readonly meetings: readonly Partial<DatasetMeeting>[];
  /** The meetings that the member is registered for, by their index. */
  readonly registered?: readonly number[];
  /** The member's waiting places, by the index of the meeting. */
  readonly waiting?: Readonly<Record<number, 'waiting' | 'accepted' | 'rejected' | 'offered' | 'expired'>>;
  /** Other records of the organization with this id. */
  readonly extra?: (id: number) => Partial<Dataset>;
}

/** Organizations with one member, and the upcoming meetings that the API lists for them. */
export function upcomingMeetingsOf(service: () => HttpService) {
  const member = ({
    meetings,
    registered = [],
    waiting = {},
    extra: extraRecords,
  }: MeetingsOfMember): Promise<TestOrganization> =>
    service().organization({}, (id) => {
      const meetingId = (index: number): number => id * 1000 + index;
      const extra = extraRecords?.(id) ?? {};
      return {
        users: [aUser(id), ...(extra.users ?? [])],
        memberships: [
          { organizationId: id, userId: id, role: 'member', idpId: 'idp-0' },
          ...(extra.memberships ?? []),
        ],
        meetings: meetings.map((given, index) =>
          aMeeting(meetingId(index), { organizationId: id, ...given }),
        ),
        registrations: [
          ...registered.map((index) => ({ meetingId: meetingId(index), userId: id, registeredAt })),
          ...(extra.registrations ?? []),
        ],
        waitingPlaces: Object.entries(waiting).map(([index, status]) => ({
          meetingId: meetingId(Number(index)),
          userId: id,
          status,
          createdAt: registeredAt,
        })),
      };
    });
  const list = async ({ get }: TestOrganization, query = ''): Promise<Json> => {
    const { status, json } = await get(`/members/idp-0/upcoming_meetings${query}`);
    assert.equal(status, 200);
    return json;
  };
  const indexes = ({ id }: TestOrganization, { meetings }: Json): readonly number[] =>
    meetings.map((meeting: Json) => meeting.id - id * 1000);

  return { member, list, indexes };
}
