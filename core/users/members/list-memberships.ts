import type { Uses } from '../../deps.js';
import { checkId } from '../../values/ids.js';
import type { Membership } from '../ports/members.js';

/** The request of `listMemberships`. */
export interface ListMemberships {
  /** The user of the session that `resumeSession` returned. */
  readonly userId: number;
}

/**
 * Lists the user's organizations with the role in each, by organization id.
 *
 * @throws `TypeError` if `userId` is not an id.
 */
export async function listMemberships(
  { members }: Uses<'members.ofUser'>,
  { userId }: ListMemberships,
): Promise<readonly Membership[]> {
  return members.ofUser(checkId('userId', userId));
}
