import type { Uses } from '../../deps.js';
import { recordFailure } from './record-failure.js';
import { isFailure, providerOf, refusalOf, type StartedSignOn, settingsOf, signOnOff } from './sign-on.js';

/** The request of `beginSignOn`. */
export interface BeginSignOn {
  /** The organization as the URL of the page names it. */
  readonly organizationId: number;
  /** What the person is known by at the provider, as received: it only fills in a form there. Left out: nothing. */
  readonly loginHint?: string | null | undefined;
  /** The owner who only tries the settings, also while sign-on is off; the caller has checked who it is. Left out: none. */
  readonly triedBy?: number | null | undefined;
  /** The IP address of the person, for the security log. */
  readonly address: string;
}

/** Where a person signs in, and what `finishSignOn` or `trySignOn` needs when they return. */
export interface BegunSignOn {
  /** The address at the provider. It differs with each call. */
  readonly url: string;
  /** To be kept for the browser of the person, where nobody can read or change it. */
  readonly started: StartedSignOn;
}

const MAX_HINT_CHARACTERS = 254;

/**
 * Begins a sign-on at the organization's identity provider.
 *
 * @throws `Refusal`: `sign-on-off`; `sign-on-unreachable`, `sign-on-failed` if the provider cannot be asked. `Error` if
 * `links.signOn` is not set.
 */
export async function beginSignOn(
  deps: Uses<
    | 'clock.now'
    | 'identityProvider.begin'
    | 'links.signOn'
    | 'secrets.decrypt'
    | 'securityLog.record'
    | 'signOns.of'
  >,
  { organizationId, loginHint = null, triedBy = null, address }: BeginSignOn,
): Promise<BegunSignOn> {
  const signOn = await settingsOf(deps, organizationId);
  if (!signOn.isOn && triedBy === null) throw signOnOff();
  const { identityProvider, settings } = providerOf(deps, signOn);
  const hint = loginHint !== null && loginHint.length <= MAX_HINT_CHARACTERS ? loginHint : null;
  const begun = await identityProvider.begin(settings, { loginHint: hint });
  if (isFailure(begun)) {
    const { failure: outcome, reason } = begun;
    recordFailure(deps, { organizationId, outcome, reason, address });
    throw refusalOf(begun);
  }
  const startedAt = deps.clock.now().getTime();
  const { issuer } = signOn;
  return { url: begun.url, started: { ...begun.pending, organizationId, issuer, startedAt, triedBy } };
}
