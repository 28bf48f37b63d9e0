import type { Uses } from '../../deps.js';
import { Refusal } from '../../errors.js';
import { readAddress } from '../../values/address.js';
import { refuseAny } from '../../values/problems.js';
import type { Secret } from '../../values/secret.js';
import { textProblem } from '../../values/text.js';
import { authorizeAccount, signInRequired } from '../sessions/authorize-account.js';
import type { ResumeSession } from '../sessions/resume-session.js';
import { type AskedPasskey, askPasskey } from './ask-passkey.js';
import { type PasskeyAnswer, useChallenge } from './check-second-factor.js';
import {
  changeJournal,
  maxPasskeys,
  newRecoveryCodes,
  secondFactorNotFound,
  wrongPasskey,
} from './second-factor.js';

const MAX_NAME_CHARACTERS = 60;

/** What a user has who has added something. */
export interface AddedSecondFactor {
  /** Ten recovery codes, in this result only, if it is the first second factor of the user; otherwise null. */
  readonly recoveryCodes: readonly Secret[] | null;
}

/**
 * Asks the browser of a user who signed in with the password for a new passkey. Null: the service checks none.
 *
 * @throws `Refusal`: `sign-in-required` without a session, `session-bound` if the password did not start it.
 */
export async function beginPasskey(
  deps: Parameters<typeof authorizeAccount>[0] & Uses<'passkeyVerifier.options' | 'secondFactors.of'>,
  request: ResumeSession,
): Promise<AskedPasskey | null> {
  const { user } = await authorizeAccount(deps, request);
  const { passkeys } = await deps.secondFactors.of(user.id);
  return askPasskey(deps, { user, to: 'make', passkeys });
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
  deps: Parameters<typeof authorizeAccount>[0] &
    Uses<
      | 'limits.consume'
      | 'mailer.send'
      | 'passkeyVerifier.register'
      | 'secondFactors.addPasskey'
      | 'secrets.newRecoveryCode'
    >,
  { session, answer: { challenge, response }, name, address }: AddPasskey,
): Promise<AddedSecondFactor> {
  const { user, hash } = await authorizeAccount(deps, { session });
  refuseAny([textProblem('name', name, { maxCharacters: MAX_NAME_CHARACTERS })]);
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

/** The request of `namePasskey`. */
export interface NamePasskey extends ResumeSession {
  /** The id of a passkey of the user. */
  readonly credentialId: string;
  /** As in `AddPasskey`. */
  readonly name: string;
}

/**
 * Renames a passkey.
 *
 * @throws `Refusal`: `sign-in-required`, `session-bound`; `invalid-request` for the name; `second-factor-not-found`.
 */
export async function namePasskey(
  deps: Parameters<typeof authorizeAccount>[0] & Uses<'secondFactors.namePasskey'>,
  { session, credentialId, name }: NamePasskey,
): Promise<void> {
  const { user } = await authorizeAccount(deps, { session });
  refuseAny([textProblem('name', name, { maxCharacters: MAX_NAME_CHARACTERS })]);
  if (!(await deps.secondFactors.namePasskey({ userId: user.id, credentialId, name })))
    throw secondFactorNotFound();
}
