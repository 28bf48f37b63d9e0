import { type Acting, checkActor } from '../access/acting.js';
import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { erasePerson } from './erase-person.js';
import { noSuchPerson } from './person.js';
import { personKeys } from './personal-data.js';
import type { ErasedPerson, PersonKey } from './ports/personal-data.js';

/** The request of `eraseUser`: an address in any case, or a UUID. */
export type EraseUser = PersonKey &
  Acting & {
    /** Whether an organization may be left without an owner; false by default. */
    readonly force?: boolean | undefined;
  };

/**
 * Removes a person from every organization, with everything that is stored about them. Events, deliveries and audit
 * entries stay without the person. For the operator, because it also changes other organizations.
 *
 * @throws `Refusal`: `user-not-found` if nothing is stored about such a person; `last-owner`, which names the
 * organizations that would be left without an owner, unless `force` is true.
 */
export async function eraseUser(
  deps: Uses<typeof erasePerson>,
  { by, force = false, ...request }: EraseUser,
): Promise<ErasedPerson> {
  checkActor(by);
  for (const person of personKeys(request)) {
    const erased = await erasePerson(deps, { person, mayLeaveNoOwner: force, by });
    if (typeof erased === 'object' && 'lastOwnerOf' in erased) throw lastOwner(erased.lastOwnerOf);
    if (typeof erased === 'object') return erased;
    if (erased !== 'unknown') throw new Error(`nothing was erased: ${erased}`);
  }
  throw noSuchPerson(request);
}

function lastOwner(organizationIds: readonly number[]): Refusal {
  const which =
    organizationIds.length === 1
      ? `organization ${organizationIds[0]}`
      : `organizations ${organizationIds.join(', ')}`;
  return new Refusal('last-owner', `This is the last owner of ${which}. Make someone else an owner first`);
}
