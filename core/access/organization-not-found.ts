import { Refusal } from '../errors.js';

/** `field`: the name of the request's field that holds the id. */
export function organizationNotFound(field: string, organizationId: unknown): Refusal {
  return new Refusal(
    'organization-not-found',
    `${field}: there is no organization ${String(organizationId)}`,
  );
}
