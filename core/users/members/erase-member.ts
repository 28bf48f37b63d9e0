import { type Acting, checkActor } from '../../access/acting.js';
import type { Uses } from '../../deps.js';
import { Refusal } from '../../errors.js';
import { erasePerson } from '../erase-person.js';
import { type MemberUuid, memberOf, unknownMember } from './member-of.js';
import { ownerNotRemoved } from './roles.js';

/** The request of `eraseMember`. */
export interface EraseMember extends MemberUuid, Acting {}

/**
 * Ends a membership and removes the person with everything that is stored about them, as `eraseUser` does, for a program
 * of the organization. Only if no other organization has the person, so that none can remove what belongs to another.
 *
 * @throws `Refusal`: `member-not-found`; `is-owner`; `in-other-organization`.
 */
export async function eraseMember(
  deps: Uses<typeof erasePerson | typeof memberOf>,
  { by, ...member }: EraseMember,
): Promise<void> {
  checkActor(by);
  const { organizationId, user } = await memberOf(deps, member);
  const request = { person: { uuid: user.uuid }, mayLeaveNoOwner: false, onlyOf: organizationId };
  const erased = await erasePerson(deps, { ...request, by });
  if (erased === 'unknown') throw unknownMember(deps);
  if (erased === 'is-owner') throw ownerNotRemoved();
  if (erased === 'in-other-organization')
    throw new Refusal(
      'in-other-organization',
      'This account is also used outside this organization, so it cannot be erased here. Remove the user without erase, or ask the operator of this service',
    );
  if ('lastOwnerOf' in erased) throw new Error('a member who is not an owner was the last owner');
}
