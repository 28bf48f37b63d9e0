import { type Authenticate, authenticate } from './access/authenticate.js';
import { type Authorize, authorize } from './access/authorize.js';
import { type AuthorizeMember, authorizeMember } from './access/authorize-member.js';
import { type CreateOrganization, createOrganization } from './access/create-organization.js';
import { type GenerateAccessKey, generateAccessKey } from './access/generate-access-key.js';
import { type ListActivity, listActivity } from './access/list-activity.js';
import { type ReadAccessKey, readAccessKey } from './access/read-access-key.js';
import { type SetTimeZone, setTimeZone } from './access/set-time-zone.js';
import { type CreateCalendarFeed, createCalendarFeed } from './meetings/create-calendar-feed.js';
import { type ExportMeetings, exportMeetings } from './meetings/export-meetings.js';
import { type FindCalendarFeed, findCalendarFeed } from './meetings/find-calendar-feed.js';
import { type ListOwnMeetings, listOwnMeetings } from './meetings/list-own-meetings.js';
import { type ListUpcomingMeetings, listUpcomingMeetings } from './meetings/list-upcoming-meetings.js';
import { type PreviewExport, previewExport } from './meetings/preview-export.js';
import { type ReadCalendarFeed, readCalendarFeed } from './meetings/read-calendar-feed.js';
import { type ReadCalendarMeeting, readCalendarMeeting } from './meetings/read-calendar-meeting.js';
import { type RevokeCalendarFeed, revokeCalendarFeed } from './meetings/revoke-calendar-feed.js';
import { type SummarizeMeetings, summarizeMeetings } from './meetings/summarize-meetings.js';
import type { Ports } from './ports.js';
import { type CoreOptions, readSettings } from './settings.js';
import { type AcceptInvitation, acceptInvitation } from './users/accept-invitation.js';
import { type AddMember, addMember } from './users/add-member.js';
import { type ChangePassword, changePassword } from './users/change-password.js';
import { type ChangeRole, changeRole } from './users/change-role.js';
import { type CreateUser, createUser } from './users/create-user.js';
import { type InviteUser, inviteUser } from './users/invite-user.js';
import { type InviteUsers, inviteUsers } from './users/invite-users.js';
import { type IssueLoginLink, issueLoginLink } from './users/issue-login-link.js';
import { type ListInvitations, listInvitations } from './users/list-invitations.js';
import { type ListMembers, listMembers } from './users/list-members.js';
import { type ReadInvitation, readInvitation } from './users/read-invitation.js';
import { type ReadLoginLink, readLoginLink } from './users/read-login-link.js';
import { type ReadMember, readMember } from './users/read-member.js';
import { type ReadPendingInvitation, readPendingInvitation } from './users/read-pending-invitation.js';
import { type RedeemLoginLink, redeemLoginLink } from './users/redeem-login-link.js';
import { type RegisterUser, registerUser } from './users/register-user.js';
import { type RemoveMember, removeMember } from './users/remove-member.js';
import { type RenewInvitation, renewInvitation } from './users/renew-invitation.js';
import { type ResumeSession, resumeSession } from './users/resume-session.js';
import { type RevokeInvitation, revokeInvitation } from './users/revoke-invitation.js';
import { type SetEmail, setEmail } from './users/set-email.js';
import { type SetPassword, setPassword } from './users/set-password.js';
import { type SignIn, signIn } from './users/sign-in.js';
import { type SignOut, signOut } from './users/sign-out.js';
import { type ConfigureWebhook, configureWebhook } from './webhooks/configure-webhook.js';
import { countDeliveries } from './webhooks/count-deliveries.js';
import { type DeliverWebhooks, deliverWebhooks } from './webhooks/deliver-webhooks.js';
import { type DropHeld, dropHeld } from './webhooks/drop-held.js';
import { type ListDeliveries, listDeliveries } from './webhooks/list-deliveries.js';
import type { MatchingDeliveries } from './webhooks/matching-deliveries.js';
import { type ReadDelivery, readDelivery } from './webhooks/read-delivery.js';
import { type ReadWebhook, readWebhook } from './webhooks/read-webhook.js';
import { type ReadWebhookHealth, readWebhookHealth } from './webhooks/read-webhook-health.js';
import { type RecoverDeliveries, recoverDeliveries } from './webhooks/recover-deliveries.js';
import { type Redeliver, redeliver } from './webhooks/redeliver.js';
import { type RedeliverFailed, redeliverFailed } from './webhooks/redeliver-failed.js';
import { type RedeliverMatching, redeliverMatching } from './webhooks/redeliver-matching.js';
import { type TestWebhook, testWebhook } from './webhooks/test-webhook.js';

