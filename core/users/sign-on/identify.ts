import type { Limit } from '../../access/ports/limits.js';
import type { Uses } from '../../deps.js';
import type { ProviderFailure, ProviderIdentity } from '../ports/identity-provider.js';
import type { SignOn } from '../ports/sign-ons.js';
import { providerOf, type StartedSignOn, signOnEnded, signOnLifetimeMs } from './sign-on.js';

/** The return of a person from the identity provider. */
export interface Returned {
  /** The organization as the URL of the page names it. */
  readonly organizationId: number;
  /** What `beginSignOn` returned, as the person's browser has kept it. */
  readonly started: StartedSignOn;
  /** The query with which the person came back, without `?`, as received. */
  readonly query: string;
  /** The IP address of the person, for the security log. */
  readonly address: string;
}

/** Each sign-on, and each confirmation, ends once, on whichever instance. */
const once: Limit = { name: 'sign-on-ended', points: 1, seconds: signOnLifetimeMs / 1000 };

/** The clocks of two instances may differ a little. */
export function isTooOld(
  { clock }: Uses<'clock.now'>,
  { startedAt }: Pick<StartedSignOn, 'startedAt'>,
): boolean {
  return Math.abs(clock.now().getTime() - startedAt) >= signOnLifetimeMs;
}

/** Throws a `Refusal` if it has ended already. */
export async function endOnce({ limits }: Uses<'limits.consume'>, name: string): Promise<void> {
  if ((await limits.consume(once, name)) > 0) throw signOnEnded();
}

/**
 * Identifies the person. Refuses a sign-on that was not begun for these settings within ten minutes, or has ended already.
 */
export async function identify(
  deps: Uses<'clock.now' | 'identityProvider.finish' | 'limits.consume' | 'links.signOn' | 'secrets.decrypt'>,
  signOn: SignOn,
  { organizationId, started, query }: Returned,
): Promise<ProviderIdentity | ProviderFailure> {
  const isOwn = started.organizationId === organizationId && started.issuer === signOn.issuer;
  if (!isOwn || isTooOld(deps, started)) throw signOnEnded();
  const { state, nonce, verifier } = started;
  // Any site can lead a browser here: what is no answer to this sign-on does not use it up.
  if (new URLSearchParams(query).get('state') !== state) throw signOnEnded();
  const { identityProvider, settings } = providerOf(deps, signOn);
  await endOnce(deps, state);
  return identityProvider.finish(settings, { pending: { state, nonce, verifier }, query });
}
