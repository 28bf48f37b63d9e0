import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { checkId, mayBeUuid } from '../../values/ids.js';
import type { DirectoryPerson } from '../ports/directory.js';
import { unknownPerson } from './entry.js';

/** The request of `readProvisioned`. */
export interface ReadProvisioned extends OfOrganization {
  /** The UUID that the organization knows, in any case. */
  readonly uuid: string;
}

/**
 * Reads a person of an organization's directory.
 *
 * @throws `Refusal`: `directory-person-unknown`. `TypeError` if `organization.id` is not an id.
 */
export async function readProvisioned(
  { directory }: Uses<'directory.byUuid'>,
  { organization, uuid }: ReadProvisioned,
): Promise<DirectoryPerson> {
  const organizationId = checkId('organization.id', organization.id);
  const isPossible = mayBeUuid('uuid', uuid);
  const person = isPossible ? await directory.byUuid({ organizationId, uuid: uuid.toLowerCase() }) : null;
  if (person === null) throw unknownPerson();
  return person;
}