export type Core = ReturnType<typeof createCore>;

/**
 * The whole interface as plain functions, one a use-case, over the given ports. Expected refusals are thrown
 * as `Refusal`, an unreachable adapter as `Unavailable`; anything else that is thrown is a bug. Throws a `TypeError`
 * that names every setting that is wrong.
 */
export function createCore(ports: Ports, given: CoreOptions) {
  const deps = { ...ports, settings: readSettings(given) };
  return {
    // Section 4.1 and 5: access
    /** Exchanges an access key for a token of one day. */
    authenticate: (request: Authenticate) => authenticate(deps, request),
    /** The organization of the token, which must be the one in the URL. */
    authorize: (request: Authorize) => authorize(deps, request),
    /** Gives the organization a new access key; the old one and its tokens stop working at once. */
    generateAccessKey: (request: GenerateAccessKey) => generateAccessKey(deps, request),
    /** Adds an organization, which has no access key yet. */
    createOrganization: (request: CreateOrganization) => createOrganization(deps, request),
    /** Every organization, by id. */
    listOrganizations: () => ports.organizations.list(),
    /** The session's user as a member of the organization, with at least the given role. */
    authorizeMember: (request: AuthorizeMember) => authorizeMember(deps, request),
    /** When the current access key was created and last used, to the minute; null: there is none. */
    readAccessKey: (request: ReadAccessKey) => readAccessKey(deps, request),
    /** Sets the zone in which the presets of exports are read. */
    setTimeZone: (request: SetTimeZone) => setTimeZone(deps, request),
    /** Who did what in the organization, the newest first. */
    listActivity: (request: ListActivity) => listActivity(deps, request),

    // Sections 4.2 and 4.3: users
    /** Invites a person; a pending invitation comes back as it was first stored. */
    inviteUser: (request: InviteUser) => inviteUser(deps, request),
    /** The invitation for its page; changes nothing. */
    readPendingInvitation: (request: ReadPendingInvitation) => readPendingInvitation(deps, request),
    /** Makes the invited person a member, once, and signs them in. */
    acceptInvitation: (request: AcceptInvitation) => acceptInvitation(deps, request),
    /** Makes a person a member, for a service that has identified the person itself. */
    registerUser: (request: RegisterUser) => registerUser(deps, request),
    /** Makes a link that signs the member in once, within five minutes. */
    issueLoginLink: (request: IssueLoginLink) => issueLoginLink(deps, request),
    /** The login link for its page; does not redeem it. */
    readLoginLink: (request: ReadLoginLink) => readLoginLink(deps, request),
    /** Signs the member in, once, into a session bound to the organization that issued the link. */
    redeemLoginLink: (request: RedeemLoginLink) => redeemLoginLink(deps, request),
    /** Starts a session for a user who knows the password. */
    signIn: (request: SignIn) => signIn(deps, request),
    /** Ends the session everywhere at once. */
    signOut: (request: SignOut) => signOut(deps, request),
    /** The session of a cookie, if it has not expired. */
    resumeSession: (request: ResumeSession) => resumeSession(deps, request),
    /** Adds a user who belongs to no organization yet. */
    createUser: (request: CreateUser) => createUser(deps, request),
    /** Gives a user another address to sign in with, and ends their sessions. */
    setEmail: (request: SetEmail) => setEmail(deps, request),
    /** Sets the password of a user who forgot it, and ends their sessions. */
    setPassword: (request: SetPassword) => setPassword(deps, request),
    /** Makes an existing user a member, without an event. */
    addMember: (request: AddMember) => addMember(deps, request),
    /** Every organization of the user with the role there, by organization id. */
    listMemberships: ({ userId }: { readonly userId: number }) => ports.members.ofUser(userId),
    /** The people of an organization: owners, admins, then members, each by e-mail address. */
    listMembers: (request: ListMembers) => listMembers(deps, request),
    /** One member of the organization. */
    readMember: (request: ReadMember) => readMember(deps, request),
    /** Gives a member another role; the last owner stays owner. */
    changeRole: (request: ChangeRole) => changeRole(deps, request),
    /** Ends a membership, with its member page sessions, login links, pending invitation and calendar feed. */
    removeMember: (request: RemoveMember) => removeMember(deps, request),
    /** Changes the password of a user who signed in with it and knows it. */
    changePassword: (request: ChangePassword) => changePassword(deps, request),
    /** Invites every person in the text as `inviteUser` does, and returns a result for each line, in order. */
    inviteUsers: (request: InviteUsers) => inviteUsers(deps, request),
    /** The organization's invitations, the newest first. */
    listInvitations: (request: ListInvitations) => listInvitations(deps, request),
    /** The invitation that gave the organization this UUID, in any state. */
    readInvitation: (request: ReadInvitation) => readInvitation(deps, request),
    /** Ends a pending invitation: its URL stops working. */
    revokeInvitation: (request: RevokeInvitation) => revokeInvitation(deps, request),
    /** Replaces a pending invitation with a new one that has a new URL. */
    renewInvitation: (request: RenewInvitation) => renewInvitation(deps, request),

    // Sections 4.4 and 4.6: meetings
    /** A page of the upcoming meetings in which a member has a seat or waits for one. */
    listUpcomingMeetings: (request: ListUpcomingMeetings) => listUpcomingMeetings(deps, request),
    /** What `listUpcomingMeetings` gives, for the member's own page. */
    listOwnMeetings: (request: ListOwnMeetings) => listOwnMeetings(deps, request),
    /** The organization's meetings with the chosen columns, all of them or a page. */
    exportMeetings: (request: ExportMeetings) => exportMeetings(deps, request),
    /** The first rows of an export with these parameters, and how many rows it has. */
    previewExport: (request: PreviewExport) => previewExport(deps, request),
    /** How many meetings and seats each week has, without cancelled meetings. */
    summarizeMeetings: (request: SummarizeMeetings) => summarizeMeetings(deps, request),
    /** Gives the member a private address for their calendar program; an older one stops working at once. */
    createCalendarFeed: (request: CreateCalendarFeed) => createCalendarFeed(deps, request),
    /** When the member's feed was created, or null; its address cannot be read again. */
    findCalendarFeed: (request: FindCalendarFeed) => findCalendarFeed(deps, request),
    /** Ends the member's feed at once; false: there was none. */
    revokeCalendarFeed: (request: RevokeCalendarFeed) => revokeCalendarFeed(deps, request),
    /** The meetings of the member whose feed it is, while it is not revoked and they are a member. */
    readCalendarFeed: (request: ReadCalendarFeed) => readCalendarFeed(deps, request),
    /** One meeting out of the member's own calendar; any other is refused like one that does not exist. */
    readCalendarMeeting: (request: ReadCalendarMeeting) => readCalendarMeeting(deps, request),

    // Sections 4.5 and 6: webhooks
    /** The configuration, its secret masked, or null where there is none. */
    readWebhook: (request: ReadWebhook) => readWebhook(deps, request),
    /** Creates or changes the one configuration of the organization. */
    configureWebhook: (request: ConfigureWebhook) => configureWebhook(deps, request),
    /** Claims pending deliveries from the outbox and starts one attempt for each. */
    deliverWebhooks: (request: DeliverWebhooks) => deliverWebhooks(deps, request),
    /** Makes deliveries that a crash interrupted pending again: same event id, same bytes. */
    recoverDeliveries: (request: RecoverDeliveries) => recoverDeliveries(deps, request),
    /** The deliveries, the newest first, a page at a time. */
    listDeliveries: (request: ListDeliveries) => listDeliveries(deps, request),
    /** Sends an event once more: same bytes and event id, current URL and secret, one attempt. */
    redeliver: (request: Redeliver) => redeliver(deps, request),
    /** Sends every event that failed once more, as `redeliver` does, except tests; returns how many. */
    redeliverFailed: (request: RedeliverFailed) => redeliverFailed(deps, request),
    /** Sends every event that matches once more, as `redeliver` does, except tests; returns how many. */
    redeliverMatching: (request: RedeliverMatching) => redeliverMatching(deps, request),
    /** How many events `redeliverMatching` would send. */
    countDeliveries: (request: MatchingDeliveries) => countDeliveries(deps, request),
    /** Ends held deliveries as skipped: they are not sent and stay in the log. */
    dropHeld: (request: DropHeld) => dropHeld(deps, request),
    /** One delivery of the organization with all its attempts. */
    readDelivery: (request: ReadDelivery) => readDelivery(deps, request),
    /** Sends an event about an invented user now, and returns the result. */
    testWebhook: (request: TestWebhook) => testWebhook(deps, request),
    /** Whether the last deliveries have arrived. */
    readWebhookHealth: (request: ReadWebhookHealth) => readWebhookHealth(deps, request),
  };
}
