import { type Acting, actorOf, checkActor } from '../access/actor.js';
import { auditEntries } from '../access/audit-entries.js';
import type { OfOrganization } from '../access/of-organization.js';
import { organizationNotFound } from '../access/organization-not-found.js';
import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { isId } from '../values/ids.js';
import { checkPerson } from './person.js';
import type { Invitation, Person } from './ports.js';

/** The request of `inviteUser`. */
export interface InviteUser extends OfOrganization, Person, Acting {}

/** A pending invitation as the inviter sees it. */
export interface InvitedUser extends Person {
  /** The UUID under which the organization will know the user. */
  readonly uuid: string;
  /** Contains a secret: anyone who has the URL of a new person can accept the invitation. */
  readonly invitationUrl: string;
}

/**
 * Invites a person by email address. If an invitation is already pending, returns that one as it was first stored.
 *
 * @throws `Refusal`: `invalid-request` with every problem of the person, `organization-not-found`, `already-member`.
 */
export async function inviteUser(
  deps: Uses<
    | 'clock.now'
    | 'ids.uuid'
    | 'invitations.findOrCreatePending'
    | 'links.invitation'
    | 'secrets.invitationToken'
    | 'secrets.keyId'
  >,
  { organization: { id: organizationId }, by, ...person }: InviteUser,
): Promise<InvitedUser> {
  const { invitations, secrets, ids, clock } = deps;
  checkActor(by);
  const checked = checkPerson(person);
  if (!isId(organizationId)) throw organizationNotFound('organization.id', organizationId);
  const at = clock.now();
  const invitation = await invitations.findOrCreatePending(
    {
      ...checked,
      id: ids.uuid(),
      keyId: secrets.keyId,
      organizationId,
      userUuid: ids.uuid(),
      createdAt: at,
      invitedBy: actorOf({ by }).who,
    },
    ({ email }) => auditEntries({ by, at }, { organizationId, action: 'user-invited', subject: email }),
  );
  if (invitation === 'already-member') throw alreadyMember();
  if (invitation === 'unknown-organization') throw organizationNotFound('organization.id', organizationId);
  return invitedUser(deps, invitation);
}

export function alreadyMember(): Refusal {
  return new Refusal('already-member', [
    { field: 'email', code: 'already-member', message: 'this user is already a member of the organization' },
  ]);
}

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
