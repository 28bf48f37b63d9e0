import type { Organization } from '@rollcall/core';
import { oneLine } from '@rollcall/core/adapters';
import type { CommandContext } from '../command-context.js';
import { Failure } from '../failure.js';

/** The organization that a command names. */
export async function organizationOf(
  { ports }: CommandContext,
  organizationId: number,
): Promise<Organization> {
  const organization = await ports.organizations.byId(organizationId);
  if (organization === null) throw new Failure(`There is no organization ${organizationId}`);
  return { ...organization, name: oneLine(organization.name) };
}
