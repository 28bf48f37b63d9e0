/**
 * `@rollcall/core`: the rules of Rollcall, without a framework. Start at `createCore`, or at the factory of one chapter.
 * Pure rules are in `@rollcall/core/rules`; what an adapter needs, in `@rollcall/core/adapters`.
 */
export type { Acting } from './access/acting.js';
export type { ActivityKind } from './access/activity-kinds.js';
export type { ActivityNames, ActivitySelection } from './access/activity-selection.js';
export type { OfOrganization } from './access/of-organization.js';
export type * from './access/ports/api-calls.js';
export type * from './access/ports/audit-trail.js';
export type * from './access/ports/idempotency-keys.js';
export type * from './access/ports/journal.js';
export type * from './access/ports/limits.js';
export type * from './access/ports/observer.js';
export type * from './access/ports/organizations.js';
export type * from './access/ports/secrets.js';
export type * from './access/ports/security-log.js';
export type * from './access/ports/tokens.js';
export * from './access/use-cases.js';
export * from './core.js';
export type { Need, Uses } from './deps.js';
export { CallLost, CursorExpired, Refusal, type RefusalCode, Unavailable } from './errors.js';
export type { CalendarMeeting } from './meetings/calendar.js';
export type { ExportColumn, ExportColumnKey, ExportFormat } from './meetings/export-columns.js';
export type {
  MeetingDates,
  MeetingSearch,
  MeetingSelection,
  MeetingState,
  TimeRange,
} from './meetings/meeting.js';
export type * from './meetings/ports/calendar-feeds.js';
export type * from './meetings/ports/meetings.js';
export type { Preset } from './meetings/reporting-range.js';
export type { ReportType, SelectionParameters } from './meetings/select-meetings.js';
export type { OwnMeetings, UpcomingMeeting, UpcomingMeetings } from './meetings/upcoming-meetings.js';
export * from './meetings/use-cases.js';
export type * from './ports.js';
export type { Links, Settings } from './settings.js';
export type { InvitationKey } from './users/invitations/invitation.js';
export type { InvitationView } from './users/invitations/invitation-view.js';
export type { Invited, InvitedUser, InviteUser } from './users/invitations/invite.js';
export type * from './users/ports/directory.js';
export type * from './users/ports/directory-tokens.js';
export type * from './users/ports/identities.js';
export type * from './users/ports/identity-provider.js';
export type * from './users/ports/invitations.js';
export type * from './users/ports/login-links.js';
export type * from './users/ports/mailer.js';
export type * from './users/ports/mails.js';
export type * from './users/ports/members.js';
export type * from './users/ports/passkey-verifier.js';
export type * from './users/ports/password-resets.js';
export type * from './users/ports/passwords.js';
export type * from './users/ports/personal-data.js';
export type * from './users/ports/second-factors.js';
export type * from './users/ports/sessions.js';
export type * from './users/ports/setup-links.js';
export type * from './users/ports/sign-ons.js';
export type * from './users/ports/users.js';
export type { AskedPasskey } from './users/second-factor/ask-passkey.js';
export type {
  PasskeyAnswer,
  PasskeyChallenge,
  SecondFactorProof,
} from './users/second-factor/check-second-factor.js';
export type { PendingSignIn } from './users/second-factor/second-step.js';
export { SecondStepRequired } from './users/second-factor/second-step.js';
export type { SignIn } from './users/sessions/check-password.js';
export type { CreatedSession } from './users/sessions/create-session.js';
export type { SignOnConfirmation } from './users/sign-on/finish-sign-on.js';
export type { SignOnView, StartedSignOn } from './users/sign-on/sign-on.js';
export * from './users/use-cases.js';
export type * from './users/user.js';
export type { ListPart, ListRequest } from './values/list.js';
export type { Unchecked } from './values/one-of.js';
export type { OrganizationRows, Page, PageOf, PageRequest } from './values/page.js';
export type { Field, Problem, ProblemCode } from './values/problem.js';
export { Secret } from './values/secret.js';
export type { DeliveryReport, TakenOverDelivery } from './webhooks/delivery-report.js';
export type { EventName, EventPerson, NewEvent } from './webhooks/events.js';
export type { FailureNotice } from './webhooks/failure-notice.js';
export type { MatchingDeliveries } from './webhooks/matching-deliveries.js';
export type * from './webhooks/ports/deliveries.js';
export type * from './webhooks/ports/dispatcher.js';
export type * from './webhooks/ports/event-feed.js';
export type * from './webhooks/ports/outbox.js';
export type * from './webhooks/ports/webhook-sender.js';
export type * from './webhooks/ports/webhooks.js';
export * from './webhooks/use-cases.js';
export type { WebhookView } from './webhooks/webhook.js';
