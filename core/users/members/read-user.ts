import type { Uses } from '../../deps.js';
import type { Member } from '../ports/members.js';
import { type MemberUuid, memberOf } from './member-of.js';

/** The request of `readUser`. */
export interface ReadUser extends MemberUuid {}

/**
 * Reads the member whom the organization knows under this UUID.
 *
 * @throws `Refusal`: `member-not-found`.
 */
export async function readUser(deps: Uses<typeof memberOf>, request: ReadUser): Promise<Member> {
  return memberOf(deps, request);
}
