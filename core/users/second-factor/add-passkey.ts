import type { Uses } from '../../deps.js';
import { Refusal } from '../../errors.js';
import { readAddress } from '../../values/address.js';
import { refuseAny } from '../../values/problems.js';
import type { Secret } from '../../values/secret.js';
import { authorizeAccount, signInRequired } from '../sessions/authorize-account.js';
import type { ResumeSession } from '../sessions/resume-session.js';
import { type PasskeyAnswer, useChallenge } from './check-second-factor.js';
import {
  changeJournal,
  maxPasskeys,
  newRecoveryCodes,
  passkeyNameProblem,
  wrongPasskey,
} from './second-factor.js';

/** What a user has who has added something. */
export interface AddedSecondFactor {
  /** Ten recovery codes, in this result only, if it is the first second factor of the user; otherwise null. */
  readonly recoveryCodes: readonly Secret[] | null;
}

/** The request of `addPasskey`. */
export interface AddPasskey extends ResumeSession {
  /** The answer to the question of `beginPasskey`. */
  readonly answer: PasskeyAnswer;
  /** One line of at most 60 characters, by which the user tells it apart. */
  readonly name: string;
  /** The IP address of the caller, for the audit trail. */
  readonly address: string;
}

/**
 * Adds a passkey that the device of the user has made. With the first second factor, the user's other sessions end.
 *
 * @throws `Refusal`: `sign-in-required`, `session-bound`; `invalid-request` for the name; `wrong-second-factor` if the answer
 * proves nothing; `passkey-registered` if the device has one already, or the user has `maxPasskeys`.
 */
export async function addPasskey(
  deps: Uses<
    | 'limits.consume'
    | 'mailer.send'
    | 'passkeyVerifier.register'
    | 'secondFactors.addPasskey'
    | 'secrets.newRecoveryCode'
    | typeof authorizeAccount
  >,
  { session, answer: { challenge, response }, name, address }: AddPasskey,
): Promise<AddedSecondFactor> {
  const { user, hash } = await authorizeAccount(deps, { session });
  refuseAny([passkeyNameProblem(name)]);
  const { passkeyVerifier } = deps;
  const isOwn = await useChallenge(deps, challenge, { userId: user.id, to: 'make' });
  if (passkeyVerifier === undefined || !isOwn) throw wrongPasskey();
  const made = await passkeyVerifier.register({ challenge: challenge.challenge, response });
  if (made === null) throw wrongPasskey();
  const { codes, hashes } = newRecoveryCodes(deps);
  const at = deps.clock.now();
  const by = { who: { kind: 'user', userId: user.id }, from: readAddress(address) } as const;
  const added = await deps.secondFactors.addPasskey(
    { ...made, name, userId: user.id, session: hash, recoveryHashes: hashes, at },
    changeJournal(deps, 'second-factor-added', { what: 'passkey', by, at }),
  );
  if (added === 'unknown-user') throw signInRequired();
  if (added === 'registered')
    throw new Refusal('passkey-registered', 'This device, or password manager, has a passkey here already');
  if (added === 'too-many')
    throw new Refusal('passkey-registered', `There are ${maxPasskeys} passkeys already: remove one first`);
  return { recoveryCodes: added.isOnly ? codes : null };
}
