import type { UsedFactor } from '../../access/ports/security-log.js';
import type { Uses } from '../../deps.js';
import { readAddress } from '../../values/address.js';
import type { StoredSecondFactor } from '../ports/second-factors.js';
import { countedAttempt } from '../sessions/failed-sign-ins.js';
import type { User } from '../user.js';
import { wrongPasskey, wrongSecondFactor } from './second-factor.js';

/**
 * A challenge to the passkeys of a user. Keep it where only the browser of the person can return it unchanged, such as
 * encrypted in a form.
 */
export interface PasskeyChallenge {
  /** Random, in base64url. */
  readonly challenge: string;
  /** The user who has to answer. */
  readonly userId: number;
  /** What the answer is for. */
  readonly to: 'make' | 'use';
  /** When it was made, in milliseconds since 1970. It can be answered for ten minutes. */
  readonly madeAt: number;
}

/** The answer of a browser to a challenge, JSON as it has sent it. */
export interface PasskeyAnswer {
  /** What was asked. */
  readonly challenge: PasskeyChallenge;
  /** What was answered. */
  readonly response: string;
}

/** A code of the user's app, a recovery code, or the answer of a passkey. */
export type SecondFactorProof = { readonly code: string } | { readonly passkey: PasskeyAnswer };

/** How long a second step, or a passkey, may take. */
export const secondStepLifetimeMs = 10 * 60 * 1000;

/** The clocks of two instances may differ by this much. */
const CLOCKS_MS = 60_000;

type CheckDeps = Uses<
  | 'clock.now'
  | 'limits.consume'
  | 'limits.forgive'
  | 'limits.waitFor'
  | 'passkeyVerifier.credentialIdOf'
  | 'passkeyVerifier.verify'
  | 'secondFactors.of'
  | 'secondFactors.useCode'
  | 'secondFactors.usePasskey'
  | 'secondFactors.useRecoveryCode'
  | 'secrets.codeStep'
  | 'secrets.decrypt'
  | 'secrets.recoveryCodeHashes'
  | 'securityLog.record'
>;

/**
 * Checks the second factor of a user, and uses it up. An attempt counts as a failed one from just before the check until it
 * turns out right, as with `checkPassword`; for the account apart from wrong passwords.
 *
 * @throws `Refusal`: `wrong-second-factor`; `too-many-requests` after too many wrong ones.
 */
export async function checkSecondFactor(
  deps: CheckDeps,
  {
    user: { id: userId, email: account },
    proof,
    address,
  }: {
    readonly user: Pick<User, 'id' | 'email'>;
    readonly proof: SecondFactorProof;
    readonly address: string;
  },
): Promise<void> {
  const factor = factorOf(proof);
  const attempt = countedAttempt(deps, { account, address, factor });
  await attempt.check();
  const stored = await deps.secondFactors.of(userId);
  await attempt.count();
  const isRight = await proves(deps, { userId, proof, stored }).catch(async (error: unknown) => {
    // If this fails too, the first error is the one to report.
    await attempt.takeBack().catch(() => {});
    throw error;
  });
  if (!isRight) {
    attempt.recordFailed();
    throw factor === 'passkey' ? wrongPasskey() : wrongSecondFactor();
  }
  await attempt.takeBack();
  deps.securityLog?.record({ kind: 'second-factor-used', userId, factor, address: readAddress(address) });
}

const SIX_DIGITS = /^\d{6}$/;

function factorOf(proof: SecondFactorProof): UsedFactor {
  if ('passkey' in proof) return 'passkey';
  return SIX_DIGITS.test(withoutSpaces(proof.code)) ? 'code' : 'recovery-code';
}

export function withoutSpaces(code: string): string {
  return code.replaceAll(/\s/g, '');
}

interface Proving {
  readonly userId: number;
  readonly proof: SecondFactorProof;
  readonly stored: StoredSecondFactor;
}

async function proves(deps: CheckDeps, { userId, proof, stored }: Proving): Promise<boolean> {
  if ('passkey' in proof) return provesPasskey(deps, { userId, stored, answer: proof.passkey });
  const code = withoutSpaces(proof.code);
  if (!SIX_DIGITS.test(code)) {
    const hashes = isRecoveryCode(code) ? deps.secrets.recoveryCodeHashes(code) : [];
    return hashes.length > 0 && deps.secondFactors.useRecoveryCode({ userId, hashes });
  }
  if (stored.code === null || stored.code.confirmedAt === null) return false;
  const secret = deps.secrets.decrypt({ encrypted: stored.code.encryptedSecret, userId });
  const step = deps.secrets.codeStep({ secret, code, at: deps.clock.now() });
  return step !== null && deps.secondFactors.useCode({ userId, step });
}

/** Nothing else is hashed. */
function isRecoveryCode(code: string): boolean {
  return /^[a-z2-7]{5}-?[a-z2-7]{5}$/i.test(code);
}

async function provesPasskey(
  deps: CheckDeps,
  {
    userId,
    stored,
    answer: { challenge, response },
  }: Omit<Proving, 'proof'> & { readonly answer: PasskeyAnswer },
): Promise<boolean> {
  const { passkeyVerifier, secondFactors } = deps;
  const credentialId = passkeyVerifier?.credentialIdOf(response) ?? null;
  const passkey = stored.passkeys.find((one) => one.credentialId === credentialId);
  if (passkeyVerifier === undefined || passkey === undefined) return false;
  if (!(await useChallenge(deps, challenge, { userId, to: 'use' }))) return false;
  const used = await passkeyVerifier.verify({ challenge: challenge.challenge, response, passkey });
  if (used === null) return false;
  return secondFactors.usePasskey({
    userId,
    ...used,
    credentialId: passkey.credentialId,
    askedAt: new Date(challenge.madeAt + CLOCKS_MS),
    at: deps.clock.now(),
  });
}

/** True once, for a challenge to this user that is not too old. */
export async function useChallenge(
  { limits, clock }: Uses<'clock.now' | 'limits.consume'>,
  challenge: PasskeyChallenge,
  { userId, to }: Pick<PasskeyChallenge, 'userId' | 'to'>,
): Promise<boolean> {
  const age = clock.now().getTime() - challenge.madeAt;
  if (challenge.userId !== userId || challenge.to !== to || age > secondStepLifetimeMs) return false;
  const once = { name: 'passkey-challenge', points: 1, seconds: secondStepLifetimeMs / 1000 + 60 };
  return (await limits.consume(once, challenge.challenge)) === 0;
}
