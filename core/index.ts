/**
 * `@rollcall/core`: the rules of Rollcall, without a framework. Start at `createCore`, or at the factory of one chapter.
 * Pure rules are in `@rollcall/core/rules`; what an adapter needs, in `@rollcall/core/adapters`.
 */
export type { Acting } from './access/actor.js';
export { type AnswerOnce, answerOnce } from './access/answer-once.js';
export { type Authenticate, authenticate } from './access/authenticate.js';
export { type Authorize, authorize } from './access/authorize.js';
export { type AuthorizeMember, authorizeMember } from './access/authorize-member.js';
export { type AccessPorts, type AccessUseCases, createAccess } from './access/create-access.js';
export { type CreateOrganization, createOrganization } from './access/create-organization.js';
export { type GenerateAccessKey, generateAccessKey } from './access/generate-access-key.js';
export { type HideFirstSteps, hideFirstSteps } from './access/hide-first-steps.js';
export { type ListActivity, listActivity } from './access/list-activity.js';
export { listOrganizations } from './access/list-organizations.js';
export type { OfOrganization } from './access/of-organization.js';
export type * from './access/ports/audit-trail.js';
export type * from './access/ports/idempotency-keys.js';
export type * from './access/ports/limits.js';
export type * from './access/ports/observer.js';
export type * from './access/ports/organizations.js';
export type * from './access/ports/secrets.js';
export type * from './access/ports/security-log.js';
export type * from './access/ports/tokens.js';
export { type ReadAccessKey, readAccessKey } from './access/read-access-key.js';
export { type ReadAnswer, readAnswer } from './access/read-answer.js';
export { type FirstSteps, type ReadFirstSteps, readFirstSteps } from './access/read-first-steps.js';
export {
  type ListDownload,
  type MeetingsDownload,
  type RecordExport,
  recordExport,
} from './access/record-export.js';
export { type RenameOrganization, renameOrganization } from './access/rename-organization.js';
export { type SetTimeZone, setTimeZone } from './access/set-time-zone.js';
export { type Core, type CorePorts, createCore } from './core.js';
export type { Need, PortsOf, Uses } from './deps.js';
export { CallLost, CursorExpired, Refusal, type RefusalCode, Unavailable } from './errors.js';
export type { CalendarMeeting } from './meetings/calendar.js';
export {
  type CreateCalendarFeed,
  type CreatedCalendarFeed,
  createCalendarFeed,
} from './meetings/create-calendar-feed.js';
export { createMeetings, type MeetingsPorts, type MeetingsUseCases } from './meetings/create-meetings.js';
export type { ExportColumn, ExportColumnKey, ExportForm } from './meetings/export-columns.js';
export {
  type ExportedMeetings,
  type ExportMeetings,
  type ExportParameters,
  exportMeetings,
  type ReportType,
} from './meetings/export-meetings.js';
export { type FindCalendarFeed, findCalendarFeed } from './meetings/find-calendar-feed.js';
export { type ListOwnMeetings, listOwnMeetings } from './meetings/list-own-meetings.js';
export { type ListPastMeetings, listPastMeetings } from './meetings/list-past-meetings.js';
export { type ListUpcomingMeetings, listUpcomingMeetings } from './meetings/list-upcoming-meetings.js';
export { type ListUserMeetings, listUserMeetings } from './meetings/list-user-meetings.js';
export type { MeetingSelection, TimeRange } from './meetings/meeting.js';
export type * from './meetings/ports/calendar-feeds.js';
export type * from './meetings/ports/meetings.js';
export { type ExportPreview, type PreviewExport, previewExport } from './meetings/preview-export.js';
export {
  type CalendarFeedContent,
  type ReadCalendarFeed,
  readCalendarFeed,
} from './meetings/read-calendar-feed.js';
export { type ReadCalendarMeeting, readCalendarMeeting } from './meetings/read-calendar-meeting.js';
export {
  type ReadMeetingChanges,
  type ReadMeetingChangesResult,
  readMeetingChanges,
} from './meetings/read-meeting-changes.js';
export type { Preset } from './meetings/reporting-range.js';
export { type RevokeCalendarFeed, revokeCalendarFeed } from './meetings/revoke-calendar-feed.js';
export {
  type SummarizedMeetings,
  type SummarizeMeetings,
  summarizeMeetings,
  type WeekSummary,
} from './meetings/summarize-meetings.js';
export type { OwnMeetings, UpcomingMeeting, UpcomingMeetings } from './meetings/upcoming-meetings.js';
export type * from './ports.js';
export type {
  AccessOptions,
  CoreOptions,
  Links,
  MeetingsOptions,
  Settings,
  UsersOptions,
  WebhooksOptions,
} from './settings.js';
export {
  type AcceptedInvitation,
  type AcceptInvitation,
  acceptInvitation,
} from './users/accept-invitation.js';
export { type AddMember, addMember } from './users/add-member.js';
export { type ChangePassword, changePassword } from './users/change-password.js';
export { type ChangeRole, changeRole } from './users/change-role.js';
export type { SignIn } from './users/check-password.js';
export type { CreatedSession } from './users/create-session.js';
export { type CreateUser, createUser } from './users/create-user.js';
export { createUsers, type UsersPorts, type UsersUseCases } from './users/create-users.js';
export { type EndOtherSessions, endOtherSessions } from './users/end-other-sessions.js';
export { type EndSession, endSession } from './users/end-session.js';
export { type EndedSessions, type EndSessions, endSessions } from './users/end-sessions.js';
export { type EraseMember, eraseMember } from './users/erase-member.js';
export { type EraseUser, eraseUser } from './users/erase-user.js';
export { type ExportInvitations, exportInvitations } from './users/export-invitations.js';
export { type ExportedPeople, type ExportMembers, exportMembers } from './users/export-members.js';
export { type FindInvitations, findInvitations } from './users/find-invitations.js';
export type { InvitationKey } from './users/invitation.js';
export type { InvitationView } from './users/invitation-view.js';
export {
  type InvitedEach,
  type InvitedPerson,
  type InviteEach,
  inviteEach,
} from './users/invite-each.js';
export { type InvitedUser, type InviteUser, inviteUser } from './users/invite-user.js';
export { type InvitedLine, type InviteUsers, inviteUsers } from './users/invite-users.js';
export { type IssueLoginLink, issueLoginLink } from './users/issue-login-link.js';
export { type ListInvitations, listInvitations } from './users/list-invitations.js';
export { type ListMembers, listMembers } from './users/list-members.js';
export { type ListMemberships, listMemberships } from './users/list-memberships.js';
export {
  type ListedSession,
  type ListedSessions,
  type ListSessions,
  listSessions,
} from './users/list-sessions.js';
export { type ListUsers, listUsers } from './users/list-users.js';
export type * from './users/ports/invitations.js';
export type * from './users/ports/login-links.js';
export type * from './users/ports/mailer.js';
export type * from './users/ports/mails.js';
export type * from './users/ports/members.js';
export type * from './users/ports/password-resets.js';
export type * from './users/ports/passwords.js';
export type * from './users/ports/personal-data.js';
export type * from './users/ports/sessions.js';
export type * from './users/ports/users.js';
export { type ReadInvitation, readInvitation } from './users/read-invitation.js';
export { type ReadLoginLink, readLoginLink } from './users/read-login-link.js';
export { type ReadMember, readMember } from './users/read-member.js';
export { type ReadPasswordReset, readPasswordReset } from './users/read-password-reset.js';
export {
  type PendingInvitation,
  type ReadPendingInvitation,
  readPendingInvitation,
} from './users/read-pending-invitation.js';
export { type ReadUser, readUser } from './users/read-user.js';
export { type ReadUserData, readUserData } from './users/read-user-data.js';
export { type RedeemLoginLink, redeemLoginLink } from './users/redeem-login-link.js';
export { type RegisterUser, registerUser } from './users/register-user.js';
export { type RemoveMember, removeMember } from './users/remove-member.js';
export { type RemoveUser, removeUser } from './users/remove-user.js';
export {
  type CorrectedInvitation,
  type RenewedInvitation,
  type RenewInvitation,
  renewInvitation,
} from './users/renew-invitation.js';
export { type RequestPasswordReset, requestPasswordReset } from './users/request-password-reset.js';
export { type ResetPassword, resetPassword } from './users/reset-password.js';
export { type ResumedSession, type ResumeSession, resumeSession } from './users/resume-session.js';
export { type RevokeInvitation, revokeInvitation } from './users/revoke-invitation.js';
export { type MailReport, type SendMails, sendMails } from './users/send-mails.js';
export { type SetEmail, setEmail } from './users/set-email.js';
export { type SetIdpId, setIdpId } from './users/set-idp-id.js';
export { type SetName, setName } from './users/set-name.js';
export { type SetPassword, setPassword } from './users/set-password.js';
export { signIn } from './users/sign-in.js';
export { type SignOut, signOut } from './users/sign-out.js';
export type * from './users/user.js';
export type { ListPart, ListRequest } from './values/list.js';
export type { Unchecked } from './values/one-of.js';
export type { OrganizationRows, Page, PageOf, PageRequest } from './values/page.js';
export type { Field, Problem, ProblemCode } from './values/problem.js';
export { Secret } from './values/secret.js';
export { type ConfigureWebhook, configureWebhook } from './webhooks/configure-webhook.js';
export { countDeliveries } from './webhooks/count-deliveries.js';
export { createWebhooks, type WebhooksPorts, type WebhooksUseCases } from './webhooks/create-webhooks.js';
export { type DeliverWebhooks, deliverWebhooks } from './webhooks/deliver-webhooks.js';
export type { DeliveryReport, TakenOverDelivery } from './webhooks/delivery-report.js';
export { type DropHeld, dropHeld } from './webhooks/drop-held.js';
export type { FailureNotice } from './webhooks/failure-notice.js';
export { type FinishedRotation, type FinishRotation, finishRotation } from './webhooks/finish-rotation.js';
export { type ListDeliveries, type ListedDeliveries, listDeliveries } from './webhooks/list-deliveries.js';
export { type ListDeliveryLog, listDeliveryLog } from './webhooks/list-delivery-log.js';
export type { MatchingDeliveries } from './webhooks/matching-deliveries.js';
export type * from './webhooks/ports/deliveries.js';
export type * from './webhooks/ports/dispatcher.js';
export type * from './webhooks/ports/event-feed.js';
export type * from './webhooks/ports/outbox.js';
export type * from './webhooks/ports/webhook-sender.js';
export type * from './webhooks/ports/webhooks.js';
export { type DeliveryView, type ReadDelivery, readDelivery } from './webhooks/read-delivery.js';
export { type ReadEvents, type ReadEventsResult, readEvents } from './webhooks/read-events.js';
export { type ReadWebhook, readWebhook } from './webhooks/read-webhook.js';
export { type ReadWebhookHealth, readWebhookHealth } from './webhooks/read-webhook-health.js';
export { type RecoverDeliveries, recoverDeliveries } from './webhooks/recover-deliveries.js';
export { type Redeliver, redeliver } from './webhooks/redeliver.js';
export { type RedeliverFailed, redeliverFailed } from './webhooks/redeliver-failed.js';
export { type RedeliverMatching, redeliverMatching } from './webhooks/redeliver-matching.js';
export { type TestWebhook, testWebhook } from './webhooks/test-webhook.js';
export type { WebhookView } from './webhooks/webhook.js';
