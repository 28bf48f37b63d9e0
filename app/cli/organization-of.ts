import type { Organization } from '@rollcall/core';
import { names } from '../container.js';
import { Failure } from '../failure.js';
import type { Open } from './with-core.js';

/** The organization that a command names. */
export async function organizationOf({ assembly }: Open, organizationId: number): Promise<Organization> {
  const organization = await assembly.get(names.ports).organizations.byId(organizationId);
  if (organization === null) throw new Failure(`There is no organization ${organizationId}`);
  return organization;
}
