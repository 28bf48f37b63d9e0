import type { LoginLinks } from '../../users/ports/login-links.js';
import { addEntries } from './audit-trail.js';
import { isSameMember } from './memberships.js';
import type { State } from './state.js';

export function memoryLoginLinks(state: State): LoginLinks {
  return {
    async store({ hash, ...fresh }, buildEntries) {
      if (!state.memberships.some((membership) => isSameMember(membership, fresh))) return false;
      const link = { ...fresh, redeemedAt: null };
      const entries = buildEntries?.(link);
      state.loginLinks.set(hash, link);
      addEntries(state, entries);
      return true;
    },
    async find(hash) {
      return state.loginLinks.get(hash) ?? null;
    },
    async redeem({ hash, at }, buildEntries) {
      const link = state.loginLinks.get(hash);
      if (link === undefined || link.redeemedAt !== null || link.expiresAt <= at) return false;
      const redeemed = { ...link, redeemedAt: at };
      const entries = buildEntries?.(redeemed);
      state.loginLinks.set(hash, redeemed);
      addEntries(state, entries);
      return true;
    },
  };
}
