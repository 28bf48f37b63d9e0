import type { Uses } from '../../deps.js';
import { type ReadMember, readMember } from '../members/read-member.js';
import type { Identity } from '../ports/identities.js';

/** The request of `readIdentity`. */
export type ReadIdentity = ReadMember;

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
