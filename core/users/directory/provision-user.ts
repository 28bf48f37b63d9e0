import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { checkId } from '../../values/ids.js';
import type { DirectoryEntry, DirectoryPerson } from '../ports/directory.js';
import { checkEntry } from './entry.js';
import { writePerson } from './write-person.js';

/** The request of `provisionUser`. */
export interface ProvisionUser extends OfOrganization {
  /** As the directory sent it. */
  readonly entry: DirectoryEntry;
  /** The IP address of the request, for the audit trail. */
  readonly from: string;
}

/**
 * Adds a person for an organization's directory, as `Directory.create` says. A new membership makes one event.
 *
 * @throws `Refusal`: `invalid-request` with every problem of the entry; `directory-taken`; `last-owner` and
 * `directory-not-written` if the entry is inactive and is that of a member. `TypeError` if `organization.id` is not an id.
 */
export async function provisionUser(
  deps: Uses<'directory.create' | typeof writePerson>,
  { organization, entry, from }: ProvisionUser,
): Promise<DirectoryPerson> {
  const organizationId = checkId('organization.id', organization.id);
  const written = checkEntry(entry, null);
  return writePerson(deps, { organizationId, from }, ({ at, ids, journal }) =>
    deps.directory.create({ ...written, organizationId, at, ids }, journal),
  );
}
