import type { NewSession, Sessions } from '@rollcall/core';
import { maxSessions } from '@rollcall/core/adapters';
import { type Sql, timestampOrNull } from '../engine/database.js';
import { allOf, SQL } from '../engine/sql-text.js';
import { execute, exists, lock, selectOne, writeMinor } from '../engine/statements.js';
import { stored } from '../engine/stored.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { holdsFactor } from './holds-factor.js';
import { holdIdentity, holdMembership, issuerOf } from './identities.js';
import { writeJournal } from './journal.js';
import { lockUserOf } from './locks.js';
import { storedSessionWithHash } from './session-row.js';
import { unlessUserUnknown } from './unknown-rows.js';
import { storedUser } from './user-row.js';

const withUser = stored(`${storedSessionWithHash.columns}, ${storedUser.columns}`, (row) => ({
  ...storedSessionWithHash.read(row),
  user: storedUser.read(row),
}));

export function sqlSessions({ read, write }: StorageDatabase): Sessions {
  return {
    async create({ passwordHash, ...session }) {
      const created = await unlessUserUnknown({ read }, session.userId, () =>
        write(async (sql) => {
          const { boundTo, userId } = session;
          // Locks are taken in the order in which others take them: of sign-on, the membership and the identity.
          const issuer = session.startedBy === 'sign-on' ? await issuerOf(sql, boundTo ?? 0) : undefined;
          if (issuer === null) return false;
          if (passwordHash !== null) {
            if (!(await holdsPassword(sql, userId, passwordHash))) return false;
            if ((session.hasSecondFactor === true) !== (await holdsFactor(sql, userId))) return false;
          }
          if (boundTo !== null) {
            const member = { organizationId: boundTo, userId };
            // A removal waits for the lock, and also ends this session.
            if (!(await holdMembership(sql, member))) return false;
            if (issuer !== undefined && !(await holdIdentity(sql, { ...member, issuer }))) return false;
          }
          if (session.startedBy === 'setup-link') {
            const link = SQL`FROM setup_links WHERE organization_id = ${boundTo} AND user_id = ${userId}
              AND hash = ${session.sid ?? null} FOR SHARE`;
            if (!(await exists(sql)(link))) return false;
          }
          if (passwordHash !== null)
            await execute(sql)`UPDATE users SET signed_in_at = ${session.createdAt} WHERE id = ${userId}`;
          await insertSession(sql, session);
          return true;
        }),
      );
      return created === true;
    },

    async find(hash) {
      const found = await withUser.first(read)`FROM sessions JOIN users ON users.id = sessions.user_id
        WHERE sessions.hash = ${hash}`;
      if (found === null) return null;
      const { hash: _, ...session } = found;
      return session;
    },

    async lastSignIn(userId) {
      const found = await selectOne<{ signed_in_at: string | null }>(read)`SELECT signed_in_at FROM users
        WHERE id = ${userId}`;
      return timestampOrNull(found?.signed_in_at);
    },

    async touch({ hash, at }) {
      await writeMinor(write)`UPDATE sessions SET seen_at = ${at} WHERE hash = ${hash} AND seen_at < ${at}`;
    },

    ofUser: ({ userId, createdAfter, seenAfter, limit }) =>
      storedSessionWithHash.all(read)`FROM sessions
        WHERE user_id = ${userId} AND opened_at > ${createdAfter} AND seen_at > ${seenAfter}
          ORDER BY seen_at DESC, hash LIMIT ${limit}`,

    end: (hash, journal) =>
      write(async (sql) => {
        const ended = await storedSessionWithHash.changed(sql)`DELETE FROM sessions WHERE hash = ${hash}`;
        if (ended !== null) await writeJournal(sql, journal?.(ended));
        return ended !== null;
      }),

    endOthers: (hash, journal) =>
      write(async (sql) => {
        await lockUserOf(sql, 'sessions', hash);
        const own = await selectOne<{ user_id: number }>(sql)`SELECT user_id FROM sessions
          WHERE hash = ${hash}`;
        if (own === undefined) return false;
        const ended = await storedSessionWithHash.allChanged(sql)`DELETE FROM sessions
          WHERE user_id = ${own.user_id} AND hash <> ${hash}`;
        if (ended.length > 0) await writeJournal(sql, journal?.(ended));
        return true;
      }),

    async endSignedOn({ organizationId, sid, userId }) {
      if (sid === null && userId === null) return;
      const found = allOf(
        SQL`bound_to = ${organizationId}`,
        sid !== null && SQL`sid = ${sid}`,
        userId !== null && SQL`user_id = ${userId}`,
      );
      await write((sql) => execute(sql)`DELETE FROM sessions WHERE started_by = 'sign-on' AND ${found}`);
    },

    endAll: ({ userId, onlyOf }, journal) =>
      write(async (sql) => {
        // Nobody else changes sessions from here on, so those that are read are those that are deleted.
        await lock(sql)`LOCK TABLE sessions IN SHARE ROW EXCLUSIVE MODE`;
        const asked = allOf(
          userId !== null && SQL`sessions.user_id = ${userId}`,
          onlyOf !== undefined &&
            SQL`(sessions.bound_to = ${onlyOf} OR NOT EXISTS (
              SELECT 1 FROM memberships
              WHERE memberships.user_id = sessions.user_id AND memberships.organization_id <> ${onlyOf}
            ))`,
        );
        const found = asked.text === '' ? asked : SQL` WHERE ${asked}`;
        const ended = await withUser.all(sql)`
          FROM sessions JOIN users ON users.id = sessions.user_id${found}`;
        if (ended.length === 0) return;
        await execute(sql)`DELETE FROM sessions${found}`;
        await writeJournal(sql, journal?.(ended));
      }),
  };
}

/**
 * Whether this is the user's hash. The lock keeps it until the transaction ends, so that a later change of the password also
 * ends what is created here, and is that of everyone who adds or removes a second factor.
 */
export function holdsPassword(sql: Sql, userId: number, hash: string): Promise<boolean> {
  return exists(sql)`FROM users WHERE id = ${userId} AND password_hash = ${hash} FOR NO KEY UPDATE`;
}

export async function insertSession(sql: Sql, session: NewSession): Promise<void> {
  const { hash, userId, boundTo, startedBy = null, sid = null, createdAt, device = null } = session;
  await execute(sql)`INSERT INTO sessions
      (hash, user_id, bound_to, started_by, sid, has_second_factor, opened_at, seen_at, device)
    VALUES (${hash}, ${userId}, ${boundTo}, ${startedBy}, ${sid}, ${session.hasSecondFactor ?? false},
      ${createdAt}, ${createdAt}, ${device})`;
  const isSetUp = startedBy === 'setup-link';
  await execute(sql)`DELETE FROM sessions WHERE hash IN (
      SELECT hash FROM sessions
      WHERE user_id = ${userId} AND hash <> ${hash} AND (COALESCE(started_by, '') = 'setup-link') = ${isSetUp}
      ORDER BY seen_at DESC, hash LIMIT ${maxSessions} OFFSET ${maxSessions - 1}
    )`;
}
