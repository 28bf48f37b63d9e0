import type { SetupLinks } from '../../users/ports/setup-links.js';
import { writeJournal } from './journal.js';
import { isStartedBy } from './new-session.js';
import { deleteWhere, membershipOf, type State } from './state.js';

export function memorySetupLinks(state: State): SetupLinks {
  const byHash = (hash: string) => [...state.setupLinks.values()].find((link) => link.hash === hash) ?? null;
  return {
    async store(fresh, journal) {
      if (membershipOf(state, fresh)?.role !== 'owner') return false;
      const link = { ...fresh, openedAt: null };
      writeJournal(state, journal?.(link), () => {
        endSetUp(state, fresh.organizationId);
        state.setupLinks.set(fresh.organizationId, link);
      });
      return true;
    },
    async of(organizationId) {
      return state.setupLinks.get(organizationId) ?? null;
    },
    async byHash(hash) {
      return byHash(hash);
    },
    async open({ hash, at }, journal) {
      const link = byHash(hash);
      if (link === null || link.expiresAt <= at) return false;
      const opened = { ...link, openedAt: at };
      writeJournal(state, journal?.(opened), () => state.setupLinks.set(link.organizationId, opened));
      return true;
    },
    async end(organizationId, journal) {
      const link = state.setupLinks.get(organizationId);
      if (link === undefined) return false;
      writeJournal(state, journal?.(link), () => endSetUp(state, organizationId));
      return true;
    },
  };
}

/** Ends the organization's link, with its sessions. */
export function endSetUp(state: State, organizationId: number): void {
  state.setupLinks.delete(organizationId);
  deleteWhere(state.sessions, isStartedBy('setup-link', organizationId));
}
