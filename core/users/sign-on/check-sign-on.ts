import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import type { ProviderFailure, ProviderOffer } from '../ports/identity-provider.js';
import { providerOf, settingsOf } from './sign-on.js';

/** The request of `checkSignOn`. */
export type CheckSignOn = OfOrganization;

/**
 * Asks the organization's identity provider what it offers, or returns why it could not be asked. Works also while sign-on
 * is off.
 *
 * @throws `Refusal`: `sign-on-off` if there are no settings. `Error` if `links.signOn` is not set.
 */
export async function checkSignOn(
  deps: Uses<'identityProvider.check' | 'links.signOn' | 'secrets.decrypt' | 'signOns.of'>,
  { organization }: CheckSignOn,
): Promise<ProviderOffer | ProviderFailure> {
  const { identityProvider, settings } = providerOf(
    deps,
    await settingsOf(deps, organization.id, 'organization.id'),
  );
  return identityProvider.check(settings);
}
