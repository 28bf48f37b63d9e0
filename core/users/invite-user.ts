import { Refusal } from '../errors.js';
import type { Organization } from '../ports.js';
import type { World } from '../world.js';
import { checkPerson, type Person } from './person.js';

export interface InviteUser extends Person {
  readonly organization: Pick<Organization, 'id'>;
}

export interface InvitedUser extends Person {
  /** The UUID under which the organization will know the user. */
  readonly uuid: string;
  /** Holds a secret: whoever has it can accept for a new person. */
  readonly invitationUrl: string;
}

/** Invites somebody; a pending invitation comes back as it was first stored (section 4.2). */
export async function inviteUser(
  {
    invitations,
    secrets,
    ids,
    clock,
    settings,
  }: Pick<World, 'invitations' | 'secrets' | 'ids' | 'clock' | 'settings'>,
  { organization, ...person }: InviteUser,
): Promise<InvitedUser> {
  const invitation = await invitations.pendingOr({
    ...checkPerson(person),
    id: ids.uuid(),
    keyId: secrets.keyId,
    organizationId: organization.id,
    userUuid: ids.uuid(),
    createdAt: clock.now(),
  });
  if (invitation === 'already-member') {
    throw new Refusal('already-member', 'email: this user is already a member of the organization');
  }

  return {
    uuid: invitation.userUuid,
    email: invitation.email,
    firstName: invitation.firstName,
    lastName: invitation.lastName,
    invitationUrl: settings.links.invitation(secrets.invitationToken(invitation)),
  };
}
