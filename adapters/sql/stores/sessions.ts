import type { NewSession, Sessions } from '@rollcall/core';
import { maxSessions } from '@rollcall/core/adapters';
import { exists, lock, type Sql, timestampOrNull } from '../engine/database.js';
import { allOf } from '../engine/sql-text.js';
import { type StoredRow, stored } from '../engine/stored.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { holdsFactor } from './holds-factor.js';
import { holdIdentity, issuerOf } from './identities.js';
import { writeJournal } from './journal.js';
import { lockUserOf } from './lock-user.js';
import { storedSession, storedSessionWithHash } from './session-row.js';
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
            if (!(await holdsPassword(sql, { userId, hash: passwordHash }))) return false;
            if ((session.hasSecondFactor === true) !== (await holdsFactor(sql, userId))) return false;
          }
          if (boundTo !== null) {
            // The lock keeps the membership until the end, so that a removal also ends this session.
            const from = 'FROM memberships WHERE organization_id = ? AND user_id = ? FOR KEY SHARE';
            if (!(await exists(sql, from, [boundTo, userId]))) return false;
          }
          if (issuer !== undefined && boundTo !== null) {
            const member = { organizationId: boundTo, userId };
            if (!(await holdIdentity(sql, { ...member, issuer }))) return false;
          }
          if (session.startedBy === 'setup-link') {
            const from = 'FROM setup_links WHERE organization_id = ? AND user_id = ? AND hash = ? FOR SHARE';
            if (!(await exists(sql, from, [boundTo, userId, session.sid ?? null]))) return false;
          }
          if (passwordHash !== null)
            await sql.run('UPDATE users SET signed_in_at = ? WHERE id = ?', [session.createdAt, userId]);
          await insertSession(sql, session);
          return true;
        }),
      );
      return created === true;
    },

    async find(hash) {
      const row = await read.get<StoredRow>(
        `SELECT ${storedSession.columns}, ${storedUser.columns}
        FROM sessions JOIN users ON users.id = sessions.user_id
        WHERE sessions.hash = ?`,
        [hash],
      );
      return row === undefined ? null : { user: storedUser.read(row), ...storedSession.read(row) };
    },

    async lastSignIn(userId) {
      const found = await read.get<{ signed_in_at: string | null }>(
        'SELECT signed_in_at FROM users WHERE id = ?',
        [userId],
      );
      return timestampOrNull(found?.signed_in_at ?? null);
    },

    async touch({ hash, at }) {
      await write(
        (sql) => sql.run('UPDATE sessions SET seen_at = ? WHERE hash = ? AND seen_at < ?', [at, hash, at]),
        { isMinor: true },
      );
    },

    ofUser: ({ userId, createdAfter, seenAfter, limit }) =>
      storedSessionWithHash.all(
        read,
        `FROM sessions
        WHERE user_id = ? AND opened_at > ? AND seen_at > ? ORDER BY seen_at DESC, hash LIMIT ?`,
        [userId, createdAfter, seenAfter, limit],
      ),

    end: (hash, journal) =>
      write(async (sql) => {
        const ended = await storedSessionWithHash.changed(sql, 'DELETE FROM sessions WHERE hash = ?', [hash]);
        if (ended !== null) await writeJournal(sql, journal?.(ended));
        return ended !== null;
      }),

    endOthers: (hash, journal) =>
      write(async (sql) => {
        await lockUserOf(sql, { table: 'sessions', hash });
        const own = await sql.get<{ user_id: number }>('SELECT user_id FROM sessions WHERE hash = ?', [hash]);
        if (own === undefined) return false;
        const rows = await sql.all<StoredRow>(
          `DELETE FROM sessions WHERE user_id = ? AND hash <> ? RETURNING ${storedSessionWithHash.columns}`,
          [own.user_id, hash],
        );
        if (rows.length > 0) await writeJournal(sql, journal?.(rows.map(storedSessionWithHash.read)));
        return true;
      }),

    async endSignedOn({ organizationId, sid, userId }) {
      if (sid === null && userId === null) return;
      const { text, values } = allOf(
        ['bound_to = ?', organizationId],
        sid !== null && ['sid = ?', sid],
        userId !== null && ['user_id = ?', userId],
      );
      await write((sql) => sql.run(`DELETE FROM sessions WHERE started_by = 'sign-on' AND ${text}`, values));
    },

    endAll: ({ userId, onlyOf }, journal) =>
      write(async (sql) => {
        // Nobody else changes sessions from here on, so those that are read are those that are deleted.
        await lock(sql, 'LOCK TABLE sessions IN SHARE ROW EXCLUSIVE MODE');
        const { text, values } = allOf(
          userId !== null && ['sessions.user_id = ?', userId],
          onlyOf !== undefined && [
            `(sessions.bound_to = ? OR NOT EXISTS (
              SELECT 1 FROM memberships
              WHERE memberships.user_id = sessions.user_id AND memberships.organization_id <> ?
            ))`,
            ...[onlyOf, onlyOf],
          ],
        );
        const condition = text === '' ? '' : ` WHERE ${text}`;
        const ended = await withUser.all(
          sql,
          `FROM sessions JOIN users ON users.id = sessions.user_id${condition}`,
          values,
        );
        if (ended.length === 0) return;
        await sql.run(`DELETE FROM sessions${condition}`, values);
        await writeJournal(sql, journal?.(ended));
      }),
  };
}

/**
 * Whether this is the user's hash. The lock keeps it until the transaction ends, so that a later change of the password also
 * ends what is created here, and is that of everyone who adds or removes a second factor.
 */
export function holdsPassword(
  sql: Sql,
  { userId, hash }: { readonly userId: number; readonly hash: string },
): Promise<boolean> {
  return exists(sql, 'FROM users WHERE id = ? AND password_hash = ? FOR NO KEY UPDATE', [userId, hash]);
}

export async function insertSession(
  sql: Sql,
  {
    hash,
    userId,
    boundTo,
    startedBy,
    sid = null,
    hasSecondFactor = false,
    createdAt,
    device = null,
  }: NewSession,
): Promise<void> {
  await sql.run(
    `INSERT INTO sessions (hash, user_id, bound_to, started_by, sid, has_second_factor, opened_at, seen_at, device)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [hash, userId, boundTo, startedBy ?? null, sid, hasSecondFactor, createdAt, createdAt, device],
  );
  await sql.run(
    `DELETE FROM sessions WHERE hash IN (
      SELECT hash FROM sessions
      WHERE user_id = ? AND hash <> ? AND (COALESCE(started_by, '') = 'setup-link') = ?
      ORDER BY seen_at DESC, hash LIMIT ? OFFSET ?
    )`,
    [userId, hash, startedBy === 'setup-link', maxSessions, maxSessions - 1],
  );
}
