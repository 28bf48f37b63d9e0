import type { Uses } from '../deps.js';
import { refuseAny } from '../values/problems.js';
import { textProblem } from '../values/text.js';
import type { Organization } from './ports.js';

export interface CreateOrganization {
  readonly name: string;
  readonly eap: boolean;
}

/** Adds an organization without an access key. */
export async function createOrganization(
  { organizations }: Uses<'organizations.create'>,
  { name, eap }: CreateOrganization,
): Promise<Organization> {
  refuseAny([textProblem('name', name, { maxCharacters: 300 })]);
  return organizations.create({ name, eap });
}
