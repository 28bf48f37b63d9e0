import type { components } from '@rollcall/contracts';
import type { UpcomingMeeting, UpcomingMeetings } from '@rollcall/core';
import { formatTimestamp } from './timestamp.js';

/** A page of upcoming meetings, as section 4.4 defines it. */
export function upcomingMeetingsAnswer(
  upcoming: UpcomingMeetings,
): components['schemas']['UpcomingMeetingsAnswer'] {
  return {
    current_page: upcoming.currentPage,
    items: upcoming.items,
    total_items: upcoming.totalItems,
    total_pages: upcoming.totalPages,
    meetings: upcoming.meetings.map(upcomingMeeting),
  };
}

function upcomingMeeting(meeting: UpcomingMeeting) {
  const leader = meeting.groupLeader;
  return {
    id: meeting.id,
    name: meeting.name,
    start_time: formatTimestamp(meeting.startTime),
    end_time: formatTimestamp(meeting.endTime),
    duration: meeting.duration,
    duration_in_minutes: meeting.durationInMinutes,
    topic: meeting.topic,
    description: meeting.description,
    location: meeting.location,
    max_attendees: meeting.maxAttendees,
    registered_attendees: meeting.registeredAttendees,
    group_leader: leader === null ? null : { id: leader.id, name: leader.name, avatar: leader.avatar },
    waiting_status: meeting.waitingStatus,
    registered: meeting.registeredAt !== null,
    registered_at: meeting.registeredAt === null ? null : formatTimestamp(meeting.registeredAt),
  };
}
