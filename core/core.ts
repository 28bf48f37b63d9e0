import { type GenerateAccessKey, generateAccessKey } from './access/access-key.js';
import { type Authenticate, authenticate } from './access/authenticate.js';
import { type Authorize, authorize } from './access/authorize.js';
import { type AuthorizeMember, authorizeMember } from './access/authorize-member.js';
import { type CreateOrganization, createOrganization } from './access/create-organization.js';
import { type ListActivity, listActivity } from './access/list-activity.js';
import { type ReadAccessKey, readAccessKey } from './access/read-access-key.js';
import { type SetTimeZone, setTimeZone } from './access/set-time-zone.js';
import { type ExportMeetings, exportMeetings } from './meetings/export-meetings.js';
import { type FindCalendarFeed, findCalendarFeed } from './meetings/find-calendar-feed.js';
import {
  type ListOwnMeetings,
  type ListUpcomingMeetings,
  listOwnMeetings,
  listUpcomingMeetings,
} from './meetings/list-upcoming-meetings.js';
import { type OpenCalendarFeed, openCalendarFeed } from './meetings/open-calendar-feed.js';
import { type PreviewExport, previewExport } from './meetings/preview-export.js';
import { type ReadCalendarFeed, readCalendarFeed } from './meetings/read-calendar-feed.js';
import { type ReadCalendarMeeting, readCalendarMeeting } from './meetings/read-calendar-meeting.js';
import { type RevokeCalendarFeed, revokeCalendarFeed } from './meetings/revoke-calendar-feed.js';
import { type SummarizeMeetings, summarizeMeetings } from './meetings/summarize-meetings.js';
import type { Ports } from './ports.js';
import { defaultSettings, type Settings } from './settings.js';
import { type AcceptInvitation, acceptInvitation } from './users/accept-invitation.js';
import { type AddMember, addMember } from './users/add-member.js';
import { type ChangePassword, changePassword } from './users/change-password.js';
import { type ChangeRole, changeRole } from './users/change-role.js';
import { type CreateUser, createUser } from './users/create-user.js';
import { type OpenInvitation, openInvitation } from './users/invitation.js';
import { type InviteUser, inviteUser } from './users/invite-user.js';
import { type InviteUsers, inviteUsers } from './users/invite-users.js';
import { type IssueLoginLink, issueLoginLink } from './users/issue-login-link.js';
import { type ListInvitations, listInvitations } from './users/list-invitations.js';
import { type ListMembers, listMembers } from './users/list-members.js';
import { type OpenLoginLink, openLoginLink } from './users/login-link.js';
import { type ReadInvitation, readInvitation } from './users/read-invitation.js';
import { type RedeemLoginLink, redeemLoginLink } from './users/redeem-login-link.js';
import { type RegisterUser, registerUser } from './users/register-user.js';
import { type RemoveMember, removeMember } from './users/remove-member.js';
import { type RenewInvitation, renewInvitation } from './users/renew-invitation.js';
import { type RevokeInvitation, revokeInvitation } from './users/revoke-invitation.js';
import { type ResumeSession, resumeSession, type SignOut, signOut } from './users/session.js';
import { type SetPassword, setPassword } from './users/set-password.js';
import { type SignIn, signIn } from './users/sign-in.js';
import { type ConfigureWebhook, configureWebhook } from './webhooks/configure-webhook.js';
import {
  type DeliverWebhooks,
  deliverWebhooks,
  type RecoverDeliveries,
  recoverDeliveries,
} from './webhooks/deliver-webhooks.js';
import { type ListDeliveries, listDeliveries } from './webhooks/list-deliveries.js';
import { type ReadDelivery, readDelivery } from './webhooks/read-delivery.js';
import { type ReadWebhook, readWebhook } from './webhooks/read-webhook.js';
import { type Redeliver, type RedeliverFailed, redeliver, redeliverFailed } from './webhooks/redeliver.js';
import { type TestWebhook, testWebhook } from './webhooks/test-webhook.js';
import { type ReadWebhookHealth, readWebhookHealth } from './webhooks/webhook-health.js';

export type Core = ReturnType<typeof createCore>;

/** What of the settings must be given, and what may be. */
export type GivenSettings = Pick<Settings, 'links'> & Partial<Settings>;

/**
 * The whole interface as plain functions, one a use-case, over the given ports. Expected refusals are thrown
 * as `Refusal`, an unreachable adapter as `Unavailable`; anything else that is thrown is a bug.
 */
