import { Refusal } from '../errors.js';

/** The refusal for an unknown organization. `field`: the field of the request that holds its id. */
export function organizationNotFound(
  field: 'organization.id' | 'organizationId',
  organizationId: unknown,
): Refusal {
  const message = `there is no organization ${String(organizationId)}`;
  return new Refusal('organization-not-found', [{ field, code: 'unknown', message }]);
}

/** The same as a sentence that names no field. */
export function noSuchOrganization(organizationId: unknown): Refusal {
  return new Refusal('organization-not-found', `There is no organization ${String(organizationId)}`);
}
