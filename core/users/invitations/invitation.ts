import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { type Refusal, refusal } from '../../errors.js';
import { mayBeId, mayBeUuid } from '../../values/ids.js';
import type { Invitation, InvitationState, ListedState } from '../ports/invitations.js';
import { hasExpired } from './expiry.js';

/** The state that follows from the times of the invitation. An accepted one stays accepted. */
export function invitationState(invitation: Invitation): InvitationState {
  if (invitation.acceptedAt !== null) return 'accepted';
  if (invitation.revokedAt !== null) return 'revoked';
  return 'pending';
}

/** The invitation as it is at the time: once it has expired, it is revoked, though that may not be stored yet. */
export function invitationAt<Known extends Invitation>(invitation: Known, at: Date): Known {
  const { expiresAt } = invitation;
  const isOver = invitationState(invitation) === 'pending' && expiresAt !== null && expiresAt <= at;
  return isOver ? { ...invitation, revokedAt: expiresAt } : invitation;
}

export function isPendingAt(invitation: Invitation, at: Date): boolean {
  return invitationState(invitationAt(invitation, at)) === 'pending';
}

/** Finds the pending invitation of a URL's token. Throws a `Refusal` that says why there is none. */
export async function findPendingInvitation(
  { invitations, secrets, clock }: Uses<'clock.now' | 'invitations.byId' | 'secrets.readInvitationToken'>,
  token: string,
): Promise<Invitation> {
  const id = secrets.readInvitationToken(token);
  const found = id === null ? null : await invitations.byId(id);
  if (found === null) throw closedInvitation('unknown');

  const invitation = invitationAt(found, clock.now());
  const state = invitationState(invitation);
  if (state === 'revoked' && hasExpired(invitation)) throw closedInvitation('expired');
  if (state !== 'pending') throw closedInvitation(state);
  return invitation;
}

const refusals = {
  unknown: refusal('invitation-unknown', 'This invitation does not exist'),
  accepted: refusal('invitation-used', 'This invitation was accepted already'),
  expired: refusal('invitation-expired', 'This invitation has expired'),
  revoked: refusal('invitation-revoked', 'This invitation was revoked'),
  replaced: refusal('invitation-revoked', 'This invitation was replaced by a newer one'),
};

/** The refusal for an invitation that is not pending. */
export function closedInvitation(why: keyof typeof refusals): Refusal {
  return refusals[why]();
}

/** Names an invitation of the organization. */
export type InvitationKey =
  /** Its `id`, a UUID in any case. A renewed invitation has another one. */
  | { readonly invitationId: string }
  /** The UUID that `inviteUser` returned, in any case. It stays the same when the invitation is renewed. */
  | { readonly uuid: string };

/** The `id` of the invitation. Throws `invitation-unknown` if there is none. */
export async function invitationIdOf(
  { invitations }: Uses<'invitations.byUserUuid'>,
  { organization: { id: organizationId }, ...key }: OfOrganization & InvitationKey,
): Promise<string> {
  const uuid = 'uuid' in key ? key.uuid : key.invitationId;
  if (
    !mayBeId('organization.id', organizationId) ||
    !mayBeUuid('uuid' in key ? 'uuid' : 'invitationId', uuid)
  )
    throw closedInvitation('unknown');
  if (!('uuid' in key)) return uuid.toLowerCase();
  const found = await invitations.byUserUuid({ organizationId, uuid: uuid.toLowerCase() });
  if (found === null) throw closedInvitation('unknown');
  return found.id;
}

/** The maximum number of people in one call. */
export const maxInvitationLines = 500;

/** Every state of a list. */
export const listedStates: readonly ListedState[] = ['pending', 'accepted', 'revoked', 'replaced'];
