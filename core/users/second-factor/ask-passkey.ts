import type { Uses } from '../../deps.js';
import type { PasskeyOptions } from '../ports/passkey-verifier.js';
import type { User } from '../user.js';
import type { PasskeyChallenge } from './check-second-factor.js';

/** A question to the browser of a person. */
export interface AskedPasskey {
  /** To be kept, and returned with the answer. */
  readonly challenge: PasskeyChallenge;
  /** JSON for the browser. */
  readonly publicKey: PasskeyOptions['publicKey'];
}

/** Null: the service checks no passkeys. */
export function askPasskey(
  { passkeyVerifier, clock }: Uses<'clock.now' | 'passkeyVerifier.options'>,
  {
    user,
    to,
    passkeys,
  }: Pick<PasskeyChallenge, 'to'> & { readonly user: User } & Pick<
      Parameters<NonNullable<typeof passkeyVerifier>['options']>[0],
      'passkeys'
    >,
): AskedPasskey | null {
  if (passkeyVerifier === undefined) return null;
  const { challenge, publicKey } = passkeyVerifier.options({ to, user, passkeys });
  return { challenge: { challenge, userId: user.id, to, madeAt: clock.now().getTime() }, publicKey };
}
