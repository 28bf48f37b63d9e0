/** `@rollcall/core/rules`: pure rules. They use no port and run in a browser. */
export { maxApiCalls } from './access/api-calls.js';
export { answerLifetimeMs, idempotencyKeyProblem } from './access/idempotency-key.js';
export { tokenLifetimeMs } from './access/key-generation.js';
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
  type ExportFormat,
  exportColumns,
} from './meetings/export-columns.js';
export { leaderName } from './meetings/leader-name.js';
export {
  closedStatuses,
  isCompleted,
  isSelected,
  isUpcoming,
  isWithin,
  type MeetingSelection,
  type MeetingState,
  maxReadMeetingChanges,
  meetingState,
  meetingStates,
  type SelectableMeeting,
  type TimeRange,
} from './meetings/meeting.js';
export { type MergedPlace, mergePlaces } from './meetings/merge-places.js';
export {
  type Preset,
  parseLocalTime,
  presetRange,
  presets,
} from './meetings/reporting-range.js';
export { type ReportType, reportTypes, selectMeetings } from './meetings/select-meetings.js';
export { countSettings } from './settings.js';
export { maxDirectoryRequests } from './users/directory/directory.js';
export { hasExpired, renewedExpiry, wrongExpiry } from './users/invitations/expiry.js';
export { givenRole } from './users/invitations/given-role.js';
export { invitationState, maxInvitationLines } from './users/invitations/invitation.js';
export { roles } from './users/members/roles.js';
export { secondStepLifetimeMs } from './users/second-factor/check-second-factor.js';
export { loginLinkLifetimeMs } from './users/sessions/login-link.js';
export {
  maxListedSessions,
  sessionIdleTimeMs,
  sessionLifetimeMs,
  setupSessionMs,
} from './users/sessions/session.js';
export { setupLinkLifetimeMs } from './users/setup-links/setup-link.js';
export { signOnLifetimeMs } from './users/sign-on/sign-on.js';
export { emailProblem, normalizeEmail } from './values/email.js';
export { initialOf } from './values/initial.js';
export { maxKeepHours } from './values/keep-hours.js';
export { type ClockTime, parseClockTime } from './values/local-time.js';
export type { Unchecked } from './values/one-of.js';
export { clampNumber, clampPage, type Page, type PageOf, pageOffset, totalPages } from './values/page.js';
export { checkTimeZone } from './values/time-zone.js';
export { parseInstant } from './values/timestamp.js';
export { availableEvents } from './webhooks/events.js';
export { maxListedDeliveries } from './webhooks/matching-deliveries.js';
export { testEventName } from './webhooks/membership-events.js';
export { maxReadEvents } from './webhooks/webhook.js';
