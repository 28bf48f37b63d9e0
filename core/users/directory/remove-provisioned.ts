import type { Uses } from '../../deps.js';
import { checkId, mayBeUuid } from '../../values/ids.js';
import type { DirectoryPerson } from '../ports/directory.js';
import { unknownPerson } from './entry.js';
import type { ReadProvisioned } from './read-provisioned.js';
import { writePerson } from './write-person.js';

/** The request of `removeProvisioned`. */
export interface RemoveProvisioned extends ReadProvisioned {
  /** The IP address of the request, for the audit trail. */
  readonly from: string;
}

/**
 * Ends the membership of a person for good, and forgets what the organization's directory says about them.
 *
 * @throws `Refusal`: `directory-person-unknown`, `last-owner`, `directory-not-written`, as `changeProvisioned`. `TypeError`
 * if `organization.id` is not an id.
 */
export async function removeProvisioned(
  deps: Uses<'directory.remove' | typeof writePerson>,
  { organization, uuid, from }: RemoveProvisioned,
): Promise<DirectoryPerson> {
  const organizationId = checkId('organization.id', organization.id);
  if (!mayBeUuid('uuid', uuid)) throw unknownPerson();
  return writePerson(deps, { organizationId, from }, ({ at, journal }) =>
    deps.directory.remove({ organizationId, uuid: uuid.toLowerCase(), at }, journal),
  );
}
