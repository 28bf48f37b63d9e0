import type { Uses } from '../../deps.js';
import { checkId, mayBeUuid } from '../../values/ids.js';
import type { DirectoryEntry, DirectoryPerson } from '../ports/directory.js';
import { checkEntry, unknownPerson } from './entry.js';
import type { RemoveProvisioned } from './remove-provisioned.js';
import { writePerson } from './write-person.js';

/** The request of `changeProvisioned`. */
export interface ChangeProvisioned extends RemoveProvisioned {
  /** The new entry, from the one before. May be called more than once. */
  readonly change: (before: DirectoryEntry) => DirectoryEntry;
}

/**
 * Replaces what an organization's directory says about a person, and deactivates or reactivates them. Deactivated, the
 * person is no member: their sessions, login links and calendar feed in the organization end with the membership, in one
 * transaction. Reactivated, they have the same UUID, role and time of joining, without an event. A last owner is only
 * signed out.
 *
 * @throws `Refusal`: `directory-person-unknown`; `invalid-request` with every problem of what changes; `directory-taken`;
 * `last-owner`; `directory-not-written` for an admin or owner whom the directory has never written. What `change` throws.
 * `TypeError` if `organization.id` is not an id.
 */
export async function changeProvisioned(
  deps: Uses<'directory.change' | typeof writePerson>,
  { organization, uuid, change, from }: ChangeProvisioned,
): Promise<DirectoryPerson> {
  const organizationId = checkId('organization.id', organization.id);
  if (!mayBeUuid('uuid', uuid)) throw unknownPerson();
  const decide = (before: DirectoryPerson) => checkEntry(change(before), before);
  return writePerson(deps, { organizationId, from }, ({ at, ids, journal }) =>
    deps.directory.change({ organizationId, uuid: uuid.toLowerCase(), at, ids }, decide, journal),
  );
}
