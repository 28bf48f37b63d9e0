/**
 * Upcoming and past, said once: the pure rules here are the promise, and every adapter's SQL is held
 * against them by the suites.
 */

/** Statuses after which a meeting does not take place any more; any other counts as open. */
export const closedStatuses = ['complete', 'cancel'] as const;
export const completeStatus = 'complete';
export const cancelStatus = 'cancel';

/** Not yet ended, and neither completed nor cancelled. */
export function isUpcoming(meeting: { readonly endTime: Date; readonly status: string }, now: Date): boolean {
  return meeting.endTime > now && !closedStatuses.some((closed) => closed === meeting.status);
}

/** Completed. */
export function isCompleted(meeting: { readonly status: string }): boolean {
  return meeting.status === completeStatus;
}

/** Half-open: `from` is in it, `before` is not; null is no bound. */
export interface TimeRange {
  readonly from: Date | null;
  readonly before: Date | null;
}

export function isWithin(time: Date, range: TimeRange): boolean {
  return (range.from === null || time >= range.from) && (range.before === null || time < range.before);
}

/** Which meetings an export is about. */
export interface MeetingSelection {
  readonly organizationId: number;
  /** Whether the service meetings tied to the organization belong to it. */
  readonly withServiceMeetings: boolean;
  readonly eapOnly: boolean;
  readonly state: 'past' | 'upcoming' | 'any';
  readonly starts: TimeRange;
  /** What `upcoming` is measured at. */
  readonly now: Date;
}

export interface SelectableMeeting {
  readonly organizationId: number | null;
  /** The organizations that a service meeting is tied to. */
  readonly eapOrganizationIds: readonly number[];
  readonly eap: boolean;
  readonly status: string;
  readonly startTime: Date;
  readonly endTime: Date;
}

export function isSelected(meeting: SelectableMeeting, selection: MeetingSelection): boolean {
  return (
    belongsTo(meeting, selection) &&
    (!selection.eapOnly || meeting.eap) &&
    isInState(meeting, selection) &&
    isWithin(meeting.startTime, selection.starts)
  );
}

function belongsTo(meeting: SelectableMeeting, selection: MeetingSelection): boolean {
  if (meeting.organizationId !== null) return meeting.organizationId === selection.organizationId;
  return selection.withServiceMeetings && meeting.eapOrganizationIds.includes(selection.organizationId);
}

function isInState(meeting: SelectableMeeting, selection: MeetingSelection): boolean {
  if (selection.state === 'past') return isCompleted(meeting);
  if (selection.state === 'upcoming') return isUpcoming(meeting, selection.now);
  return true;
}
