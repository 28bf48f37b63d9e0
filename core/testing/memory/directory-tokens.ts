import type { DirectoryToken, DirectoryTokens } from '../../users/ports/directory-tokens.js';
import { compareTexts } from './compare-texts.js';
import { writeJournal } from './journal.js';
import type { State } from './state.js';

export function memoryDirectoryTokens(state: State): DirectoryTokens {
  const tokensOf = (organizationId: number): readonly DirectoryToken[] =>
    [...state.directoryTokens.values()]
      .filter((token) => token.organizationId === organizationId)
      .sort(
        (one, other) =>
          Number(one.endsAt !== null) - Number(other.endsAt !== null) ||
          other.createdAt.getTime() - one.createdAt.getTime() ||
          compareTexts(one.hash, other.hash),
      );
  return {
    async byHash(hash) {
      return state.directoryTokens.get(hash) ?? null;
    },
    async of(organizationId) {
      return tokensOf(organizationId);
    },
    async add({ hash, organizationId, createdAt, keepOldUntil, replaces }, journal) {
      const tokens = tokensOf(organizationId);
      const current = tokens.find(({ endsAt }) => endsAt === null);
      if (!state.organizations.has(organizationId)) return 'unknown-organization';
      if (replaces !== undefined && current?.createdAt.getTime() !== replaces?.getTime()) return 'outdated';
      writeJournal(state, journal?.({ isFirst: current === undefined }), () => {
        for (const token of tokens) state.directoryTokens.delete(token.hash);
        if (current !== undefined && keepOldUntil !== null)
          state.directoryTokens.set(current.hash, { ...current, endsAt: keepOldUntil });
        state.directoryTokens.set(hash, { hash, organizationId, createdAt, usedAt: null, endsAt: null });
      });
      return 'added';
    },
    async touch({ hash, at }) {
      const token = state.directoryTokens.get(hash);
      if (token !== undefined && (token.usedAt === null || token.usedAt < at))
        state.directoryTokens.set(hash, { ...token, usedAt: at });
    },
    async end({ organizationId, isOld }, journal) {
      const ended = tokensOf(organizationId).filter(({ endsAt }) => !isOld || endsAt !== null);
      if (ended.length === 0) return false;
      writeJournal(state, journal?.(ended), () => {
        for (const { hash } of ended) state.directoryTokens.delete(hash);
      });
      return true;
    },
  };
}
