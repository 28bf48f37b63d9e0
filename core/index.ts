/** `@rollcall/core`: the rules, without a framework. Start at `createCore`. */

export { isAccessKey } from './access/access-key.js';
export type { Acting } from './access/actor.js';
export { type Authenticate, tokenLifetime } from './access/authenticate.js';
export type { Authorize } from './access/authorize.js';
export type { AuthorizeMember } from './access/authorize-member.js';
export { type AccessPorts, type AccessUseCases, createAccess } from './access/create-access.js';
export type { CreateOrganization } from './access/create-organization.js';
export type { GenerateAccessKey } from './access/generate-access-key.js';
export type { ListActivity } from './access/list-activity.js';
export type * from './access/ports.js';
export type { ReadAccessKey } from './access/read-access-key.js';
export type { SetTimeZone } from './access/set-time-zone.js';
export { type Core, type CorePorts, createCore } from './core.js';
export type { Need, PortsOf, Uses } from './deps.js';
export { Refusal, type RefusalCode, Unavailable, UnknownKey } from './errors.js';
export {
  type CalendarMeeting,
  calendarPast,
  isInCalendar,
  maxCalendarMeetings,
} from './meetings/calendar.js';
export type { CreateCalendarFeed, CreatedCalendarFeed } from './meetings/create-calendar-feed.js';
export { createMeetings, type MeetingsPorts, type MeetingsUseCases } from './meetings/create-meetings.js';
export { durationText, minutesBetween } from './meetings/duration.js';
export {
  chooseColumns,
  csvHeader,
  type ExportColumn,
  type ExportColumnKey,
  type ExportForm,
  exportColumns,
  formulaBeginnings,
} from './meetings/export-columns.js';
export {
  type ExportedMeetings,
  type ExportMeetings,
  type ExportParameters,
  type ReportType,
  reportTypes,
  selectMeetings,
} from './meetings/export-meetings.js';
export type { FindCalendarFeed } from './meetings/find-calendar-feed.js';
export { leaderName } from './meetings/leader-name.js';
export type { ListOwnMeetings } from './meetings/list-own-meetings.js';
export type { ListUpcomingMeetings } from './meetings/list-upcoming-meetings.js';
export {
  cancelStatus,
  closedStatuses,
  completeStatus,
  isCompleted,
  isSelected,
  isUpcoming,
  isWithin,
  type MeetingSelection,
  type SelectableMeeting,
  type TimeRange,
} from './meetings/meeting.js';
export { type MergedPlace, mergePlaces } from './meetings/merge-places.js';
export type * from './meetings/ports.js';
export type { ExportPreview, PreviewExport } from './meetings/preview-export.js';
export type { CalendarFeedContent, ReadCalendarFeed } from './meetings/read-calendar-feed.js';
export type { ReadCalendarMeeting } from './meetings/read-calendar-meeting.js';
export {
  inclusiveRange,
  intersection,
  type Preset,
  parseLocalTime,
  presetRange,
  presets,
} from './meetings/reporting-range.js';
export type { RevokeCalendarFeed } from './meetings/revoke-calendar-feed.js';
export type { SummarizedMeetings, SummarizeMeetings, WeekSummary } from './meetings/summarize-meetings.js';
export type { UpcomingMeeting, UpcomingMeetings } from './meetings/upcoming-meetings.js';
export type * from './ports.js';
export {
  type AccessOptions,
  type CoreOptions,
  defaultSettings,
  type Links,
  type MeetingsOptions,
  type Settings,
  type UsersOptions,
  type WebhooksOptions,
} from './settings.js';
export type { AcceptedInvitation, AcceptInvitation } from './users/accept-invitation.js';
export type { AddMember } from './users/add-member.js';
export type { ChangePassword } from './users/change-password.js';
export type { ChangeRole } from './users/change-role.js';
export type { CreatedSession } from './users/create-session.js';
export type { CreateUser } from './users/create-user.js';
export { createUsers, type UsersPorts, type UsersUseCases } from './users/create-users.js';
export { invitationState } from './users/invitation.js';
export type { InvitationView } from './users/invitation-view.js';
export type { InvitedUser, InviteUser } from './users/invite-user.js';
export { type InvitedLine, type InviteUsers, maxInvitationLines } from './users/invite-users.js';
export type { IssueLoginLink } from './users/issue-login-link.js';
export type { ListInvitations } from './users/list-invitations.js';
export type { ListMembers } from './users/list-members.js';
export type { ListMemberships } from './users/list-memberships.js';
export { type LoginLinkState, loginLinkLifetime, loginLinkState } from './users/login-link.js';
export type * from './users/ports.js';
export type { ReadInvitation } from './users/read-invitation.js';
export type { ReadLoginLink } from './users/read-login-link.js';
export type { ReadMember } from './users/read-member.js';
export type { PendingInvitation, ReadPendingInvitation } from './users/read-pending-invitation.js';
export type { RedeemLoginLink } from './users/redeem-login-link.js';
export type { RegisterUser } from './users/register-user.js';
export type { RemoveMember } from './users/remove-member.js';
export type { RenewInvitation } from './users/renew-invitation.js';
export type { ResumeSession } from './users/resume-session.js';
export type { RevokeInvitation } from './users/revoke-invitation.js';
export { roles } from './users/roles.js';
export { isSessionAlive, sessionIdleTime, sessionLifetime } from './users/session.js';
export type { SetEmail } from './users/set-email.js';
export type { SetPassword } from './users/set-password.js';
export type { SignIn } from './users/sign-in.js';
export type { SignOut } from './users/sign-out.js';
export { networkOf, readAddress, UNKNOWN_ADDRESS } from './values/address.js';
export { anyCasePattern } from './values/any-case.js';
export { emailLook, emailProblem, normalizeEmail } from './values/email.js';
export { clampNumber, clampPage, type Page, type PageOf, pageOffset, totalPages } from './values/page.js';
export { type Field, type Problem, type ProblemCode, problemText } from './values/problem.js';
export { Secret } from './values/secret.js';
export { isStorable, textProblem } from './values/text.js';
export { checkTimeZone } from './values/time-zone.js';
export {
  type ConfigureWebhook,
  webhookProblems,
  webhookUrlProblem,
} from './webhooks/configure-webhook.js';
export { createWebhooks, type WebhooksPorts, type WebhooksUseCases } from './webhooks/create-webhooks.js';
export { type DeliverWebhooks, deliveriesPerOrganization, maxClaims } from './webhooks/deliver-webhooks.js';
export type { DeliveryReport } from './webhooks/delivery-report.js';
export type { DropHeld } from './webhooks/drop-held.js';
export { type FailureNotice, failureNoticeThresholds } from './webhooks/failure-notice.js';
export {
  type ListDeliveries,
  type ListedDeliveries,
  maxListedDeliveries,
} from './webhooks/list-deliveries.js';
export type { MatchingDeliveries } from './webhooks/matching-deliveries.js';
export type * from './webhooks/ports.js';
export type { DeliveryView, ReadDelivery } from './webhooks/read-delivery.js';
export type { ReadWebhook } from './webhooks/read-webhook.js';
export type { ReadWebhookHealth } from './webhooks/read-webhook-health.js';
export type { RecoverDeliveries } from './webhooks/recover-deliveries.js';
export type { Redeliver } from './webhooks/redeliver.js';
export type { RedeliverFailed } from './webhooks/redeliver-failed.js';
export type { RedeliverMatching } from './webhooks/redeliver-matching.js';
export type { TestWebhook } from './webhooks/test-webhook.js';
export { userRegistered } from './webhooks/user-registered.js';
export { availableEvents, isSubscribed, secretMask, type WebhookView } from './webhooks/webhook.js';
export { webhookRequest } from './webhooks/webhook-request.js';
