import { type Acting, actorOf, checkActor } from '../../access/acting.js';
import type { OfOrganization } from '../../access/of-organization.js';
import { organizationNotFound } from '../../access/organization-not-found.js';
import type { Uses } from '../../deps.js';
import { refusal } from '../../errors.js';
import { mayBeId } from '../../values/ids.js';
import type { Problem } from '../../values/problem.js';
import { refuseAny } from '../../values/problems.js';
import { idpIdProblem, idpIdTaken, isIdpIdConflict } from '../members/idp-id.js';
import { normalizedPerson, personProblems } from '../person.js';
import type { Invitation, InvitedRole } from '../ports/invitations.js';
import type { Person } from '../user.js';
import { type Expiring, expiryAfter, expiryProblem } from './expiry.js';
import { mayGiveRoles } from './given-role.js';
import { invitationEntries } from './invitation-entries.js';
import { invitationMail, withMailCounted } from './invitation-mail.js';

/** The request of `inviteUser`. */
export interface InviteUser extends OfOrganization, Person, Acting, AsksForMail, Expiring {
  /**
   * The id under which the organization's identity provider will know the member: at most 500 characters, unique among
   * the organization's members and pending invitations. Null, the default: none.
   */
  readonly idpId?: string | null | undefined;
  /**
   * The role that the person gets by accepting; `member` by default. Only owners and the operator's programs may give
   * another one. If the inviter is no longer an owner when the person accepts, the person joins as a member.
   */
  readonly role?: InvitedRole | undefined;
}

/** The part of a request to invite that asks for a mail. */
export interface AsksForMail {
  /**
   * True: the URL is also sent to the person by mail, if the service sends mail. A person gets at most 3 such mails a day,
   * and an organization can send 200.
   */
  readonly sendMail?: boolean | undefined;
}

/** A pending invitation as the inviter sees it. */
export interface InvitedUser extends Person {
  /** The UUID under which the organization will know the user. */
  readonly uuid: string;
  /** Contains a secret: anyone who has the URL of a new person can accept the invitation. */
  readonly invitationUrl: string;
  /** Whether the URL is sent by mail; left out if the request did not ask for it. */
  readonly isMailed?: boolean | undefined;
}

/** As `inviteUser`, and says whether the invitation is new. */
export async function invite(
  deps: Uses<typeof invitedRoleProblem | typeof storeInvitation | typeof withMailCounted>,
  request: InviteUser,
): Promise<Invited> {
  const {
    organization,
    by,
    idpId = null,
    role = 'member',
    expiresInDays,
    sendMail = false,
    ...person
  } = request;
  const organizationId = organization.id;
  checkActor(by);
  const isPossible = mayBeId('organization.id', organizationId);
  refuseAny([
    ...personProblems(person),
    idpIdProblem(idpId),
    expiryProblem({ expiresInDays }),
    isPossible ? await invitedRoleProblem(deps, { organizationId, role, by }) : null,
  ]);
  if (!isPossible) throw organizationNotFound('organization.id', organizationId);
  const mail = sendMail ? { organizationId, email: normalizedPerson(person).email } : null;
  return withMailCounted(deps, mail, (isMailed) => storeInvitation(deps, request, isMailed));
}

/** The result of `inviteUser`. */
export type Invited = InvitedUser & {
  /** False: the invitation was pending before. */
  readonly isNew: boolean;
};

/** What is wrong with a role that someone wants to give by inviting. */
export async function invitedRoleProblem(
  deps: Uses<'members.byUserId'>,
  { organizationId, role, by }: Acting & { readonly organizationId: number; readonly role: InvitedRole },
): Promise<Problem | null> {
  if (!invitedRoles.includes(role))
    return { field: 'role', code: 'not-allowed', message: `must be one of ${invitedRoles.join(', ')}` };
  if (role === 'member' || (await mayInviteAdmins(deps, organizationId, by))) return null;
  return { field: 'role', code: 'not-allowed', message: 'must be member, unless an owner invites' };
}

export async function mayInviteAdmins(
  { members }: Uses<'members.byUserId'>,
  organizationId: number,
  by: Acting['by'],
): Promise<boolean> {
  const { who } = actorOf({ by });
  const member = who.kind === 'user' ? await members.byUserId({ organizationId, userId: who.userId }) : null;
  return mayGiveRoles(who, member?.role === 'owner');
}

/** Nobody becomes an owner by an invitation. */
const invitedRoles: readonly InvitedRole[] = ['admin', 'member'];

async function storeInvitation(
  deps: Uses<
    | 'clock.now'
    | 'ids.uuid'
    | 'invitations.findOrCreatePending'
    | 'invitations.revokeExpired'
    | 'mails.add'
    | 'secrets.keyId'
    | typeof invitedUser
  >,
  request: InviteUser,
  isMailed: boolean,
): Promise<Invited> {
  const { invitations, secrets, ids, clock } = deps;
  const { organization, by, idpId = null, role = 'member', expiresInDays = null, sendMail = false } = request;
  const organizationId = organization.id;
  const at = clock.now();
  await invitations.revokeExpired({ organizationId, at });
  const id = ids.uuid();
  const invitation = await invitations.findOrCreatePending(
    {
      ...normalizedPerson(request),
      ...{ id, keyId: secrets.keyId, organizationId, userUuid: ids.uuid(), idpId, role },
      ...{ createdAt: at, expiresAt: expiryAfter(at, expiresInDays), invitedBy: actorOf({ by }).who },
    },
    (stored) => [
      ...invitationEntries({ by, at }, 'user-invited', stored),
      ...(isMailed ? [invitationMail(stored, at)] : []),
    ],
  );
  if (invitation === 'already-member') throw alreadyMember();
  if (invitation === 'unknown-organization') throw organizationNotFound('organization.id', organizationId);
  if (invitation === 'other-idp-id') throw otherIdpId();
  if (isIdpIdConflict(invitation)) throw idpIdTaken(invitation);
  const isNew = invitation.id === id;
  if (isMailed && !isNew) await deps.mails.add(invitationMail(invitation, at));
  return { ...invitedUser(deps, invitation), ...(sendMail && { isMailed }), isNew };
}

export const alreadyMember = refusal('already-member', [
  { field: 'email', code: 'already-member', message: 'this user is already a member of the organization' },
]);
const otherIdpId = refusal('invalid-request', [
  {
    field: 'idpId',
    code: 'not-allowed',
    message: 'must be that of the pending invitation: renew it to change it',
  },
]);

/** The part of an invitation that the inviter sees, with the URL. */
export function invitedUser(
  { secrets, links }: Uses<'links.invitation' | 'secrets.invitationToken'>,
  invitation: Invitation,
): InvitedUser {
  return {
    uuid: invitation.userUuid,
    email: invitation.email,
    firstName: invitation.firstName,
    lastName: invitation.lastName,
    invitationUrl: links.invitation(secrets.invitationToken(invitation)),
  };
}
