import type { Uses } from '../../deps.js';
import { readAddress } from '../../values/address.js';
import type { Secret } from '../../values/secret.js';
import { authorizeAccount } from '../sessions/authorize-account.js';
import type { ResumeSession } from '../sessions/resume-session.js';
import type { AddedSecondFactor } from './add-passkey.js';
import { withoutSpaces } from './check-second-factor.js';
import { changeJournal, newRecoveryCodes, secondFactorNotFound, wrongSecondFactor } from './second-factor.js';

/**
 * Makes a secret for the authenticator app of a user who signed in with the password, in place of one that was not
 * confirmed.
 *
 * @throws `Refusal`: `sign-in-required`, `session-bound`; `second-factor-not-found` if the user has confirmed an app.
 */
export async function beginCodes(
  deps: Parameters<typeof authorizeAccount>[0] &
    Uses<'secondFactors.setCode' | 'secrets.encrypt' | 'secrets.newCodeSecret'>,
  request: ResumeSession,
): Promise<void> {
  const { user } = await authorizeAccount(deps, request);
  const secret = deps.secrets.newCodeSecret();
  const encryptedSecret = deps.secrets.encrypt({ secret, userId: user.id });
  if (!(await deps.secondFactors.setCode({ userId: user.id, encryptedSecret }))) throw secondFactorNotFound();
}

/**
 * The secret that `beginCodes` has made, in base32, until it is confirmed; null: none waits.
 *
 * @throws `Refusal`: `sign-in-required`, `session-bound`.
 */
export async function readCodeSecret(
  deps: Parameters<typeof authorizeAccount>[0] & Uses<'secondFactors.of' | 'secrets.decrypt'>,
  request: ResumeSession,
): Promise<Secret | null> {
  const { user } = await authorizeAccount(deps, request);
  const { code } = await deps.secondFactors.of(user.id);
  if (code === null || code.confirmedAt !== null) return null;
  return deps.secrets.decrypt({ encrypted: code.encryptedSecret, userId: user.id });
}

/** The request of `confirmCodes`. */
export interface ConfirmCodes extends ResumeSession {
  /** A code that the app has made of the secret. */
  readonly code: string;
  /** The IP address of the caller, for the audit trail. */
  readonly address: string;
}

/**
 * Turns codes on once the app of the user makes the right one. With the first second factor, the user's other sessions end.
 *
 * @throws `Refusal`: `sign-in-required`, `session-bound`; `second-factor-not-found` if no secret waits;
 * `wrong-second-factor`.
 */
export async function confirmCodes(
  deps: Parameters<typeof authorizeAccount>[0] &
    Uses<
      | 'mailer.send'
      | 'secondFactors.confirmCode'
      | 'secondFactors.of'
      | 'secrets.codeStep'
      | 'secrets.decrypt'
      | 'secrets.newRecoveryCode'
    >,
  { session, code: given, address }: ConfirmCodes,
): Promise<AddedSecondFactor> {
  const { user, hash } = await authorizeAccount(deps, { session });
  const userId = user.id;
  const { code } = await deps.secondFactors.of(userId);
  if (code === null || code.confirmedAt !== null) throw secondFactorNotFound();
  const { encryptedSecret } = code;
  const typed = withoutSpaces(given);
  const at = deps.clock.now();
  if (!/^\d{6}$/.test(typed)) throw wrongSecondFactor();
  const secret = deps.secrets.decrypt({ encrypted: encryptedSecret, userId });
  const step = deps.secrets.codeStep({ secret, code: typed, at });
  if (step === null) throw wrongSecondFactor();
  const { codes, hashes } = newRecoveryCodes(deps);
  const by = { who: { kind: 'user', userId }, from: readAddress(address) } as const;
  const added = await deps.secondFactors.confirmCode(
    { userId, encryptedSecret, step, session: hash, recoveryHashes: hashes, at },
    changeJournal(deps, 'second-factor-added', { what: 'authenticator app', by, at }),
  );
  if (added === null) throw secondFactorNotFound();
  return { recoveryCodes: added.isOnly ? codes : null };
}

/**
 * Gives a user ten new recovery codes. The ones before stop working.
 *
 * @throws `Refusal`: `sign-in-required`, `session-bound`; `second-factor-not-found` if the user has no second factor.
 */
export async function renewRecoveryCodes(
  deps: Parameters<typeof authorizeAccount>[0] &
    Uses<'secondFactors.setRecoveryCodes' | 'secrets.newRecoveryCode'>,
  request: ResumeSession,
): Promise<readonly Secret[]> {
  const { user } = await authorizeAccount(deps, request);
  const { codes, hashes } = newRecoveryCodes(deps);
  if (!(await deps.secondFactors.setRecoveryCodes({ userId: user.id, hashes }))) throw secondFactorNotFound();
  return codes;
}
