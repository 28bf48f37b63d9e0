import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import type { Invitation, InvitationState, NotPending } from './ports.js';

/** The state that follows from the times of the invitation. An accepted one stays accepted. */
export function invitationState(invitation: Invitation): InvitationState {
  if (invitation.acceptedAt !== null) return 'accepted';
  if (invitation.revokedAt !== null) return 'revoked';
  return 'pending';
}

/** Finds the pending invitation of a URL's token. Throws a `Refusal` that says why there is none. */
export async function findPendingInvitation(
  { invitations, secrets }: Uses<'invitations.byId' | 'secrets.readInvitationToken'>,
  token: string,
): Promise<Invitation> {
  const id = secrets.readInvitationToken(token);
  const invitation = id === null ? null : await invitations.byId(id);
  if (invitation === null) throw invitationUnknown();

  const state = invitationState(invitation);
  if (state === 'accepted') throw invitationUsed();
  if (state === 'revoked') throw invitationRevoked();
  return invitation;
}

/** The refusal for an invitation that is not pending. */
export function closedInvitation(why: NotPending): Refusal {
  if (why === 'accepted') return invitationUsed();
  return why === 'revoked' ? invitationRevoked() : invitationUnknown();
}

export function invitationUnknown(): Refusal {
  return new Refusal('invitation-unknown', 'This invitation does not exist');
}

function invitationRevoked(): Refusal {
  return new Refusal('invitation-revoked', 'This invitation was revoked');
}

export function invitationUsed(): Refusal {
  return new Refusal('invitation-used', 'This invitation was accepted already');
}
