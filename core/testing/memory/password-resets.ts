import type { PasswordResets } from '../../users/ports/password-resets.js';
import { addMail } from './mails.js';
import { existing, type State } from './state.js';
import { endAccess, toUser, userByEmail } from './users.js';

export function memoryPasswordResets(state: State): PasswordResets {
  return {
    async store({ hash, email, expiresAt }) {
      const user = userByEmail(state, email);
      if (user === undefined) return null;
      state.passwordResets.set(hash, { userId: user.id, expiresAt });
      return toUser(user);
    },
    async find(hash) {
      const reset = state.passwordResets.get(hash);
      if (reset === undefined) return null;
      return { user: toUser(existing(state.users.get(reset.userId))), expiresAt: reset.expiresAt };
    },
    async redeem({ hash, at, passwordHash, mails }) {
      const reset = state.passwordResets.get(hash);
      if (reset === undefined || reset.expiresAt <= at) return false;
      const user = existing(state.users.get(reset.userId));
      state.users.set(user.id, { ...user, passwordHash });
      endAccess(state, user.id);
      for (const mail of mails) addMail(state, mail);
      return true;
    },
  };
}
