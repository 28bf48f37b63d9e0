import type { Uses } from '../deps.js';
import { refuseAny } from '../values/problems.js';
import { textProblem } from '../values/text.js';
import type { Organization } from './ports.js';

/** The request of `createOrganization`. */
export type CreateOrganization = Pick<Organization, 'name' | 'eap'>;

/**
 * Adds an organization without an access key.
 *
 * @throws `Refusal`: `invalid-request` if the name is not one line of at most 300 characters.
 */
export async function createOrganization(
  { organizations }: Uses<'organizations.create'>,
  { name, eap }: CreateOrganization,
): Promise<Organization> {
  refuseAny([textProblem('name', name, { maxCharacters: 300 })]);
  return organizations.create({ name, eap });
}
