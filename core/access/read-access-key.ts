import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';
import type { OfOrganization } from './of-organization.js';
import type { AccessKey } from './ports/organizations.js';

/** The request of `readAccessKey`. */
export type ReadAccessKey = OfOrganization;

/**
 * Returns when the current access key was created and last used, to the minute, with its name and last digits, or null if
 * there is no key. The key itself is not stored.
 *
 * @throws `TypeError` if `organization.id` is not an id.
 */
export async function readAccessKey(
  { organizations, clock }: Uses<'clock.now' | 'organizations.accessKey'>,
  { organization }: ReadAccessKey,
): Promise<AccessKey | null> {
  const accessKey = await organizations.accessKey(checkId('organization.id', organization.id));
  const isOver = accessKey?.previous != null && accessKey.previous.until <= clock.now();
  return accessKey !== null && isOver ? { ...accessKey, previous: null } : accessKey;
}
