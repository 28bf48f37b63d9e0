import type { Organization } from '../../access/ports/organizations.js';
import type { Uses } from '../../deps.js';
import { normalizeEmail } from '../../values/email.js';
import type { InvitedRole } from '../ports/invitations.js';
import type { Person } from '../user.js';
import { givenRole } from './given-role.js';
import { closedInvitation, findPendingInvitation } from './invitation.js';

/** The request of `readPendingInvitation`. */
export interface ReadPendingInvitation {
  /** The token from the invitation's URL, as received. */
  readonly token: string;
}

/** What the page of an invitation shows. The name is the one that the inviter gave. */
export interface PendingInvitation extends Person {
  /** The organization that the person is invited to. */
  readonly organization: Pick<Organization, 'id' | 'name'>;
  /** True: the person signs in with the password of the account. False: the person chooses a password. */
  readonly hasAccount: boolean;
  /** The role that the person gets by accepting now. */
  readonly role: InvitedRole;
  /** The person who invited; null: a program did, or they are no longer known. */
  readonly inviter: Pick<Person, 'firstName' | 'lastName'> | null;
  /** Null: it does not expire. */
  readonly expiresAt: Date | null;
  /** Whether the account has a password. Without one, the invitation cannot be accepted until the operator sets one. */
  readonly canSignIn: boolean;
}

/**
 * Reads a pending invitation for its page, without changing anything.
 *
 * @throws `Refusal`: `invitation-unknown`, `invitation-used`, `invitation-revoked`, `invitation-expired`.
 */
export async function readPendingInvitation(
  deps: Uses<
    | 'invitations.inviter'
    | 'organizations.byId'
    | 'users.byEmail'
    | 'users.passwordHash'
    | typeof findPendingInvitation
  >,
  { token }: ReadPendingInvitation,
): Promise<PendingInvitation> {
  const invitation = await findPendingInvitation(deps, token);
  const organization = await deps.organizations.byId(invitation.organizationId);
  if (organization === null) throw closedInvitation('unknown');

  const account = await deps.users.byEmail(normalizeEmail(invitation.email));
  const passwordHash = account === null ? null : await deps.users.passwordHash(account.id);
  const inviter = await deps.invitations.inviter(invitation);
  return {
    organization: { id: organization.id, name: organization.name },
    email: invitation.email,
    firstName: invitation.firstName,
    lastName: invitation.lastName,
    role: givenRole(invitation, inviter?.isOwner === true),
    inviter: inviter && { firstName: inviter.firstName, lastName: inviter.lastName },
    expiresAt: invitation.expiresAt,
    hasAccount: account !== null,
    canSignIn: passwordHash !== null,
  };
}
