import { type Chance, pick } from './chance.js';
import { timestamp } from './days.js';
import { drawFrame, type MeetingFrame, type MeetingRequest } from './meeting-frame.js';
import { placeRecords } from './places.js';
import { sampleFacts } from './sample-facts.js';
import type { SampleRecord } from './sample-record.js';
import { entryAt, sampleName, subjects } from './words.js';

/** A meeting with its registrations and waiting places. */
export function* meetingRecords(request: MeetingRequest): Generator<SampleRecord> {
  const frame = drawFrame(request);
  yield meetingRecord(frame, request);
  yield* placeRecords(frame, request);
}

function meetingRecord(
  frame: MeetingFrame,
  { index, today, locations, chance }: MeetingRequest,
): SampleRecord {
  const subject = entryAt(subjects, Math.floor(chance() * subjects.length));
  const minutes = pick(chance, [30, 45, 50, 60, 60, 75, 90, 120, 180]);
  // The first meeting of a day ends late, so that today's list is never empty before the evening.
  const begins = index % 3 === 0 ? 23 * 60 + 45 - minutes : 6 * 60 + 15 * Math.floor(chance() * 56);
  const isService = frame.organizationId === null;
  return {
    kind: 'meeting',
    id: frame.id,
    organization_id: frame.organizationId,
    ...(isService ? { eap_organization_ids: chance() < 0.9 ? [1] : [] } : {}),
    name: entryAt(subject.names, Math.floor(chance() * 3)),
    meeting_type: frame.type,
    start_time: timestamp(today, frame.day, begins),
    end_time: timestamp(today, frame.day, begins + minutes),
    duration: minutes,
    status: drawStatus(frame.day, chance),
    topic: subject.topic,
    special_focus: chance() < 0.6 ? subject.specialFocus : '',
    host: hostName(frame.leaderId),
    location: pick(chance, locations),
    price: pick(chance, [null, null, null, 0, 5, 12.5, 19.99, 40]),
    max_attendees: frame.maxAttendees,
    meeting_description: subject.description,
    group_leader_id: index % 23 === 22 ? null : frame.leaderId,
    privacy: chance() < 0.2,
    eap: isService ? chance() < 0.85 : frame.organizationId === 1 && chance() < 0.15,
    allow_meeting_donation: chance() < 0.25,
    invitation_only: chance() < 0.15,
    wait_list: frame.waitList,
  };
}

/** A few past meetings were never completed; a few upcoming ones were rescheduled. */
function drawStatus(day: number, chance: Chance): string {
  const draw = chance();
  if (day === 0) return 'scheduled';
  if (day < 0) return draw < 0.86 ? 'complete' : draw < 0.97 ? 'cancel' : 'scheduled';
  return draw < 0.91 ? 'scheduled' : draw < 0.98 ? 'cancel' : 'rescheduled';
}

function hostName(leaderId: number): string {
  const known = [sampleFacts.owner, sampleFacts.admin].find(({ id }) => id === leaderId);
  const { firstName, lastName } = known ?? sampleName(leaderId);
  return `${firstName} ${[...lastName][0] ?? ''}.`;
}
