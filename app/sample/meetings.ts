import type { ExportColumnKey } from '@rollcall/core';
import { leaderName } from '@rollcall/core/rules';
import { attendanceRecords } from './attendance.js';
import { timestamp } from './days.js';
import { chooseBasics, hidesLeader, type MeetingBasics, type MeetingRequest } from './meeting-basics.js';
import { pick, type Random } from './random.js';
import { sampleFacts } from './sample-facts.js';
import type { SampleRecord } from './sample-record.js';
import { entryAt, sampleName, subjects, topicOf } from './sample-texts.js';

/** A meeting with its registrations and waitlist entries. */
export function* meetingRecords(request: MeetingRequest): Generator<SampleRecord> {
  const basics = chooseBasics(request);
  yield meetingRecord(basics, request);
  yield* attendanceRecords(basics, request);
}

function meetingRecord(
  basics: MeetingBasics,
  { index, today, locations, random }: MeetingRequest,
): SampleRecord {
  const subject = entryAt(subjects, Math.floor(random() * subjects.length));
  const minutes = pick(random, [30, 45, 50, 60, 60, 75, 90, 120, 180]);
  // The first meeting of a day ends late, so that today's list is never empty before the evening.
  const startMinute = index % 3 === 0 ? 23 * 60 + 45 - minutes : 6 * 60 + 15 * Math.floor(random() * 56);
  const isService = basics.organizationId === null;
  return {
    kind: 'meeting',
    id: basics.id,
    organization_id: basics.organizationId,
    ...(isService ? { eap_organization_ids: random() < 0.9 ? [1] : [] } : {}),
    name: entryAt(subject.names, Math.floor(random() * 3)),
    meeting_type: basics.type,
    start_time: timestamp(today, basics.day, startMinute),
    end_time: timestamp(today, basics.day, startMinute + minutes),
    duration: minutes,
    status: chooseStatus(basics.day, random),
    ...topicOf(subject, { isSpecial: random() < 0.6 }),
    host: hostName(basics.leaderId),
    location: pick(random, locations),
    price: pick(random, [null, null, null, 0, 5, 12.5, 19.99, 40]),
    max_attendees: basics.maxAttendees,
    meeting_description: subject.description,
    group_leader_id: hidesLeader(index) ? null : basics.leaderId,
    privacy: random() < 0.2,
    eap: isService ? random() < 0.85 : basics.organizationId === 1 && random() < 0.15,
    allow_meeting_donation: random() < 0.25,
    invitation_only: random() < 0.15,
    wait_list: basics.waitList,
  } satisfies SampleRecord & Record<Exclude<ExportColumnKey, 'updated_at'>, unknown>;
}

/** A few past meetings were never completed; a few upcoming ones were rescheduled. */
function chooseStatus(day: number, random: Random): string {
  const draw = random();
  if (day === 0) return 'scheduled';
  if (day < 0) return draw < 0.86 ? 'complete' : draw < 0.97 ? 'cancel' : 'scheduled';
  return draw < 0.91 ? 'scheduled' : draw < 0.98 ? 'cancel' : 'rescheduled';
}

function hostName(leaderId: number): string {
  const known = [sampleFacts.owner, sampleFacts.admin].find(({ id }) => id === leaderId);
  return leaderName(known ?? sampleName(leaderId));
}
