import type { AddedFactor, FactorChange, Passkey, SecondFactors } from '../../users/ports/second-factors.js';
import { hasSecondFactor, maxPasskeys } from '../../users/second-factor/second-factor.js';
import { writeJournal } from './journal.js';
import { hasFactor, secondFactorOf } from './second-factor-of.js';
import { existing, type State } from './state.js';
import { organizationsOf, toUser } from './users.js';

export function memorySecondFactors(state: State): SecondFactors {
  return {
    async of(userId) {
      return secondFactorOf(state, userId);
    },
    async addPasskey({ userId, session, recoveryHashes, at, ...passkey }, journal) {
      if (!state.users.has(userId)) return 'unknown-user';
      if (state.passkeys.has(passkey.credentialId)) return 'registered';
      if (secondFactorOf(state, userId).passkeys.length >= maxPasskeys) return 'too-many';
      const change = changeOf(state, userId, !hasFactor(state, userId));
      writeJournal(state, journal?.(change), () => {
        state.passkeys.set(passkey.credentialId, { ...passkey, userId, createdAt: at, usedAt: null });
        if (change.isOnly) startRequiring(state, { userId, session, recoveryHashes });
      });
      return change;
    },
    async usePasskey({ userId, credentialId, counter, isBackedUp, askedAt, at }) {
      const passkey = state.passkeys.get(credentialId);
      if (passkey?.userId !== userId) return false;
      if (passkey.usedAt !== null && passkey.usedAt > askedAt) return false;
      if (counter <= passkey.counter && (counter > 0 || passkey.counter > 0)) return false;
      state.passkeys.set(credentialId, { ...passkey, counter, isBackedUp, usedAt: at });
      return true;
    },
    async namePasskey({ userId, credentialId, name }) {
      const passkey = state.passkeys.get(credentialId);
      if (passkey?.userId !== userId) return false;
      state.passkeys.set(credentialId, { ...passkey, name });
      return true;
    },
    async setCode({ userId, encryptedSecret }) {
      const isConfirmed = (state.codeSecrets.get(userId)?.confirmedAt ?? null) !== null;
      if (!state.users.has(userId) || isConfirmed) return false;
      state.codeSecrets.set(userId, { encryptedSecret, confirmedAt: null, lastStep: 0 });
      return true;
    },
    async confirmCode({ userId, encryptedSecret, step, session, recoveryHashes, at }, journal) {
      const code = state.codeSecrets.get(userId);
      if (code === undefined || code.confirmedAt !== null || code.encryptedSecret !== encryptedSecret)
        return null;
      const change = changeOf(state, userId, !hasFactor(state, userId));
      writeJournal(state, journal?.(change), () => {
        state.codeSecrets.set(userId, { encryptedSecret, confirmedAt: at, lastStep: step });
        if (change.isOnly) startRequiring(state, { userId, session, recoveryHashes });
      });
      return change;
    },
    async useCode({ userId, step }) {
      const code = state.codeSecrets.get(userId);
      if (code === undefined || code.confirmedAt === null || code.lastStep >= step) return false;
      state.codeSecrets.set(userId, { ...code, lastStep: step });
      return true;
    },
    async useRecoveryCode({ userId, hashes }) {
      const own = state.recoveryCodes.get(userId) ?? [];
      const left = own.filter((hash) => !hashes.includes(hash));
      state.recoveryCodes.set(userId, left);
      return left.length < own.length;
    },
    async setRecoveryCodes({ userId, hashes }) {
      if (!hasFactor(state, userId)) return false;
      state.recoveryCodes.set(userId, hashes);
      return true;
    },
    async remove({ userId, factor }, journal) {
      const { passkeys, code } = secondFactorOf(state, userId);
      const isRemoved = ({ credentialId }: Passkey): boolean =>
        typeof factor === 'string' ? factor === 'everything' : factor.credentialId === credentialId;
      const gone = passkeys.filter(isRemoved);
      const isCodeGone = typeof factor === 'string' && code?.confirmedAt != null;
      if (gone.length === 0 && !isCodeGone) return null;
      const left = { passkeys: passkeys.filter((one) => !isRemoved(one)), code: isCodeGone ? null : code };
      const change = changeOf(state, userId, !hasSecondFactor(left));
      writeJournal(state, journal?.(change), () => {
        for (const { credentialId } of gone) state.passkeys.delete(credentialId);
        if (isCodeGone || change.isOnly) state.codeSecrets.delete(userId);
        if (!change.isOnly) return;
        state.recoveryCodes.delete(userId);
        for (const [hash, session] of state.sessions)
          if (session.userId === userId) {
            if (factor === 'everything' && session.startedBy === 'password') state.sessions.delete(hash);
            else state.sessions.set(hash, { ...session, hasSecondFactor: false });
          }
      });
      return change;
    },
    async isRequired(organizationId) {
      return state.requiringFactor.has(organizationId);
    },
    async require({ organizationId, isRequired, userId }, journal) {
      if (!state.organizations.has(organizationId)) return 'unknown-organization';
      if (!hasFactor(state, userId)) return 'no-second-factor';
      if (state.requiringFactor.has(organizationId) === isRequired) return 'done';
      writeJournal(state, journal?.({ isRequired }), () => {
        if (isRequired) state.requiringFactor.add(organizationId);
        else state.requiringFactor.delete(organizationId);
      });
      return 'done';
    },
  };
}

function changeOf(state: State, userId: number, isOnly: boolean): FactorChange {
  const user = toUser(existing(state.users.get(userId)));
  return { user, isOnly, organizationIds: organizationsOf(state, userId) };
}

/** What follows from the first second factor. */
function startRequiring(
  state: State,
  { userId, session: own, recoveryHashes }: Omit<AddedFactor, 'at'>,
): void {
  state.recoveryCodes.set(userId, recoveryHashes);
  for (const [hash, session] of state.sessions)
    if (session.userId === userId && session.startedBy === 'password') {
      if (hash === own) state.sessions.set(hash, { ...session, hasSecondFactor: true });
      else state.sessions.delete(hash);
    }
}
