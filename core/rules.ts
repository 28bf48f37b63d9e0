/** `@rollcall/core/rules`: pure rules. They use no port and run in a browser. */
export { answerLifetimeMs, idempotencyKeyProblem } from './access/answer-once.js';
export { tokenLifetimeMs } from './access/authenticate.js';
export {
  type CalendarMeeting,
  calendarPastMs,
  isInCalendar,
  maxCalendarMeetings,
} from './meetings/calendar.js';
export { durationText, minutesBetween } from './meetings/duration.js';
export {
  chooseColumns,
  type ExportColumn,
  type ExportColumnKey,
  type ExportForm,
  exportColumns,
} from './meetings/export-columns.js';
export { type ReportType, reportTypes, selectMeetings } from './meetings/export-meetings.js';
export {
  closedStatuses,
  isCompleted,
  isSelected,
  isUpcoming,
  isWithin,
  type MeetingSelection,
  type SelectableMeeting,
  type TimeRange,
} from './meetings/meeting.js';
export { type MergedPlace, mergePlaces } from './meetings/merge-places.js';
export { maxReadMeetingChanges } from './meetings/read-meeting-changes.js';
export {
  type Preset,
  parseLocalTime,
  presetRange,
  presets,
} from './meetings/reporting-range.js';
export { invitationState } from './users/invitation.js';
export { maxInvitationLines } from './users/invite-each.js';
export { loginLinkLifetimeMs } from './users/login-link.js';
export { roles } from './users/roles.js';
export { maxListedSessions, sessionIdleTimeMs, sessionLifetimeMs } from './users/session.js';
export { emailProblem, normalizeEmail } from './values/email.js';
export { initialOf } from './values/initial.js';
export { maxKeepHours } from './values/keep-hours.js';
export { type ClockTime, parseClockTime } from './values/local-time.js';
export type { Unchecked } from './values/one-of.js';
export { clampNumber, clampPage, type Page, type PageOf, pageOffset, totalPages } from './values/page.js';
export { checkTimeZone } from './values/time-zone.js';
export { parseInstant } from './values/timestamp.js';
export { maxListedDeliveries } from './webhooks/list-deliveries.js';
export { maxReadEvents } from './webhooks/read-events.js';
export { availableEvents } from './webhooks/webhook.js';
