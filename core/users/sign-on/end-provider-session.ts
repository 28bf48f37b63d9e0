import type { Uses } from '../../deps.js';
import { Refusal } from '../../errors.js';
import { isFailure, providerOf, refusalOf, signOnOf } from './sign-on.js';

/** The request of `endProviderSession`. */
export interface EndProviderSession {
  /** The organization as the URL names it. */
  readonly organizationId: number;
  /** The logout token, as received. */
  readonly token: string;
}

/**
 * Ends the sessions that sign-on started for a person or a session at the organization's identity provider, when the
 * provider says that they have signed out there. A person who is not known has no sessions.
 *
 * @throws `Refusal`: `sign-on-off`; `logout-token-invalid`; `sign-on-unreachable` if the keys of the provider cannot be
 * read. `Error` if `links.signOn` is not set.
 */
export async function endProviderSession(
  deps: Uses<
    | 'identities.bySubject'
    | 'identityProvider.readLogout'
    | 'links.signOn'
    | 'secrets.decrypt'
    | 'sessions.endSignedOn'
    | 'signOns.of'
  >,
  { organizationId, token }: EndProviderSession,
): Promise<void> {
  const signOn = await signOnOf(deps, organizationId);
  const { identityProvider, settings } = providerOf(deps, signOn);
  const logout = await identityProvider.readLogout(settings, token);
  if (isFailure(logout)) {
    if (logout.failure === 'unreachable') throw refusalOf(logout);
    throw new Refusal('logout-token-invalid', logout.reason);
  }
  const { subject, sid } = logout;
  const { issuer } = signOn;
  const identity =
    subject === null ? null : await deps.identities.bySubject({ organizationId, issuer, subject });
  if (subject !== null && identity === null) return;
  await deps.sessions.endSignedOn({ organizationId, sid, userId: identity?.userId ?? null });
}
