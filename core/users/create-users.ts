import type { PortsOf } from '../deps.js';
import { readDeps } from '../read-deps.js';
import type { UsersOptions } from '../settings.js';
import { type AcceptInvitation, acceptInvitation } from './accept-invitation.js';
import { type AddMember, addMember } from './add-member.js';
import { type ChangePassword, changePassword } from './change-password.js';
import { type ChangeRole, changeRole } from './change-role.js';
import type { SignIn } from './check-password.js';
import { type CreateUser, createUser } from './create-user.js';
import { type EndOtherSessions, endOtherSessions } from './end-other-sessions.js';
import { type EndSession, endSession } from './end-session.js';
import { type EndSessions, endSessions } from './end-sessions.js';
import { type EraseMember, eraseMember } from './erase-member.js';
import { type EraseUser, eraseUser } from './erase-user.js';
import { type ExportInvitations, exportInvitations } from './export-invitations.js';
import { type ExportMembers, exportMembers } from './export-members.js';
import { type FindInvitations, findInvitations } from './find-invitations.js';
import { type InviteEach, inviteEach } from './invite-each.js';
import { type InviteUser, inviteUser } from './invite-user.js';
import { type InviteUsers, inviteUsers } from './invite-users.js';
import { type IssueLoginLink, issueLoginLink } from './issue-login-link.js';
import { type ListInvitations, listInvitations } from './list-invitations.js';
import { type ListMembers, listMembers } from './list-members.js';
import { type ListMemberships, listMemberships } from './list-memberships.js';
import { type ListSessions, listSessions } from './list-sessions.js';
import { type ListUsers, listUsers } from './list-users.js';
import { type ReadInvitation, readInvitation } from './read-invitation.js';
import { type ReadLoginLink, readLoginLink } from './read-login-link.js';
import { type ReadMember, readMember } from './read-member.js';
import { type ReadPasswordReset, readPasswordReset } from './read-password-reset.js';
import { type ReadPendingInvitation, readPendingInvitation } from './read-pending-invitation.js';
import { type ReadUser, readUser } from './read-user.js';
import { type ReadUserData, readUserData } from './read-user-data.js';
import { type RedeemLoginLink, redeemLoginLink } from './redeem-login-link.js';
import { type RegisterUser, registerUser } from './register-user.js';
import { type RemoveMember, removeMember } from './remove-member.js';
import { type RemoveUser, removeUser } from './remove-user.js';
import { type RenewInvitation, renewInvitation } from './renew-invitation.js';
import { type RequestPasswordReset, requestPasswordReset } from './request-password-reset.js';
import { type ResetPassword, resetPassword } from './reset-password.js';
import { type ResumeSession, resumeSession } from './resume-session.js';
import { type RevokeInvitation, revokeInvitation } from './revoke-invitation.js';
import { type SendMails, sendMails } from './send-mails.js';
import { type SetEmail, setEmail } from './set-email.js';
import { type SetIdpId, setIdpId } from './set-idp-id.js';
import { type SetName, setName } from './set-name.js';
import { type SetPassword, setPassword } from './set-password.js';
import { signIn } from './sign-in.js';
import { type SignOut, signOut } from './sign-out.js';

/** The ports and settings that the use-cases of this chapter need. */
export const usersNeeds = [
  'clock.now',
  'commonPasswords.has',
  'dispatcher.wake',
  'ids.uuid',
  'invitations.byId',
  'invitations.byUserUuid',
  'invitations.find',
  'invitations.findOrCreatePending',
  'invitations.list',
  'invitations.renew',
  'invitations.revoke',
  'invitations.standing',
  'limits.clear',
  'limits.fail',
  'limits.forgive',
  'limits.waitFor',
  'links.activity',
  'links.invitation',
  'links.login',
  'links.passwordReset',
  'links.webhook',
  'loginLinks.find',
  'loginLinks.redeem',
  'loginLinks.store',
  'mailer.send',
  'mails.add',
  'mails.claim',
  'mails.finish',
  'mails.postpone',
  'members.byUserId',
  'members.byUuid',
  'members.changeRole',
  'members.list',
  'members.listByEmail',
  'members.ofUser',
  'members.register',
  'members.remove',
  'members.setIdpId',
  'organizations.byId',
  'passwordResets.find',
  'passwordResets.redeem',
  'passwordResets.store',
  'passwords.hash',
  'passwords.verify',
  'personalData.erase',
  'personalData.read',
  'secrets.invitationToken',
  'secrets.keyId',
  'secrets.newToken',
  'secrets.readInvitationToken',
  'secrets.sessionId',
  'secrets.tokenHash',
  'securityLog.record',
  'sessions.create',
  'sessions.end',
  'sessions.endAll',
  'sessions.endOthers',
  'sessions.find',
  'sessions.ofUser',
  'sessions.touch',
  'settings.serviceName',
  'users.byEmail',
  'users.create',
  'users.passwordHash',
  'users.replacePasswordHash',
  'users.setEmail',
  'users.setName',
  'users.setPasswordHash',
  'webhooks.health',
] as const;