export function createCore(ports: Ports, given: GivenSettings) {
  const world = { ...ports, settings: { ...defaultSettings, ...given } };
  return {
    // Section 4.1 and 5: access
    authenticate: (request: Authenticate) => authenticate(world, request),
    authorize: (request: Authorize) => authorize(world, request),
    generateAccessKey: (request: GenerateAccessKey) => generateAccessKey(world, request),
    createOrganization: (request: CreateOrganization) => createOrganization(world, request),
    listOrganizations: () => ports.organizations.list(),
    authorizeMember: (request: AuthorizeMember) => authorizeMember(world, request),
    readAccessKey: (request: ReadAccessKey) => readAccessKey(world, request),
    setTimeZone: (request: SetTimeZone) => setTimeZone(world, request),
    listActivity: (request: ListActivity) => listActivity(world, request),

    // Sections 4.2 and 4.3: users
    inviteUser: (request: InviteUser) => inviteUser(world, request),
    openInvitation: (request: OpenInvitation) => openInvitation(world, request),
    acceptInvitation: (request: AcceptInvitation) => acceptInvitation(world, request),
    registerUser: (request: RegisterUser) => registerUser(world, request),
    issueLoginLink: (request: IssueLoginLink) => issueLoginLink(world, request),
    openLoginLink: (request: OpenLoginLink) => openLoginLink(world, request),
    redeemLoginLink: (request: RedeemLoginLink) => redeemLoginLink(world, request),
    signIn: (request: SignIn) => signIn(world, request),
    signOut: (request: SignOut) => signOut(world, request),
    resumeSession: (request: ResumeSession) => resumeSession(world, request),
    createUser: (request: CreateUser) => createUser(world, request),
    setPassword: (request: SetPassword) => setPassword(world, request),
    addMember: (request: AddMember) => addMember(world, request),
    listMemberships: ({ userId }: { readonly userId: number }) => ports.members.ofUser(userId),
    listMembers: (request: ListMembers) => listMembers(world, request),
    changeRole: (request: ChangeRole) => changeRole(world, request),
    removeMember: (request: RemoveMember) => removeMember(world, request),
    changePassword: (request: ChangePassword) => changePassword(world, request),
    inviteUsers: (request: InviteUsers) => inviteUsers(world, request),
    listInvitations: (request: ListInvitations) => listInvitations(world, request),
    readInvitation: (request: ReadInvitation) => readInvitation(world, request),
    revokeInvitation: (request: RevokeInvitation) => revokeInvitation(world, request),
    renewInvitation: (request: RenewInvitation) => renewInvitation(world, request),

    // Sections 4.4 and 4.6: meetings
    listUpcomingMeetings: (request: ListUpcomingMeetings) => listUpcomingMeetings(world, request),
    listOwnMeetings: (request: ListOwnMeetings) => listOwnMeetings(world, request),
    exportMeetings: (request: ExportMeetings) => exportMeetings(world, request),
    previewExport: (request: PreviewExport) => previewExport(world, request),
    summarizeMeetings: (request: SummarizeMeetings) => summarizeMeetings(world, request),
    openCalendarFeed: (request: OpenCalendarFeed) => openCalendarFeed(world, request),
    findCalendarFeed: (request: FindCalendarFeed) => findCalendarFeed(world, request),
    revokeCalendarFeed: (request: RevokeCalendarFeed) => revokeCalendarFeed(world, request),
    readCalendarFeed: (request: ReadCalendarFeed) => readCalendarFeed(world, request),
    readCalendarMeeting: (request: ReadCalendarMeeting) => readCalendarMeeting(world, request),

    // Sections 4.5 and 6: webhooks
    readWebhook: (request: ReadWebhook) => readWebhook(world, request),
    configureWebhook: (request: ConfigureWebhook) => configureWebhook(world, request),
    deliverWebhooks: (request: DeliverWebhooks) => deliverWebhooks(world, request),
    recoverDeliveries: (request: RecoverDeliveries) => recoverDeliveries(world, request),
    listDeliveries: (request: ListDeliveries) => listDeliveries(world, request),
    redeliver: (request: Redeliver) => redeliver(world, request),
    redeliverFailed: (request: RedeliverFailed) => redeliverFailed(world, request),
    readDelivery: (request: ReadDelivery) => readDelivery(world, request),
    testWebhook: (request: TestWebhook) => testWebhook(world, request),
    readWebhookHealth: (request: ReadWebhookHealth) => readWebhookHealth(world, request),
  };
}
