import type { AccessKey, Organization } from '../ports.js';
import type { World } from '../world.js';

export interface ReadAccessKey {
  readonly organization: Pick<Organization, 'id'>;
}

/** When the current access key was made and last used, to a minute; null: there is none. The key itself is nowhere. */
export async function readAccessKey(
  { organizations }: Pick<World, 'organizations'>,
  { organization }: ReadAccessKey,
): Promise<AccessKey | null> {
  return organizations.accessKey(organization.id);
}
