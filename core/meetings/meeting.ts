/**
 * The rules for upcoming, past and selected meetings. The test suites compare every adapter's queries with these
 * functions.
 */

/** The statuses of meetings that are over or do not take place. Every other status counts as open. */
export const closedStatuses = ['complete', 'cancel'] as const;
const completeStatus = 'complete';
export const cancelStatus = 'cancel';

/** Whether the meeting has not ended and is neither completed nor canceled. */
export function isUpcoming(meeting: { readonly endTime: Date; readonly status: string }, now: Date): boolean {
  return meeting.endTime > now && !closedStatuses.some((closed) => closed === meeting.status);
}

/**
 * What has become of a meeting. `past`: it is completed. `upcoming`: it has not ended and is neither completed nor
 * canceled. `ended`: it has ended, but is neither.
 */
export type MeetingState = 'upcoming' | 'past' | 'canceled' | 'ended';

/** Every state of a meeting. */
export const meetingStates: readonly MeetingState[] = ['upcoming', 'past', 'canceled', 'ended'];

/** The state of a meeting at a time. */
export function meetingState(
  meeting: { readonly endTime: Date; readonly status: string },
  now: Date,
): MeetingState {
  if (isCompleted(meeting)) return 'past';
  if (meeting.status === cancelStatus) return 'canceled';
  return meeting.endTime > now ? 'upcoming' : 'ended';
}

/** The presets of an export that follow the calendar. */
export type CalendarPreset = 'today' | 'current_month' | 'last_week' | 'last_month';

/** The name of a range of calendar days. Weeks begin on Monday. */
export type MeetingDates = CalendarPreset | 'this_week' | 'next_week' | 'next_month';

/** Whether the meeting has the status `complete`. */
export function isCompleted(meeting: { readonly status: string }): boolean {
  return meeting.status === completeStatus;
}

/** A half-open range: it includes `from` but not `before`; null: no limit. */
export interface TimeRange {
  /** The earliest time in the range; null: no limit. */
  readonly from: Date | null;
  /** The first time after the range; null: no limit. */
  readonly before: Date | null;
}

/** Whether the time is in the range: at `from` or later, and earlier than `before`. */
export function isWithin(time: Date, range: TimeRange): boolean {
  return (range.from === null || time >= range.from) && (range.before === null || time < range.before);
}

/** The meetings that an export contains. */
export interface MeetingSelection {
  /** The organization whose meetings are selected. */
  readonly organizationId: number;
  /** Whether to include the service meetings tied to the organization. */
  readonly withServiceMeetings: boolean;
  /** Whether to select only meetings of the Employee Assistance Program. */
  readonly eapOnly: boolean;
  /** Only the meetings in this state. `any`: all, also canceled ones. */
  readonly state: MeetingState | 'any';
  /** The range in which a meeting starts. */
  readonly starts: TimeRange;
  /** Selects only meetings that were updated at this time or later; null: no limit. */
  readonly updatedSince: Date | null;
  /** The time at which a meeting counts as upcoming or not. */
  readonly now: Date;
}

/** What the selection depends on. */
export interface SelectableMeeting {
  /** The organization that the meeting belongs to; null: a service meeting. */
  readonly organizationId: number | null;
  /** The organizations that a service meeting is tied to. */
  readonly eapOrganizationIds: readonly number[];
  /** Whether it is a meeting of the Employee Assistance Program. */
  readonly eap: boolean;
  /** `complete`, `cancel`, or any other text, which counts as open. */
  readonly status: string;
  /** Compared with the range of the selection. */
  readonly startTime: Date;
  /** Until then the meeting can be upcoming. */
  readonly endTime: Date;
  /** Compared with `updatedSince` of the selection. */
  readonly updatedAt: Date;
}

/** Whether an export with this selection contains the meeting. Every adapter's query must select the same meetings. */
export function isSelected(meeting: SelectableMeeting, selection: MeetingSelection): boolean {
  return (
    belongsTo(meeting, selection) &&
    (!selection.eapOnly || meeting.eap) &&
    isInState(meeting, selection) &&
    isWithin(meeting.startTime, selection.starts) &&
    (selection.updatedSince === null || meeting.updatedAt >= selection.updatedSince)
  );
}

function belongsTo(meeting: SelectableMeeting, selection: MeetingSelection): boolean {
  if (meeting.organizationId !== null) return meeting.organizationId === selection.organizationId;
  return selection.withServiceMeetings && meeting.eapOrganizationIds.includes(selection.organizationId);
}

function isInState(meeting: SelectableMeeting, { state, now }: MeetingSelection): boolean {
  return state === 'any' || meetingState(meeting, now) === state;
}

/** The part of a request that searches meetings. */
export interface MeetingSearch {
  /**
   * Words that the name, the topic and the host of a meeting must contain, in any case and with any accents; at most 300
   * characters and ten different words. Empty or left out: all meetings.
   */
  readonly search?: string | undefined;
}

/** What a search for meetings looks at. */
export function searchedText({
  name,
  topic,
  host,
}: {
  readonly name: string;
  readonly topic: string;
  readonly host: string;
}): string {
  return `${name} ${topic} ${host}`;
}

/** The maximum size of a page of changes. */
export const maxReadMeetingChanges = 1000;
