import type { IdempotencyKeys, IdempotentCall, KeptAnswer } from '../../access/ports/idempotency-keys.js';
import type { State, StoredCall } from './state.js';

export function memoryIdempotencyKeys(state: State): IdempotencyKeys {
  const { idempotentCalls, organizations } = state;
  return {
    async begin({ fingerprint, run, at, cutOffBefore, forgottenBefore, maxCalls, maxAnswerLength, ...call }) {
      if (!organizations.has(call.organizationId)) return 'unknown-organization';
      const stored = idempotentCalls.get(nameOf(call));
      if (stored !== undefined && stored.at >= forgottenBefore) {
        if (stored.fingerprint !== fingerprint) return 'other-request';
        if (stored.encryptedAnswer !== null) return { encryptedAnswer: stored.encryptedAnswer };
        if (stored.at >= cutOffBefore) return 'running';
      } else {
        const kept = keptCalls(state, call.organizationId, forgottenBefore);
        const length = kept.reduce((sum, { encryptedAnswer }) => sum + (encryptedAnswer?.length ?? 0), 0);
        const [oldest] = kept.map((one) => one.at).sort((one, other) => one.getTime() - other.getTime());
        if (oldest !== undefined && (kept.length >= maxCalls || length >= maxAnswerLength))
          return { oldestAt: oldest };
      }
      idempotentCalls.set(nameOf(call), { fingerprint, run, at, encryptedAnswer: null });
      return 'fresh';
    },
    finish: async (answer) => keepAnswer(state, answer),
    async abandon(call) {
      if (unfinished(state, call) !== null) idempotentCalls.delete(nameOf(call));
    },
  };
}

function keptCalls(
  { idempotentCalls }: State,
  organizationId: number,
  forgottenBefore: Date,
): readonly StoredCall[] {
  const own = `[${organizationId},`;
  return [...idempotentCalls]
    .filter(([name, { at }]) => name.startsWith(own) && at >= forgottenBefore)
    .map(([, call]) => call);
}

/** False if the call does not belong to the run, or has an answer. */
export function keepAnswer(state: State, { encryptedAnswer, ...call }: KeptAnswer): boolean {
  const stored = unfinished(state, call);
  if (stored === null) return false;
  state.idempotentCalls.set(nameOf(call), { ...stored, encryptedAnswer });
  return true;
}

/** The stored call if the run owns it and has not finished it. */
function unfinished(
  { idempotentCalls }: State,
  call: IdempotentCall & { readonly run: string },
): StoredCall | null {
  const stored = idempotentCalls.get(nameOf(call));
  return stored?.run === call.run && stored.encryptedAnswer === null ? stored : null;
}

function nameOf({ organizationId, operation, key }: IdempotentCall): string {
  return JSON.stringify([organizationId, operation, key]);
}
