import type { Organization } from '../access/ports.js';
import type { Uses } from '../deps.js';
import { normalizeEmail } from '../values/email.js';
import { findPendingInvitation, invitationUnknown } from './invitation.js';

export interface ReadPendingInvitation {
  readonly token: string;
}

export interface PendingInvitation {
  readonly organization: Pick<Organization, 'id' | 'name'>;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  /** True: the person signs in with the password of the account. False: the person chooses a password. */
  readonly hasAccount: boolean;
  /** Whether the account has a password. Without one, the invitation cannot be accepted until the operator sets one. */
  readonly canSignIn: boolean;
}

/** Reads a pending invitation for its page, without changing anything. */
export async function readPendingInvitation(
  deps: Uses<
    | 'invitations.byId'
    | 'organizations.byId'
    | 'secrets.readInvitationToken'
    | 'users.byEmail'
    | 'users.passwordHash'
  >,
  { token }: ReadPendingInvitation,
): Promise<PendingInvitation> {
  const invitation = await findPendingInvitation(deps, token);
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
