import { renamedHosts } from '../../users/personal-data.js';
import type { Users } from '../../users/ports/users.js';
import type { User } from '../../users/user.js';
import { writeJournal } from './journal.js';
import { addMail } from './mails.js';
import { startMeetingChange } from './meeting-changes.js';
import { newSession } from './new-session.js';
import { hasFactor } from './second-factor-of.js';
import { deleteWhere, nextId, type State, type StoredUser } from './state.js';

export function memoryUsers(state: State): Users {
  return {
    async byEmail(email) {
      const user = userByEmail(state, email);
      return user === undefined ? null : toUser(user);
    },
    async passwordHash(userId) {
      return state.users.get(userId)?.passwordHash ?? null;
    },
    async setPasswordHash({ userId, hash }) {
      const user = state.users.get(userId);
      if (user === undefined) return false;
      state.users.set(userId, { ...user, passwordHash: hash });
      endAccess(state, userId);
      return true;
    },
    async replacePasswordHash({ from, to, session, mails }) {
      const { hash, userId } = session;
      const user = state.users.get(userId);
      if (user === undefined || user.passwordHash !== from) return false;
      if ((session.hasSecondFactor === true) !== hasFactor(state, userId)) return false;
      state.users.set(userId, { ...user, passwordHash: to });
      endAccess(state, userId);
      state.sessions.set(hash, newSession(session));
      for (const mail of mails ?? []) addMail(state, mail);
      return true;
    },
    async setEmail(change, journal) {
      return setEmail(state, change, journal);
    },
    async setName(change, journal) {
      return setName(state, change, journal);
    },
    async create(user) {
      if (userByEmail(state, user.email) !== undefined) return null;
      const created = { ...user, id: nextId(state), avatar: null };
      state.users.set(created.id, created);
      return toUser(created);
    },
  };
}

export function setEmail(
  state: State,
  { from, to }: Parameters<Users['setEmail']>[0],
  journal?: Parameters<Users['setEmail']>[1],
): User | 'not-a-user' | 'email-taken' {
  const user = userByEmail(state, from);
  if (user === undefined) return 'not-a-user';
  if (to !== from && userByEmail(state, to) !== undefined) return 'email-taken';
  const changed = { ...user, email: to };
  const organizationIds = organizationsOf(state, user.id);
  writeJournal(state, journal?.({ user: toUser(changed), organizationIds }), () => {
    state.users.set(user.id, changed);
    endAccess(state, user.id);
  });
  return toUser(changed);
}

export function setName(
  state: State,
  { userId, firstName, lastName, onlyOf }: Parameters<Users['setName']>[0],
  journal?: Parameters<Users['setName']>[1],
): User | 'not-found' | 'in-other-organization' {
  const before = state.users.get(userId);
  const organizationIds = organizationsOf(state, userId);
  if (before === undefined || (onlyOf !== undefined && !organizationIds.includes(onlyOf))) return 'not-found';
  const led = [...state.meetings.values()].filter(({ groupLeaderId }) => groupLeaderId === userId);
  const used = [...organizationIds, ...led.map(({ organizationId }) => organizationId)];
  if (onlyOf !== undefined && used.some((id) => id !== onlyOf)) return 'in-other-organization';
  if (before.firstName === firstName && before.lastName === lastName) return toUser(before);
  const changed = { ...before, firstName, lastName };
  writeJournal(state, journal?.({ user: toUser(changed), before: toUser(before), organizationIds }), () => {
    state.users.set(userId, changed);
    const hosts = renamedHosts(before, changed);
    const recordChanges = startMeetingChange(state, new Set(led.map(({ id }) => id)));
    for (const meeting of led) {
      const host = hosts.get(meeting.host) ?? meeting.host;
      if (host !== meeting.host)
        state.meetings.set(meeting.id, { ...meeting, host, updatedAt: state.changedAt });
    }
    recordChanges();
  });
  return toUser(changed);
}

export function organizationsOf(state: State, userId: number): readonly number[] {
  return state.memberships
    .filter((membership) => membership.userId === userId)
    .map(({ organizationId }) => organizationId)
    .sort((one, other) => one - other);
}

/** Ends every session and password reset of the user. */
export function endAccess({ sessions, passwordResets }: State, userId: number): void {
  const isOwn = (row: { readonly userId: number }): boolean => row.userId === userId;
  deleteWhere(sessions, isOwn);
  deleteWhere(passwordResets, isOwn);
}

export function toUser({ id, uuid, email, firstName, lastName, avatar, createdAt }: User): User {
  return { id, uuid, email, firstName, lastName, avatar, createdAt };
}

export function userByEmail(state: State, email: string): StoredUser | undefined {
  return [...state.users.values()].find((user) => user.email === email);
}
