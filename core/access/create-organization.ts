import type { Uses } from '../deps.js';
import { refuseAny } from '../values/problems.js';
import { type Acting, checkActor } from './acting.js';
import { auditEntries } from './audit-entries.js';
import { organizationNameProblem } from './organization-name.js';
import type { Organization } from './ports/organizations.js';

/** The request of `createOrganization`. */
export interface CreateOrganization extends Pick<Organization, 'name' | 'eap'>, Acting {}

/**
 * Adds an organization without an access key.
 *
 * @throws `Refusal`: `invalid-request` if the name is not one line of at most 300 characters.
 */
export async function createOrganization(
  { organizations, clock }: Uses<'clock.now' | 'organizations.create'>,
  { name, eap, by }: CreateOrganization,
): Promise<Organization> {
  checkActor(by);
  refuseAny([organizationNameProblem(name)]);
  const at = clock.now();
  return organizations.create({ name, eap }, ({ id: organizationId }) =>
    auditEntries({ by, at }, { organizationId, action: 'organization-created', subject: name }),
  );
}
