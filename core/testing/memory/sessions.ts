import type { Sessions } from '../../users/ports.js';
import { existing, type State } from './state.js';
import { toUser } from './users.js';

export function memorySessions(state: State): Sessions {
  return {
    async create({ hash, userId, boundTo, createdAt, passwordHash }) {
      const user = state.users.get(userId);
      if (user === undefined || (passwordHash !== null && user.passwordHash !== passwordHash)) return false;
      state.sessions.set(hash, { userId, boundTo, createdAt, seenAt: createdAt });
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
    async end(hash) {
      state.sessions.delete(hash);
    },
  };
}
