/** `@rollcall/core`: the rules, without a framework. Start at `createCore`. */

export { type GenerateAccessKey, isAccessKey } from './access/access-key.js';
export type { Acting } from './access/actor.js';
export { type Authenticate, tokenLifetime } from './access/authenticate.js';
export type { Authorize } from './access/authorize.js';
export type { AuthorizeMember } from './access/authorize-member.js';
export type { CreateOrganization } from './access/create-organization.js';
export type { ListActivity } from './access/list-activity.js';
export type * from './access/ports.js';
export type { ReadAccessKey } from './access/read-access-key.js';
export type { SetTimeZone } from './access/set-time-zone.js';
export { type Core, createCore } from './core.js';
export { Refusal, type RefusalCode, Unavailable, UnknownKey } from './errors.js';
export {
  type CalendarMeeting,
  calendarPast,
  isInCalendar,
  maxCalendarMeetings,
} from './meetings/calendar.js';
export type { CreateCalendarFeed, CreatedCalendarFeed } from './meetings/create-calendar-feed.js';
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
export {
  type ListOwnMeetings,
  type ListUpcomingMeetings,
  leaderName,
  type MergedPlace,
  mergePlaces,
  type UpcomingMeeting,
  type UpcomingMeetings,
} from './meetings/list-upcoming-meetings.js';
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
export type * from './meetings/ports.js';
export type { ExportPreview, PreviewExport } from './meetings/preview-export.js';
export type { CalendarFeedContent, ReadCalendarFeed } from './meetings/read-calendar-feed.js';
export type { ReadCalendarMeeting } from './meetings/read-calendar-meeting.js';
export {
  checkTimeZone,
  inclusiveRange,
  intersection,
  type Preset,
  parseLocalTime,
  presetRange,
  presets,
} from './meetings/reporting-range.js';
export type { RevokeCalendarFeed } from './meetings/revoke-calendar-feed.js';
export type { SummarizedMeetings, SummarizeMeetings, WeekSummary } from './meetings/summarize-meetings.js';
export type * from './ports.js';
export { type CoreOptions, defaultSettings, type Settings } from './settings.js';
export type { AcceptedInvitation, AcceptInvitation } from './users/accept-invitation.js';
export { type AddMember, roles } from './users/add-member.js';
export type { ChangePassword } from './users/change-password.js';
export type { ChangeRole } from './users/change-role.js';
export type { CreateUser } from './users/create-user.js';
export { invitationState, type PendingInvitation, type ReadPendingInvitation } from './users/invitation.js';
export type { InvitedUser, InviteUser } from './users/invite-user.js';
export { type InvitedLine, type InviteUsers, maxInvitationLines } from './users/invite-users.js';
export type { IssueLoginLink } from './users/issue-login-link.js';
export type { InvitationView, ListInvitations } from './users/list-invitations.js';
export type { ListMembers } from './users/list-members.js';
export {
  type LoginLinkState,
  loginLinkLifetime,
  loginLinkState,
  type ReadLoginLink,
} from './users/login-link.js';
export type * from './users/ports.js';
export type { ReadInvitation } from './users/read-invitation.js';
export type { ReadMember } from './users/read-member.js';
export type { RedeemLoginLink } from './users/redeem-login-link.js';
export type { RegisterUser } from './users/register-user.js';
export type { RemoveMember } from './users/remove-member.js';
export type { RenewInvitation } from './users/renew-invitation.js';
export type { RevokeInvitation } from './users/revoke-invitation.js';
export {
  type CreatedSession,
  isSessionAlive,
  type ResumeSession,
  type SignOut,
  sessionIdleTime,
  sessionLifetime,
} from './users/session.js';
export type { SetEmail } from './users/set-email.js';
export type { SetPassword } from './users/set-password.js';
export type { SignIn } from './users/sign-in.js';
export { networkOf, readAddress, UNKNOWN_ADDRESS } from './values/address.js';
export { anyCasePattern } from './values/any-case.js';
export { emailLook, emailProblem, normalizeEmail } from './values/email.js';
export { clampNumber, clampPage, type Page, type PageOf, pageOffset, totalPages } from './values/page.js';
export { Secret } from './values/secret.js';
export { isStorable, textProblem } from './values/text.js';
export type { ConfigureWebhook } from './webhooks/configure-webhook.js';
export {
  type DeliverWebhooks,
  type DeliveryReport,
  deliveriesPerOrganization,
  maxClaims,
  type RecoverDeliveries,
  webhookRequest,
} from './webhooks/deliver-webhooks.js';
export {
  type ListDeliveries,
  type ListedDeliveries,
  maxListedDeliveries,
} from './webhooks/list-deliveries.js';
export type * from './webhooks/ports.js';
export type { DeliveryView, ReadDelivery } from './webhooks/read-delivery.js';
export type { ReadWebhook } from './webhooks/read-webhook.js';
export type { Redeliver, RedeliverFailed } from './webhooks/redeliver.js';
export type { DropHeld, MatchingDeliveries, RedeliverMatching } from './webhooks/redeliver-matching.js';
export type { TestWebhook } from './webhooks/test-webhook.js';
export { userRegistered } from './webhooks/user-registered.js';
export { availableEvents, isSubscribed, secretMask, type WebhookView } from './webhooks/webhook.js';
export {
  type FailureNotice,
  failureNoticeThresholds,
  type ReadWebhookHealth,
} from './webhooks/webhook-health.js';
