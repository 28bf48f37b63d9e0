import { Refusal } from '@rollcall/core';

/** The number of the organization in a path. Throws a `Refusal` if no organization can have it. */
export function organizationNumber(text = ''): number {
  if (/^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw new Refusal('organization-not-found', 'There is no organization with this number');
}
