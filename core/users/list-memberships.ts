import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';
import type { Membership } from './ports.js';

export interface ListMemberships {
  readonly userId: number;
}

/** Lists the user's organizations with the role in each, by organization id. */
export async function listMemberships(
  { members }: Uses<'members.ofUser'>,
  { userId }: ListMemberships,
): Promise<readonly Membership[]> {
  return members.ofUser(checkId('userId', userId));
}
