import type { Uses } from '../../deps.js';
import type { Invitation, InvitationState, ListedInvitation } from '../ports/invitations.js';
import { invitationAt, invitationState } from './invitation.js';

/** An invitation with its state, its URL and its replacement. */
export interface InvitationView extends ListedInvitation {
  /** Follows from `acceptedAt` and `revokedAt`; a replaced invitation is `revoked`. */
  readonly state: InvitationState;
  /** Contains a secret; null if the invitation is closed. */
  readonly invitationUrl: string | null;
  /** The UUID of the address's current invitation, if this one is revoked and there is one; else null. */
  readonly replacedBy: string | null;
}

/** Stored invitations as they are now. */
export async function invitationViews<Stored extends Invitation>(
  deps: Uses<'clock.now' | 'invitations.current' | typeof invitationView>,
  organizationId: number,
  stored: readonly Stored[],
): Promise<readonly ViewOf<Stored>[]> {
  const at = deps.clock.now();
  const known = stored.map((invitation) => invitationAt(invitation, at));
  const current = await currentFor(deps, organizationId, known);
  return known.map((invitation) => invitationView(deps, invitation, current));
}

type ViewOf<Stored> = Stored & Pick<InvitationView, 'state' | 'invitationUrl' | 'replacedBy'>;

/** The invitation with its state, its URL and its replacement. */
export function invitationView<Stored extends Invitation>(
  { secrets, links }: Uses<'links.invitation' | 'secrets.invitationToken'>,
  invitation: Stored,
  current: ReadonlyMap<string, Invitation>,
): ViewOf<Stored> {
  const state = invitationState(invitation);
  const isPending = state === 'pending';
  const url = isPending ? links.invitation(secrets.invitationToken(invitation)) : null;
  const replacedBy = replacementOf(invitation, current.get(invitation.email));
  return { ...invitation, state, invitationUrl: url, replacedBy };
}

function replacementOf(invitation: Invitation, current: Invitation | undefined): string | null {
  const isRevoked = invitationState(invitation) === 'revoked';
  return isRevoked && current !== undefined ? current.userUuid : null;
}

/** For the revoked invitations: the current invitation of the same address, if there is one. By address. */
export async function currentFor(
  { invitations, clock }: Uses<'clock.now' | 'invitations.current'>,
  organizationId: number,
  stored: readonly Invitation[],
): Promise<ReadonlyMap<string, Invitation>> {
  const revoked = stored.filter((invitation) => invitationState(invitation) === 'revoked');
  if (revoked.length === 0) return new Map();
  const emails = revoked.map(({ email }) => email);
  const at = clock.now();
  const current = (await invitations.current({ organizationId, emails })).filter(
    (invitation) => invitationState(invitationAt(invitation, at)) !== 'revoked',
  );
  return new Map(current.map((invitation) => [invitation.email, invitation]));
}
