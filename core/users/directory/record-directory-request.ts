import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { checkId } from '../../values/ids.js';
import type { DirectoryRequest } from '../ports/directory.js';

/** The request of `recordDirectoryRequest`. */
export type RecordDirectoryRequest = OfOrganization & Omit<DirectoryRequest, 'at' | 'organizationId'>;

/**
 * Records a request of an organization's directory, for its owners. The newest 200 are kept.
 *
 * @throws `TypeError` if `organization.id` is not an id.
 */
export async function recordDirectoryRequest(
  { directory, clock }: Uses<'clock.now' | 'directory.record'>,
  { organization, method, status, reason, uuid }: RecordDirectoryRequest,
): Promise<void> {
  const organizationId = checkId('organization.id', organization.id);
  await directory.record({ organizationId, at: clock.now(), method, status, reason, uuid });
}
