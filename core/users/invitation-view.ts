import type { Uses } from '../deps.js';
import { invitationState } from './invitation.js';
import type { Invitation, InvitationState, ListedInvitation } from './ports.js';

export interface InvitationView extends ListedInvitation {
  readonly state: InvitationState;
  /** Contains a secret; null if the invitation is closed. */
  readonly invitationUrl: string | null;
  /** If it was revoked and the address has a current invitation: the UUID in that one; else null. */
  readonly replacedBy: string | null;
}

/** The invitation with its state, its URL and its replacement. */
export function invitationView<Stored extends Invitation>(
  { secrets, links }: Uses<'links.invitation' | 'secrets.invitationToken'>,
  invitation: Stored,
  standing: ReadonlyMap<string, Invitation>,
): Stored & Pick<InvitationView, 'state' | 'invitationUrl' | 'replacedBy'> {
  const state = invitationState(invitation);
  const isPending = state === 'pending';
  const url = isPending ? links.invitation(secrets.invitationToken(invitation)) : null;
  const replacedBy = replacementOf(invitation, standing.get(invitation.email));
  return { ...invitation, state, invitationUrl: url, replacedBy };
}

function replacementOf(invitation: Invitation, standing: Invitation | undefined): string | null {
  const isRevoked = invitationState(invitation) === 'revoked';
  return isRevoked && standing !== undefined ? standing.userUuid : null;
}

/** The current invitations of the addresses of revoked ones, by address: they may have been invited again. */
export async function standingFor(
  { invitations }: Uses<'invitations.standing'>,
  organizationId: number,
  stored: readonly Invitation[],
): Promise<ReadonlyMap<string, Invitation>> {
  const revoked = stored.filter((invitation) => invitationState(invitation) === 'revoked');
  if (revoked.length === 0) return new Map();
  const emails = revoked.map(({ email }) => email);
  const standing = await invitations.standing({ organizationId, emails });
  return new Map(standing.map((invitation) => [invitation.email, invitation]));
}
