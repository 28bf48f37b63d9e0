import type { Uses } from '../../deps.js';
import { refuseAny } from '../../values/problems.js';
import { authorizeAccount } from '../sessions/authorize-account.js';
import type { ResumeSession } from '../sessions/resume-session.js';
import { passkeyNameProblem, secondFactorNotFound } from './second-factor.js';

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
  deps: Uses<'secondFactors.namePasskey' | typeof authorizeAccount>,
  { session, credentialId, name }: NamePasskey,
): Promise<void> {
  const { user } = await authorizeAccount(deps, { session });
  refuseAny([passkeyNameProblem(name)]);
  if (!(await deps.secondFactors.namePasskey({ userId: user.id, credentialId, name })))
    throw secondFactorNotFound();
}
