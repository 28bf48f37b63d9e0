import type { User } from '../user.js';
import type { Passkey } from './second-factors.js';

/** What a browser is asked for, as JSON that `PublicKeyCredential` parses, and the random challenge in it. */
export interface PasskeyOptions {
  /** In base64url. It must be used once, and soon. */
  readonly challenge: string;
  /** For the browser. Nothing in it is secret. */
  readonly publicKey: object;
}

/** A passkey as its device has made it. */
export type MadePasskey = Pick<
  Passkey,
  'credentialId' | 'publicKey' | 'counter' | 'transports' | 'isBackedUp'
>;

/** Asks browsers for passkeys, and checks their answers for the host and the origin of the service. */
export interface PasskeyVerifier {
  /** `make`: a new passkey, on a device that has none of these. `use`: one of these. */
  options(
    request: {
      readonly to: 'make' | 'use';
      readonly passkeys: readonly Pick<Passkey, 'credentialId' | 'transports'>[];
    } & {
      readonly user: Pick<User, 'uuid' | 'email' | 'firstName' | 'lastName'>;
    },
  ): PasskeyOptions;
  /** Null: the answer, JSON as the browser has sent it, is not that of a new passkey to this challenge. */
  register(answer: { readonly challenge: string; readonly response: string }): Promise<MadePasskey | null>;
  /**
   * The count after this use. Null: the answer is not that of the passkey to this challenge, or its count did not grow.
   */
  verify(answer: {
    readonly challenge: string;
    readonly response: string;
    readonly passkey: Passkey;
  }): Promise<Pick<Passkey, 'counter' | 'isBackedUp'> | null>;
  /** The id of the passkey that has given the answer; null: it names none. */
  credentialIdOf(response: string): string | null;
}
