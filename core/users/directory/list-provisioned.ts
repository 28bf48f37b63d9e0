import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { checkId } from '../../values/ids.js';
import type { DirectoryPerson } from '../ports/directory.js';

/** The request of `listProvisioned`. */
export interface ListProvisioned extends OfOrganization {
  /** The number of people to skip, from 0. */
  readonly offset: number;
  /** The maximum number of people, from 0. */
  readonly limit: number;
}

/**
 * Lists the people of an organization's directory in an order that does not change, and how many there are.
 *
 * @throws `TypeError` if `organization.id` is not an id.
 */
export async function listProvisioned(
  { directory }: Uses<'directory.list'>,
  { organization, offset, limit }: ListProvisioned,
): Promise<{ readonly total: number; readonly people: readonly DirectoryPerson[] }> {
  const organizationId = checkId('organization.id', organization.id);
  return directory.list({ organizationId, offset, limit });
}
