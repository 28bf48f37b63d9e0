import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { findUsableLoginLink } from './login-link.js';

export interface ReadLoginLink {
  readonly token: string;
}

/** Reads a login link for its page, without redeeming it. */
export async function readLoginLink(
  deps: Uses<
    'clock.now' | 'loginLinks.find' | 'members.byUserId' | 'organizations.byId' | 'secrets.tokenHash'
  >,
  { token }: ReadLoginLink,
): Promise<{ readonly organizationName: string }> {
  const { link } = await findUsableLoginLink(deps, token);
  const organization = await deps.organizations.byId(link.organizationId);
  if (organization === null) throw new Refusal('login-link-unknown', 'This login link does not exist');
  return { organizationName: organization.name };
}
