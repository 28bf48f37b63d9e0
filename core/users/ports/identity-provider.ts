import type { Secret } from '../../values/secret.js';
import type { SignOn } from './sign-ons.js';

/** How the service is known to an organization's identity provider. */
export interface ProviderSettings extends Pick<SignOn, 'issuer' | 'clientId' | 'hostedDomain' | 'acr'> {
  /** The organization. What is kept of its provider is kept for it alone. */
  readonly organizationId: number;
  /** The client secret itself. */
  readonly clientSecret: Secret;
  /** Where the provider sends people back: a page of this service, without a query. */
  readonly redirectUri: string;
}

/** What a sign-on that has begun needs to end. It is kept where only the browser of the person can return it. */
export interface PendingSignOn {
  /** Random: only the answer to this sign-on repeats it. */
  readonly state: string;
  /** Random: only an ID token for this sign-on holds it. */
  readonly nonce: string;
  /** Random: proves that the one who ends the sign-on has begun it (PKCE). */
  readonly verifier: string;
}

/** Why nobody was identified. `reason` is for an owner or the operator, and never holds a secret, token or address. */
export interface ProviderFailure {
  /**
   * `unreachable`: no answer, or none in time. `refused`: the provider said no. `not-asked`: not the answer to this sign-on.
   * `invalid`: an answer that proves nothing.
   */
  readonly failure: 'unreachable' | 'refused' | 'not-asked' | 'invalid';
  /** In a sentence. */
  readonly reason: string;
  /** The error code that the provider gave, such as `access_denied`; null: none. */
  readonly code: string | null;
}

/** A person whom the provider has identified. */
export interface ProviderIdentity {
  /** The issuer, which is that of the settings. */
  readonly issuer: string;
  /** The subject: 1 to 255 characters. */
  readonly subject: string;
  /** The session at the provider (`sid`); null: not given. */
  readonly sid: string | null;
  /** Everything that the provider said about the person: the ID token, and what only its userinfo has. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** What a provider offers. */
export interface ProviderOffer {
  /** Each thing that is missing, in a sentence; empty: sign-on can work. */
  readonly problems: readonly string[];
  /** The algorithms of ID tokens that are accepted. */
  readonly algorithms: readonly string[];
  /** Whether it says to which sign-on an answer belongs (RFC 9207). */
  readonly namesIssuer: boolean;
  /** Whether claims can be read that the ID token lacks. */
  readonly hasUserinfo: boolean;
  /** Whether it tells of sign-outs. */
  readonly hasLogout: boolean;
}

/** Whose sessions a provider has ended; at least one of both is not null. */
export interface ProviderLogout {
  /** All sessions of this subject, unless `sid` says which. */
  readonly subject: string | null;
  /** The session at the provider. */
  readonly sid: string | null;
}

/** Talks OpenID Connect with identity providers. No method throws because of what a provider does. */
export interface IdentityProvider {
  /** Reads what the provider offers, anew. */
  check(settings: ProviderSettings): Promise<ProviderOffer | ProviderFailure>;
  /** Returns the address at the provider where the person signs in. */
  begin(
    settings: ProviderSettings,
    options: { readonly loginHint: string | null },
  ): Promise<{ readonly url: string; readonly pending: PendingSignOn } | ProviderFailure>;
  /** Identifies the person from the query with which the provider has sent them back, such as `code=…&state=…`. */
  finish(
    settings: ProviderSettings,
    answer: { readonly pending: PendingSignOn; readonly query: string },
  ): Promise<ProviderIdentity | ProviderFailure>;
  /** Reads a token by which the provider says that it has ended sessions (back-channel logout). */
  readLogout(settings: ProviderSettings, token: string): Promise<ProviderLogout | ProviderFailure>;
}
