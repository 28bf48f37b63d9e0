import type { Uses } from '../../deps.js';
import { readAddress } from '../../values/address.js';
import { authorizeAccount } from '../sessions/authorize-account.js';
import type { ResumeSession } from '../sessions/resume-session.js';
import type { AddedSecondFactor } from './add-passkey.js';
import { withoutSpaces } from './check-second-factor.js';
import { changeJournal, newRecoveryCodes, secondFactorNotFound, wrongSecondFactor } from './second-factor.js';

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
  deps: Uses<
    | 'mailer.send'
    | 'secondFactors.confirmCode'
    | 'secondFactors.of'
    | 'secrets.codeStep'
    | 'secrets.decrypt'
    | 'secrets.newRecoveryCode'
    | typeof authorizeAccount
  >,
  { session, code: given, address }: ConfirmCodes,
): Promise<AddedSecondFactor> {
  const { user, hash } = await authorizeAccount(deps, { session });
  const userId = user.id;
  const { code } = await deps.secondFactors.of(userId);
  if (code === null || code.confirmedAt !== null) throw secondFactorNotFound();
  const { encryptedSecret } = code;
  const at = deps.clock.now();
  const secret = deps.secrets.decrypt({ encrypted: encryptedSecret, userId });
  const step = deps.secrets.codeStep({ secret, code: withoutSpaces(given), at });
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
