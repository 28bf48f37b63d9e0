import type { LoginLinks } from '../../users/ports/login-links.js';
import { writeJournal } from './journal.js';
import { membershipOf, type State } from './state.js';

export function memoryLoginLinks(state: State): LoginLinks {
  return {
    async store({ hash, ...fresh }, journal) {
      if (membershipOf(state, fresh) === undefined) return false;
      const link = { ...fresh, redeemedAt: null };
      writeJournal(state, journal?.(link), () => state.loginLinks.set(hash, link));
      return true;
    },
    async find(hash) {
      return state.loginLinks.get(hash) ?? null;
    },
    async redeem({ hash, at }, journal) {
      const link = state.loginLinks.get(hash);
      if (link === undefined || link.redeemedAt !== null || link.expiresAt <= at) return false;
      const redeemed = { ...link, redeemedAt: at };
      writeJournal(state, journal?.(redeemed), () => state.loginLinks.set(hash, redeemed));
      return true;
    },
  };
}
