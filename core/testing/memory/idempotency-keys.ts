import type { IdempotencyKeys, IdempotentCall } from '../../access/ports.js';
import type { State, StoredCall } from './state.js';

export function memoryIdempotencyKeys({ idempotentCalls, organizations }: State): IdempotencyKeys {
  const nameOf = ({ organizationId, operation, key }: IdempotentCall): string =>
    JSON.stringify([organizationId, operation, key]);
  /** The stored call if the run owns it and has not finished it. */
  const unfinished = (call: IdempotentCall & { readonly run: string }): StoredCall | null => {
    const stored = idempotentCalls.get(nameOf(call));
    return stored?.run === call.run && stored.encryptedAnswer === null ? stored : null;
  };
  return {
    async begin({ fingerprint, run, at, cutOffBefore, forgottenBefore, ...call }) {
      if (!organizations.has(call.organizationId)) return 'unknown-organization';
      const stored = idempotentCalls.get(nameOf(call));
      if (stored !== undefined && stored.at >= forgottenBefore) {
        if (stored.fingerprint !== fingerprint) return 'other-request';
        if (stored.encryptedAnswer !== null) return { encryptedAnswer: stored.encryptedAnswer };
        if (stored.at >= cutOffBefore) return 'running';
      }
      idempotentCalls.set(nameOf(call), { fingerprint, run, at, encryptedAnswer: null });
      return 'fresh';
    },
    async finish({ encryptedAnswer, ...call }) {
      const stored = unfinished(call);
      if (stored === null) return false;
      idempotentCalls.set(nameOf(call), { ...stored, encryptedAnswer });
      return true;
    },
    async abandon(call) {
      if (unfinished(call) !== null) idempotentCalls.delete(nameOf(call));
    },
  };
}
