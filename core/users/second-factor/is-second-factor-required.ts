import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { checkId } from '../../values/ids.js';

/**
 * Whether the organization requires a second factor of its owners and admins.
 *
 * @throws `TypeError` if `organization.id` is not an id.
 */
export async function isSecondFactorRequired(
  { secondFactors }: Uses<'secondFactors.isRequired'>,
  { organization }: OfOrganization,
): Promise<boolean> {
  return secondFactors.isRequired(checkId('organization.id', organization.id));
}
