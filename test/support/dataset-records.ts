import type { Dataset, DatasetMeeting } from '@rollcall/core/testing';
import type { DatasetRecord } from '#adapters/sql/maintenance/dataset.js';

/** The same dataset as records of a dataset file. */
export function datasetRecords(dataset: Dataset): readonly DatasetRecord[] {
  return [
    ...(dataset.organizations ?? []).map(
      ({ id, name, eap }) => ({ kind: 'organization', id, name, eap }) as const,
    ),
    ...(dataset.users ?? []).map(
      (user) =>
        ({
          kind: 'user',
          id: user.id,
          uuid: user.uuid,
          email: user.email,
          first_name: user.firstName,
          last_name: user.lastName,
          avatar: user.avatar,
          created_at: user.createdAt.toISOString(),
        }) as const,
    ),
    ...(dataset.memberships ?? []).map(
      ({ organizationId, userId, role, idpId }) =>
        ({
          kind: 'membership',
          organization_id: organizationId,
          user_id: userId,
          role,
          idp_id: idpId,
        }) as const,
    ),
    ...[...(dataset.meetings ?? []), ...(dataset.changedMeetings ?? [])].map(meetingRecord),
    ...(dataset.deletedMeetings ?? []).map((id) => ({ kind: 'meeting', deleted: true, id }) as const),
    ...(dataset.registrations ?? []).map(
      ({ meetingId, userId, registeredAt }) =>
        ({
          kind: 'registration',
          meeting_id: meetingId,
          user_id: userId,
          registered_at: registeredAt.toISOString(),
        }) as const,
    ),
    ...(dataset.waitingPlaces ?? []).map(
      ({ meetingId, userId, status, createdAt, offeredUntil }) =>
        ({
          kind: 'waitlist_entry',
          meeting_id: meetingId,
          user_id: userId,
          status,
          created_at: createdAt.toISOString(),
          offered_until: offeredUntil?.toISOString() ?? null,
        }) as const,
    ),
  ];
}

function meetingRecord(meeting: DatasetMeeting): DatasetRecord {
  return {
    kind: 'meeting',
    id: meeting.id,
    organization_id: meeting.organizationId,
    eap_organization_ids: meeting.eapOrganizationIds,
    name: meeting.name,
    meeting_type: meeting.meetingType,
    start_time: meeting.startTime.toISOString(),
    end_time: meeting.endTime.toISOString(),
    duration: meeting.duration,
    status: meeting.status,
    topic: meeting.topic,
    special_focus: meeting.specialFocus,
    host: meeting.host,
    location: meeting.location,
    price: meeting.price,
    max_attendees: meeting.maxAttendees,
    meeting_description: meeting.description,
    group_leader_id: meeting.groupLeaderId,
    privacy: meeting.privacy,
    eap: meeting.eap,
    allow_meeting_donation: meeting.allowMeetingDonation,
    invitation_only: meeting.invitationOnly,
    wait_list: meeting.waitList,
  };
}
