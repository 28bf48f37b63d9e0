import { Refusal } from '../errors.js';

/** `field`: the field of the request that holds the id. */
export function organizationNotFound(
  field: 'organization.id' | 'organizationId',
  organizationId: unknown,
): Refusal {
  const message = `there is no organization ${String(organizationId)}`;
  return new Refusal('organization-not-found', [{ field, code: 'unknown', message }]);
}
