import type { StoredSecondFactor } from '../../users/ports/second-factors.js';
import { hasSecondFactor } from '../../users/second-factor/second-factor.js';
import type { State } from './state.js';

export function secondFactorOf(state: State, userId: number): StoredSecondFactor {
  const code = state.codeSecrets.get(userId);
  return {
    passkeys: [...state.passkeys.values()]
      .filter((passkey) => passkey.userId === userId)
      .map(({ userId: _, ...passkey }) => passkey)
      .sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime()),
    code:
      code === undefined ? null : { encryptedSecret: code.encryptedSecret, confirmedAt: code.confirmedAt },
    recoveryCodes: (state.recoveryCodes.get(userId) ?? []).length,
  };
}

export function hasFactor(state: State, userId: number): boolean {
  return hasSecondFactor(secondFactorOf(state, userId));
}
