import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';
import type { AccessKey, Organization } from './ports.js';

export interface ReadAccessKey {
  readonly organization: Pick<Organization, 'id'>;
}

/**
 * Returns when the current access key was created and last used, to the minute, or null if there is no key. The key
 * itself is not stored.
 */
export async function readAccessKey(
  { organizations }: Uses<'organizations.accessKey'>,
  { organization }: ReadAccessKey,
): Promise<AccessKey | null> {
  return organizations.accessKey(checkId('organization.id', organization.id));
}
