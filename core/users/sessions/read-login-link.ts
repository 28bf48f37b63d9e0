import type { Uses } from '../../deps.js';
import { Refusal } from '../../errors.js';
import { findUsableLoginLink } from './login-link.js';

/** The request of `readLoginLink`. */
export interface ReadLoginLink {
  /** The token from the link's URL, as received. */
  readonly token: string;
}

/**
 * Reads a login link for its page, without redeeming it.
 *
 * @throws `Refusal`: `login-link-unknown`, `login-link-used`, `login-link-expired`.
 */
export async function readLoginLink(
  deps: Uses<'organizations.byId' | typeof findUsableLoginLink>,
  { token }: ReadLoginLink,
): Promise<{ readonly organizationName: string }> {
  const { link } = await findUsableLoginLink(deps, token);
  const organization = await deps.organizations.byId(link.organizationId);
  if (organization === null) throw new Refusal('login-link-unknown', 'This login link does not exist');
  return { organizationName: organization.name };
}
