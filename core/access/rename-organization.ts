import type { Uses } from '../deps.js';
import { mayBeId } from '../values/ids.js';
import { refuseAny } from '../values/problems.js';
import { type Acting, checkActor } from './acting.js';
import { auditEntries } from './audit-entries.js';
import { changedOrganization } from './changed-or-outdated.js';
import type { OfOrganization } from './of-organization.js';
import { organizationNameProblem } from './organization-name.js';
import { noSuchOrganization } from './organization-not-found.js';
import type { Organization } from './ports/organizations.js';

/** The request of `renameOrganization`. */
export interface RenameOrganization extends OfOrganization, Acting {
  /** The new name: one line of at most 300 characters. */
  readonly name: string;
  /** The name that the caller has seen. Refused if the organization has another one by now. Left out: any. */
  readonly replaces?: string | undefined;
}

/**
 * Changes the name of an organization, everywhere where it is shown from now on. The name that it already has is not in
 * the audit trail again. Events that were made before keep the name of that time.
 *
 * @throws `Refusal`: `invalid-request` if the name is not one line of at most 300 characters, or if the organization has
 * neither the name `replaces` nor already `name`; `organization-not-found`.
 */
export async function renameOrganization(
  { organizations, clock }: Uses<'clock.now' | 'organizations.byId' | 'organizations.rename'>,
  { organization: { id: organizationId }, name, replaces, by }: RenameOrganization,
): Promise<Organization> {
  checkActor(by);
  if (!mayBeId('organization.id', organizationId)) throw noSuchOrganization(organizationId);
  refuseAny([organizationNameProblem(name)]);
  const at = clock.now();
  const outcome = await organizations.rename({ organizationId, name, replaces }, ({ before }) => {
    if (before.name === name) return [];
    const subject = `${before.name} → ${name}`;
    return auditEntries({ by, at }, { organizationId, action: 'organization-renamed', subject });
  });
  const current = (organization: Organization) => organization.name;
  return changedOrganization({ organizations }, { organizationId, outcome, field: 'name', current });
}