/** The parts of the ports that `createUsers` needs. */
export type UsersPorts = PortsOf<(typeof usersNeeds)[number]>;
/** What `createUsers` returns. */
export type UsersUseCases = ReturnType<typeof createUsers>;

/**
 * People: invitations, login links, sessions and memberships.
 *
 * @throws `TypeError` that names every port that is missing and every setting that is wrong.
 */
export function createUsers(ports: UsersPorts, options: UsersOptions) {
  const deps = readDeps('createUsers', usersNeeds, { ports, options });
  return {
    /**
     * Invites a person by email address.
     *
     * @throws `Refusal`: `invalid-request` with every problem of the person, or if the `idpId` belongs to another
     * member or pending invitation, or the pending invitation has another one; `organization-not-found`;
     * `already-member`.
     */
    inviteUser: (request: InviteUser) => inviteUser(deps, request),
    /**
     * Reads a pending invitation for its page, without changing anything.
     *
     * @throws `Refusal`: `invitation-unknown`, `invitation-used`, `invitation-revoked`.
     */
    readPendingInvitation: (request: ReadPendingInvitation) => readPendingInvitation(deps, request),
    /**
     * Makes the invited person a member, once, and signs them in.
     *
     * @throws `Refusal`: `invitation-unknown`, `invitation-used`, `invitation-revoked`; `invalid-request` with every
     * problem of the new name and password; `sign-in-required` if a new person has an account; `wrong-credentials`;
     * `too-many-requests` after too many wrong passwords; `already-member`; `session-not-started` if the
     * person has joined, but their password was changed while it was checked: they can sign in with the new one.
     */
    acceptInvitation: (request: AcceptInvitation) => acceptInvitation(deps, request),
    /**
     * Makes a person a member, for a program that has already identified the person.
     *
     * @throws `Refusal`: `invalid-request` with every problem of the person, the role and the `idpId`, or if the
     * `idpId` belongs to another member or a pending invitation; `organization-not-found`; `already-member`.
     */
    registerUser: (request: RegisterUser) => registerUser(deps, request),
    /**
     * Creates a link that signs the member in once, within five minutes.
     *
     * @throws `Refusal`: `user-not-found`; `invitation-pending` if the person has not accepted yet;
     * `too-many-requests` after 1,000 links for the member in five minutes.
     */
    issueLoginLink: (request: IssueLoginLink) => issueLoginLink(deps, request),
    /**
     * Reads a login link for its page, without redeeming it.
     *
     * @throws `Refusal`: `login-link-unknown`, `login-link-used`, `login-link-expired`.
     */
    readLoginLink: (request: ReadLoginLink) => readLoginLink(deps, request),
    /**
     * Signs the member in, once.
     *
     * @throws `Refusal`: `login-link-unknown`, `login-link-used`, `login-link-expired`.
     */
    redeemLoginLink: (request: RedeemLoginLink) => redeemLoginLink(deps, request),
    /**
     * Starts a session for a user who knows the password.
     *
     * @throws `Refusal`: `wrong-credentials`; `too-many-requests` after too many wrong passwords for the account or
     * from the network.
     */
    signIn: (request: SignIn) => signIn(deps, request),
    /** Ends the session everywhere at once. */
    signOut: (request: SignOut) => signOut(deps, request),
    /** Returns the session of a cookie, or null if it has expired. */
    resumeSession: (request: ResumeSession) => resumeSession(deps, request),
    /**
     * Lists the sessions of a user that still work, for a user who signed in with the password.
     *
     * @throws `Refusal`: `sign-in-required` without a session, `session-bound` if a login link started it.
     */
    listSessions: (request: ListSessions) => listSessions(deps, request),
    /**
     * Ends a session of a user at once, on every instance, for a user who signed in with the password.
     *
     * @throws `Refusal`: `sign-in-required` without a session, `session-bound` if a login link started it;
     * `session-not-found` if the user has no such session, or it has ended.
     */
    endSession: (request: EndSession) => endSession(deps, request),
    /**
     * Ends every session of a user but this one, at once, for a user who signed in with the password.
     *
     * @throws `Refusal`: `sign-in-required` without a session, `session-bound` if a login link started it.
     */
    endOtherSessions: (request: EndOtherSessions) => endOtherSessions(deps, request),
    /**
     * Ends every session of a user, or of all users, at once and on every instance.
     *
     * @throws `Refusal`: `user-not-found`.
     */
    endSessions: (request: EndSessions) => endSessions(deps, request),
    /**
     * Adds a user who belongs to no organization yet.
     *
     * @throws `Refusal`: `invalid-request` with every problem of the person, with a problem of the password, or if
     * another user has the address.
     */
    createUser: (request: CreateUser) => createUser(deps, request),
    /**
     * Gives a user another address to sign in with, and ends their sessions.
     *
     * @throws `Refusal`: `invalid-request` if the new address is malformed or taken; `user-not-found`.
     */
    setEmail: (request: SetEmail) => setEmail(deps, request),
    /**
     * Corrects the name of a user, everywhere where it is shown: also the `host` of the meetings that they lead, if it is
     * nothing but their name. The change is in the audit trail of every organization that the user belongs to. The name
     * that the user already has changes nothing.
     *
     * @throws `Refusal`: `invalid-request` with every problem of the name; `user-not-found`; with `onlyOf`,
     * `member-not-found` and `in-other-organization`.
     */
    setName: (request: SetName) => setName(deps, request),
    /**
     * Sets the password of a user who forgot it, and ends their sessions.
     *
     * @throws `Refusal`: `invalid-request` with every problem, `user-not-found`.
     */
    setPassword: (request: SetPassword) => setPassword(deps, request),
    /**
     * Makes an existing user a member, without an event.
     *
     * @throws `Refusal`: `invalid-request` with every problem, also if `by` is an access key or the `idpId` belongs
     * to another member or a pending invitation; `organization-not-found`; `user-not-found`; `already-member`.
     */
    addMember: (request: AddMember) => addMember(deps, request),
    /**
     * Lists the user's organizations with the role in each, by organization id.
     *
     * @throws `TypeError` if `userId` is not an id.
     */
    listMemberships: (request: ListMemberships) => listMemberships(deps, request),
    /**
     * Lists the people of an organization: owners, then admins, then members, each group by e-mail address, or in another
     * order.
     *
     * @throws `Refusal`: `invalid-request` if the search is too long or has too many words. `TypeError` if
     * `organization.id` is not an id, or if `role` or `order` is unknown.
     */
    listMembers: (request: ListMembers) => listMembers(deps, request),
    /**
     * Reads one member of the organization.
     *
     * @throws `Refusal`: `member-not-found`.
     */
    readMember: (request: ReadMember) => readMember(deps, request),
    /**
     * Gives a member another role; the last owner stays owner.
     *
     * @throws `Refusal`: `invalid-request` if `role` is not a role, or if the member has another one than `replaces`;
     * `member-not-found`; `last-owner` if the organization would be left without an owner.
     */
    changeRole: (request: ChangeRole) => changeRole(deps, request),
    /**
     * Ends a membership, with its member page sessions, login links, pending invitation and calendar feed.
     *
     * @throws `Refusal`: `member-not-found`; `last-owner` if the organization would be left without an owner.
     */
    removeMember: (request: RemoveMember) => removeMember(deps, request),
    /**
     * Lists the members of an organization by e-mail address in code point order.
     *
     * @throws `Refusal`: `invalid-request` if the search is too long or has too many words, if `email` is not an address,
     * if `role` is not a role, or if `after` is not from this list. `TypeError` if `organization.id` is not an id.
     */
    listUsers: (request: ListUsers) => listUsers(deps, request),
    /**
     * Reads the member whom the organization knows under this UUID.
     *
     * @throws `Refusal`: `member-not-found`.
     */
    readUser: (request: ReadUser) => readUser(deps, request),
    /**
     * Sets or removes the id under which the organization's identity provider knows a member.
     *
     * @throws `Refusal`: `member-not-found`; `invalid-request` if the `idpId` is malformed or belongs to another member or
     * a pending invitation, or if the member has another one than `replaces`.
     */
    setIdpId: (request: SetIdpId) => setIdpId(deps, request),
    /**
     * Ends a membership as `removeMember` does, for a program of the organization.
     *
     * @throws `Refusal`: `member-not-found`; `is-owner`.
     */
    removeUser: (request: RemoveUser) => removeUser(deps, request),
    /**
     * Ends a membership and removes the person with everything that is stored about them, as `eraseUser` does, for a program
     * of the organization. Only if no other organization has the person, so that none can remove what belongs to another.
     *
     * @throws `Refusal`: `member-not-found`; `is-owner`; `in-other-organization`.
     */
    eraseMember: (request: EraseMember) => eraseMember(deps, request),
    /**
     * Removes a person from every organization, with everything that is stored about them. Events, deliveries and audit
     * entries stay without the person. For the operator, because it also changes other organizations.
     *
     * @throws `Refusal`: `user-not-found` if nothing is stored about such a person; `last-owner`, which names the
     * organizations that would be left without an owner, unless `force` is true.
     */
    eraseUser: (request: EraseUser) => eraseUser(deps, request),
    /**
     * Reads everything that is stored about a person, to hand it out. The person may have no account, only invitations. For
     * the operator, because the data come from every organization.
     *
     * @throws `Refusal`: `user-not-found` if nothing is stored about such a person.
     */
    readUserData: (request: ReadUserData) => readUserData(deps, request),
    /**
     * Changes the password of a user who signed in with it and knows it.
     *
     * @throws `Refusal`: `sign-in-required` without a session, `session-bound` if a login link started it,
     * `invalid-request` for the new password, `wrong-credentials` for the current one, `too-many-requests` after too
     * many wrong ones.
     */
    changePassword: (request: ChangePassword) => changePassword(deps, request),
    /**
     * Sends a link to set a new password, if a user has the address. Whether one has it shows neither in the result nor
     * in the time that it takes.
     *
     * @throws `Refusal`: `mail-not-configured`; `invalid-request` if the address is not an email address;
     * `too-many-requests` after too many requests from the network.
     */
    requestPasswordReset: (request: RequestPasswordReset) => requestPasswordReset(deps, request),
    /**
     * Checks a link to set a new password for its page, without using it.
     *
     * @throws `Refusal` `password-reset-ended`.
     */
    readPasswordReset: (request: ReadPasswordReset) => readPasswordReset(deps, request),
    /**
     * Sets a new password with a link from a mail, once, and ends the user's sessions.
     *
     * @throws `Refusal`: `password-reset-ended`; `invalid-request` for the new password.
     */
    resetPassword: (request: ResetPassword) => resetPassword(deps, request),
    /** Sends the mails that are due, and returns what became of each. */
    sendMails: (request: SendMails) => sendMails(deps, request),
    /**
     * Invites every person in the text as `inviteUser` does, and returns a result for each line, in order.
     *
     * @throws `Refusal`: `invalid-request` if the text has no line or more than `maxInvitationLines`;
     * `organization-not-found`. Problems of a line are in its result.
     */
    inviteUsers: (request: InviteUsers) => inviteUsers(deps, request),
    /**
     * Invites each person as `inviteUser` does, and returns a result for each, in order.
     *
     * @throws `Refusal`: `invalid-request` if there is nobody or there are more than `maxInvitationLines`;
     * `organization-not-found`. Problems of a person are in their result.
     */
    inviteEach: (request: InviteEach) => inviteEach(deps, request),
    /**
     * Finds the organization's invitations, newest first, one part of the list at a time.
     *
     * @throws `Refusal` `invalid-request` if `email` is not an address, or `after` is not the `next` of an earlier result.
     * `TypeError` if `organization.id` is not an id or `state` is unknown.
     */
    findInvitations: (request: FindInvitations) => findInvitations(deps, request),
    /**
     * Exports the people of an organization as CSV, by e-mail address in code point order.
     *
     * @throws `Refusal`: `invalid-request` if the search is too long or has too many words. `TypeError` if
     * `organization.id` is not an id or `role` is unknown.
     */
    exportMembers: (request: ExportMembers) => exportMembers(deps, request),
    /**
     * Exports the organization's invitations as CSV, newest first. Pending ones have their URLs.
     *
     * @throws `Refusal`: `invalid-request` if the search is too long or has too many words. `TypeError` if
     * `organization.id` is not an id or `state` is unknown.
     */
    exportInvitations: (request: ExportInvitations) => exportInvitations(deps, request),
    /**
     * Lists the organization's invitations, the newest first or in another order.
     *
     * @throws `Refusal`: `invalid-request` if the search is too long or has too many words. `TypeError` if
     * `organization.id` is not an id, or if `state` or `order` is unknown.
     */
    listInvitations: (request: ListInvitations) => listInvitations(deps, request),
    /**
     * Reads the invitation that gave the organization this UUID, in any state.
     *
     * @throws `Refusal`: `invitation-unknown`.
     */
    readInvitation: (request: ReadInvitation) => readInvitation(deps, request),
    /**
     * Ends a pending invitation: its URL stops working.
     *
     * @throws `Refusal`: `invitation-unknown`, `invitation-used`, `invitation-revoked`.
     */
    revokeInvitation: (request: RevokeInvitation) => revokeInvitation(deps, request),
    /**
     * Replaces a pending or revoked invitation with a new one that has a new URL.
     *
     * @throws `Refusal`: `invitation-unknown`, `invitation-used`; `invitation-revoked` if the address has another
     * pending invitation; `invalid-request` with every problem of the names and the `idpId`, if the `idpId` belongs to
     * another member or pending invitation, or if the invitation has another one than `replaces`; `already-member`.
     */
    renewInvitation: (request: RenewInvitation) => renewInvitation(deps, request),
  };
}
