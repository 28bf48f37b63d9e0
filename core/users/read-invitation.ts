import type { Organization } from '../ports.js';
import { isUuid } from '../values/ids.js';
import type { World } from '../world.js';
import { closedInvitation } from './invitation.js';
import { type ShownInvitation, showInvitation, standingFor } from './list-invitations.js';

export interface ReadInvitation {
  readonly organization: Pick<Organization, 'id'>;
  /** The UUID of the person that the organization was told, which outlives a renewal. */
  readonly uuid: string;
}

/** The invitation in which the organization was told this UUID, whatever became of it. */
export async function readInvitation(
  world: Pick<World, 'invitations' | 'secrets' | 'settings'>,
  { organization: { id: organizationId }, uuid }: ReadInvitation,
): Promise<Omit<ShownInvitation, 'inviter'>> {
  const key = { organizationId, uuid: uuid.toLowerCase() };
  const invitation = isUuid(uuid) ? await world.invitations.byUserUuid(key) : null;
  if (invitation === null) throw closedInvitation('unknown');
  const standing = await standingFor(world.invitations, organizationId, [invitation]);
  return showInvitation(world, invitation, standing);
}
