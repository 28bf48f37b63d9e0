import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { readMember } from '../members/read-member.js';
import type { Identity } from '../ports/identities.js';

/** The request of `readIdentity`. */
export interface ReadIdentity extends OfOrganization {
  /** The member. */
  readonly userId: number;
}

/**
 * Who a member is at the organization's identity provider; null: nobody yet.
 *
 * @throws `Refusal`: `member-not-found`.
 */
export async function readIdentity(
  deps: Uses<'identities.of' | 'members.byUserId'>,
  request: ReadIdentity,
): Promise<Identity | null> {
  const { organizationId, user } = await readMember(deps, request);
  return deps.identities.of({ organizationId, userId: user.id });
}
