import type { Secret } from '../../values/secret.js';

/** What a random token is for. A token made for one purpose is invalid for another. */
export type TokenPurpose =
  | 'directory'
  | 'login-link'
  | 'setup-link'
  | 'session'
  | 'calendar'
  | 'password-reset';

/** Whose an encrypted secret is. It can be decrypted for the same organization, or the same user, only. */
export type SecretOwner = { readonly organizationId: number } | { readonly userId: number };

/** Makes, hashes, signs and encrypts secrets with the keys of the operator. */
export interface Secrets {
  /** 24 random digits. */
  newAccessKey(): Secret;
  /** The keyed hashes of the access key with every known secret key, the current one first. */
  accessKeyHashes(accessKey: string): readonly string[];
  /** A random token of 256 bits, and the hash to store in its place. */
  newToken(purpose: TokenPurpose): { readonly token: Secret; readonly hash: string };
  /** The hash under which the token is stored; null if `newToken` cannot have made this token. */
  tokenHash(purpose: TokenPurpose, token: string): string | null;
  /**
   * The id of a session for pages and forms, from the hash under which it is stored: letters, digits, `-` and `_`. The same
   * hash always gives the same id, and the id reveals nothing about the hash.
   */
  sessionId(hash: string): string;
  /** The id of the current key. */
  readonly keyId: string;
  /** The same invitation and known key always give the same text. An unknown key id counts as the current one. */
  invitationToken(invitation: { readonly id: string; readonly keyId: string }): Secret;
  /** The id of the invitation that the token belongs to; null if `invitationToken` did not make it. */
  readInvitationToken(token: string): string | null;
  /** `whsec_` and the base64 of 32 random bytes. */
  newSigningSecret(): Secret;
  /**
   * Encrypts for one organization or one user. `decrypt` works for the same one only and throws for any other. It
   * throws `UnknownKey` if the key is no longer configured.
   */
  encrypt(secret: { readonly secret: Secret } & SecretOwner): string;
  /**
   * Returns what `encrypt` was given for this organization or user.
   *
   * @throws `UnknownKey` if the key that encrypted it is not configured; any other error for a damaged text or another
   * owner.
   */
  decrypt(input: { readonly encrypted: string } & SecretOwner): Secret;
  /** 160 random bits in base32, for an authenticator app. */
  newCodeSecret(): Secret;
  /**
   * The 30 seconds since 1970, by their number, whose code (RFC 6238, SHA-1, six digits) this is: those of `at`, or the ones
   * before or after; null: it is none of the three.
   */
  codeStep(input: { readonly secret: Secret; readonly code: string; readonly at: Date }): number | null;
  /** A random code of 50 bits, ten letters and digits with a hyphen in the middle, and the hash to store in its place. */
  newRecoveryCode(): { readonly code: Secret; readonly hash: string };
  /** The keyed hashes of the code with every known secret key, however it is spaced and in any case. */
  recoveryCodeHashes(code: string): readonly string[];
  /** Hex of the HMAC-SHA256 of the text's UTF-8 bytes, keyed with the secret's UTF-8 bytes. */
  sign(input: { readonly body: string; readonly secret: Secret }): string;
  /**
   * Base64 of the HMAC-SHA256 of the text's UTF-8 bytes, keyed with the bytes that the secret encodes in base64 after
   * `whsec_`.
   */
  signBase64(input: { readonly text: string; readonly secret: Secret }): string;
}
