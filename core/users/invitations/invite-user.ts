import type { Uses } from '../../deps.js';
import { type Invited, type InviteUser, invite } from './invite.js';

/**
 * Invites a person by email address. If an invitation is already pending, returns that one as it was first stored; it
 * gets the `idpId` if it has none. `isNew`: the invitation was not pending before.
 *
 * @throws `Refusal`: `invalid-request` with every problem of the person, the role and the days, or if the `idpId` belongs
 * to another member or pending invitation, or the pending invitation has another one; `organization-not-found`;
 * `already-member`.
 */
export async function inviteUser(deps: Uses<typeof invite>, request: InviteUser): Promise<Invited> {
  return invite(deps, request);
}
