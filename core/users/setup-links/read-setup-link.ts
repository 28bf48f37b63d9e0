import type { Uses } from '../../deps.js';
import { findUsableSetupLink, setupLinkUnknown } from './setup-link.js';

/** The request of `readSetupLink`. */
export interface ReadSetupLink {
  /** The token from the link's URL, as received. */
  readonly token: string;
}

/**
 * Reads a set-up link for its page, without opening it.
 *
 * @throws `Refusal`: `setup-link-unknown`, also if it has ended.
 */
export async function readSetupLink(
  deps: Uses<'organizations.byId' | typeof findUsableSetupLink>,
  { token }: ReadSetupLink,
): Promise<{ readonly organizationName: string }> {
  const { link } = await findUsableSetupLink(deps, token);
  const organization = await deps.organizations.byId(link.organizationId);
  if (organization === null) throw setupLinkUnknown();
  return { organizationName: organization.name };
}
