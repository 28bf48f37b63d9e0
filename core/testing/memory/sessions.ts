import type { Sessions, StoredSession } from '../../users/ports/sessions.js';
import { maxSessions } from '../../users/sessions/session.js';
import { writeJournal } from './journal.js';
import { isStartedBy, newSession } from './new-session.js';
import { hasFactor } from './second-factor-of.js';
import { canSignOn } from './sign-ons.js';
import { deleteWhere, existing, membershipOf, type State, type StoredSessionState } from './state.js';
import { toUser } from './users.js';

export function memorySessions(state: State): Sessions {
  const ofUser = (userId: number): StoredSession[] =>
    [...state.sessions].flatMap(([hash, { userId: owner, sid, ...session }]) =>
      owner === userId ? [{ hash, ...session }] : [],
    );
  return {
    async create({ passwordHash, ...session }) {
      const { hash, userId, boundTo, createdAt } = session;
      const user = state.users.get(userId);
      if (user === undefined || (passwordHash !== null && user.passwordHash !== passwordHash)) return false;
      const member = boundTo === null ? null : { organizationId: boundTo, userId };
      if (member !== null && membershipOf(state, member) === undefined) return false;
      if (session.startedBy === 'sign-on' && (member === null || !canSignOn(state, member))) return false;
      const link = boundTo === null ? undefined : state.setupLinks.get(boundTo);
      if (session.startedBy === 'setup-link' && (link?.userId !== userId || link.hash !== session.sid))
        return false;
      const isProved = session.hasSecondFactor === true;
      if (passwordHash !== null && isProved !== hasFactor(state, userId)) return false;
      if (passwordHash !== null) state.users.set(userId, { ...user, signedInAt: createdAt });
      const isForSetup = session.startedBy === 'setup-link';
      const others = ofUser(userId)
        .filter(({ startedBy }) => (startedBy === 'setup-link') === isForSetup)
        .sort(byLastUse)
        .slice(maxSessions - 1);
      for (const other of others) state.sessions.delete(other.hash);
      state.sessions.set(hash, newSession(session));
      return true;
    },
    async find(hash) {
      const session = state.sessions.get(hash);
      if (session === undefined) return null;
      const { userId, sid, ...rest } = session;
      return { user: toUser(existing(state.users.get(userId))), ...rest };
    },
    async lastSignIn(userId) {
      return state.users.get(userId)?.signedInAt ?? null;
    },
    async touch({ hash, at }) {
      const session = state.sessions.get(hash);
      if (session !== undefined && session.seenAt < at) state.sessions.set(hash, { ...session, seenAt: at });
    },
    async ofUser({ userId, createdAfter, seenAfter, limit }) {
      return ofUser(userId)
        .filter(({ createdAt, seenAt }) => createdAt > createdAfter && seenAt > seenAfter)
        .sort(byLastUse)
        .slice(0, limit);
    },
    async end(hash, journal) {
      const session = state.sessions.get(hash);
      if (session === undefined) return false;
      const { userId: _userId, sid, ...ended } = session;
      writeJournal(state, journal?.({ hash, ...ended }), () => state.sessions.delete(hash));
      return true;
    },
    async endOthers(hash, journal) {
      const own = state.sessions.get(hash);
      if (own === undefined) return false;
      const ended = ofUser(own.userId).filter((session) => session.hash !== hash);
      if (ended.length === 0) return true;
      writeJournal(state, journal?.(ended), () => {
        for (const session of ended) state.sessions.delete(session.hash);
      });
      return true;
    },
    async endSignedOn({ organizationId, sid, userId }) {
      if (sid === null && userId === null) return;
      const isSignedOn = isStartedBy('sign-on', organizationId);
      const isMeant = (session: StoredSessionState): boolean =>
        (sid === null || session.sid === sid) && (userId === null || session.userId === userId);
      deleteWhere(state.sessions, (session) => isSignedOn(session) && isMeant(session));
    },
    async endAll({ userId, onlyOf }, journal) {
      const isElsewhere = state.memberships.some(
        (one) => one.userId === userId && onlyOf !== undefined && one.organizationId !== onlyOf,
      );
      const ended = [...state.sessions].flatMap(([hash, { userId: owner, sid, ...session }]) =>
        (userId === null || owner === userId) && (!isElsewhere || session.boundTo === onlyOf)
          ? [{ hash, ...session, user: toUser(existing(state.users.get(owner))) }]
          : [],
      );
      if (ended.length === 0) return;
      writeJournal(state, journal?.(ended), () => {
        for (const { hash } of ended) state.sessions.delete(hash);
      });
    },
  };
}

/** The last used first. */
function byLastUse(one: StoredSession, other: StoredSession): number {
  return other.seenAt.getTime() - one.seenAt.getTime();
}
