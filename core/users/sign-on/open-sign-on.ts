import type { Uses } from '../../deps.js';
import { signOnOf, signOnOff } from './sign-on.js';

/** The request of `openSignOn`. */
export interface OpenSignOn {
  /** The organization as the URL of the page names it. */
  readonly organizationId: number;
  /** The issuer whose page has sent the person here, as received. Left out or null: none. */
  readonly issuer?: string | null | undefined;
}

/**
 * Where people of an organization sign in. It is for everyone, so it tells nothing but the host, to which `beginSignOn` leads
 * everyone.
 *
 * @throws `Refusal`: `sign-on-off`, also for another issuer than that of the organization.
 */
export async function openSignOn(
  deps: Uses<'signOns.of'>,
  { organizationId, issuer = null }: OpenSignOn,
): Promise<{ readonly host: string }> {
  const signOn = await signOnOf(deps, organizationId);
  if (issuer !== null && issuer !== signOn.issuer) throw signOnOff();
  return { host: new URL(signOn.issuer).host };
}
