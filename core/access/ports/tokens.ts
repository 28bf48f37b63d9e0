import type { Secret } from '../../values/secret.js';

/** What a token says about its bearer. */
export interface TokenClaims {
  /** The organization whose access key was exchanged for the token. */
  readonly organizationId: number;
  /** The `accessKeyGeneration` of the organization at that time; the token is invalid once it has changed. */
  readonly generation: number;
  /** When the access key was exchanged. */
  readonly issuedAt: Date;
  /** From this time on the token is invalid. Only the core checks this, not the port. */
  readonly expiresAt: Date;
}

/** Makes and reads bearer tokens. Nothing is stored: a token holds its claims and a proof of them. */
export interface Tokens {
  /** Makes a token that holds these claims. Its times may be cut to whole seconds. */
  issue(claims: TokenClaims): Promise<Secret>;
  /**
   * The claims of a token that `issue` made with the current key or a previous one; null for any other text. Does not
   * check whether the token has expired.
   */
  read(token: string): Promise<TokenClaims | null>;
}
