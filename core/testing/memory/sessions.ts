import type { Sessions } from '../../users/ports.js';
import { existing, type State } from './state.js';
import { toUser } from './users.js';

export function memorySessions(state: State): Sessions {
  return {
    async open({ hash, userId, boundTo, openedAt, passwordHash }) {
      if (passwordHash !== null && state.users.get(userId)?.passwordHash !== passwordHash) return false;
      state.sessions.set(hash, { userId, boundTo, openedAt, seenAt: openedAt });
      return true;
    },
    async find(hash) {
      const session = state.sessions.get(hash);
      if (session === undefined) return null;
      const { userId, ...rest } = session;
      return { user: toUser(existing(state.users.get(userId))), ...rest };
    },
    async touch({ hash, at }) {
      const session = state.sessions.get(hash);
      if (session !== undefined && session.seenAt < at) state.sessions.set(hash, { ...session, seenAt: at });
    },
    async close(hash) {
      state.sessions.delete(hash);
    },
  };
}
