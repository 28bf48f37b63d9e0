import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import type { Field } from '../values/problem.js';
import { noSuchOrganization } from './organization-not-found.js';
import type { Organization } from './ports/organizations.js';

interface Change {
  readonly organizationId: number;
  /** What storage has answered. */
  readonly outcome: Organization | 'outdated' | null;
  readonly field: Field;
  /** The value of the field in words. */
  readonly current: (organization: Organization) => string;
}

/** Returns the changed organization. Throws if there is none, or if the caller has not seen its current value. */
export async function changedOrganization(
  { organizations }: Uses<'organizations.byId'>,
  { organizationId, outcome, field, current }: Change,
): Promise<Organization> {
  if (outcome !== null && outcome !== 'outdated') return outcome;
  const stored = outcome === null ? null : await organizations.byId(organizationId);
  if (stored === null) throw noSuchOrganization(organizationId);
  const message = `was changed to ${current(stored)} in the meantime`;
  throw new Refusal('invalid-request', [{ field, code: 'outdated', message }]);
}
