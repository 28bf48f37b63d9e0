import type { Organization } from '../access/ports.js';
import type { Deps } from '../deps.js';
import { Refusal } from '../errors.js';
import { normalizeEmail } from '../values/email.js';
import type { Invitation, InvitationState, NotPending } from './ports.js';

export function invitationState(invitation: Invitation): InvitationState {
  if (invitation.acceptedAt !== null) return 'accepted';
  if (invitation.revokedAt !== null) return 'revoked';
  return 'pending';
}

/** The pending invitation that a URL's token stands for; says why there is none. */
export async function pendingInvitation(
  { invitations, secrets }: Pick<Deps, 'invitations' | 'secrets'>,
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

/** Says why an invitation is not pending any more, or never was. */
export function closedInvitation(why: NotPending): Refusal {
  if (why === 'accepted') return invitationUsed();
  return why === 'revoked' ? invitationRevoked() : invitationUnknown();
}

function invitationUnknown(): Refusal {
  return new Refusal('invitation-unknown', 'This invitation does not exist');
}

function invitationRevoked(): Refusal {
  return new Refusal('invitation-revoked', 'This invitation was revoked');
}

export function invitationUsed(): Refusal {
  return new Refusal('invitation-used', 'This invitation was accepted already');
}

export interface ReadPendingInvitation {
  readonly token: string;
}

export interface PendingInvitation {
  readonly organization: Pick<Organization, 'id' | 'name'>;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  /** Whoever has an account signs in with its password; a new person chooses one. */
  readonly hasAccount: boolean;
  /** Whether the account has a password. Without one nobody can accept until the operator has set one. */
  readonly canSignIn: boolean;
}

/** What the page of an invitation shows; changes nothing. */
export async function readPendingInvitation(
  deps: Pick<Deps, 'invitations' | 'secrets' | 'organizations' | 'users'>,
  { token }: ReadPendingInvitation,
): Promise<PendingInvitation> {
  const invitation = await pendingInvitation(deps, token);
  const organization = await deps.organizations.byId(invitation.organizationId);
  if (organization === null) throw invitationUnknown();

  const account = await deps.users.byEmail(normalizeEmail(invitation.email));
  const passwordHash = account === null ? null : await deps.users.passwordHash(account.id);
  return {
    organization: { id: organization.id, name: organization.name },
    email: invitation.email,
    firstName: invitation.firstName,
    lastName: invitation.lastName,
    hasAccount: account !== null,
    canSignIn: passwordHash !== null,
  };
}
