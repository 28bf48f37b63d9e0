import type { Who } from '../../access/ports/audit-trail.js';
import type { Invitation, InvitedRole } from '../ports/invitations.js';

/**
 * The role that the invitation gives to the person who accepts it now. An inviter who may no longer give roles invites as
 * a member. `isOwner`: whether the inviter is an owner of the organization.
 */
export function givenRole(
  { role, invitedBy }: Pick<Invitation, 'role' | 'invitedBy'>,
  isOwner: boolean,
): InvitedRole {
  return mayGiveRoles(invitedBy, isOwner) ? role : 'member';
}

/**
 * Owners may give roles by inviting, and so may programs that embed the core or that the operator runs. Access keys
 * and directories invite members only.
 */
export function mayGiveRoles(who: Who | null, isOwner: boolean): boolean {
  if (who === null || who.kind === 'access-key' || who.kind === 'directory') return false;
  return who.kind !== 'user' || isOwner;
}
