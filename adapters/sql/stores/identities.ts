import type { Identities, Identity, IdentityKey, MemberKey, NotLinked } from '@rollcall/core';
import { exists, type Sql } from '../engine/database.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { writeJournal } from './journal.js';
import { storedIdentity } from './sign-on-row.js';

const ofKey = 'organization_id = ? AND issuer = ? AND subject = ?';

export function sqlIdentities({ read, write }: StorageDatabase): Identities {
  return {
    bySubject: (key) => identityBySubject(read, key),
    of: (member) => identityOf(read, member),

    link: (fresh, journal) =>
      write(async (sql) => {
        if ((await issuerOf(sql, fresh.organizationId)) !== fresh.issuer) return 'sign-on-off';
        // The lock keeps the membership until the end of the transaction.
        const member = 'FROM memberships WHERE organization_id = ? AND user_id = ? FOR KEY SHARE';
        if (!(await exists(sql, member, [fresh.organizationId, fresh.userId]))) return 'not-a-member';
        for (;;) {
          const linked = await insert(sql, fresh);
          if (linked !== null) {
            await writeJournal(sql, journal?.(linked));
            return linked;
          }
          const found = await linkedBefore(sql, fresh);
          // Null: what stood in the way has ended.
          if (found !== null) return found;
        }
      }),

    async touch({ organizationId, issuer, subject, at }) {
      await write(
        (sql) =>
          sql.run(`UPDATE identities SET used_at = ? WHERE ${ofKey} AND used_at < ?`, [
            ...[at, organizationId, issuer, subject, at],
          ]),
        { isMinor: true },
      );
    },

    unlink: ({ organizationId, userId }, journal) =>
      write(async (sql) => {
        const ended = await storedIdentity.changed(
          sql,
          'DELETE FROM identities WHERE organization_id = ? AND user_id = ?',
          [organizationId, userId],
        );
        if (ended === null) return false;
        await sql.run(`DELETE FROM sessions WHERE bound_to = ? AND user_id = ? AND started_by = 'sign-on'`, [
          organizationId,
          userId,
        ]);
        await writeJournal(sql, journal?.(ended));
        return true;
      }),
  };
}

/** The issuer with which sign-on is on; null: it is off. The lock keeps it so until the end of the transaction. */
export async function issuerOf(sql: Sql, organizationId: number): Promise<string | null> {
  const on = await sql.get<{ issuer: string }>(
    'SELECT issuer FROM sign_on WHERE organization_id = ? AND is_on FOR SHARE',
    [organizationId],
  );
  return on?.issuer ?? null;
}

/** Whether the member has an identity of the issuer, which the lock keeps until the end of the transaction. */
export function holdIdentity(
  sql: Sql,
  { organizationId, userId, issuer }: MemberKey & Pick<IdentityKey, 'issuer'>,
): Promise<boolean> {
  const from = 'FROM identities WHERE organization_id = ? AND user_id = ? AND issuer = ? FOR SHARE';
  return exists(sql, from, [organizationId, userId, issuer]);
}

function identityBySubject(sql: Sql, { organizationId, issuer, subject }: IdentityKey) {
  return storedIdentity.first(sql, `FROM identities WHERE ${ofKey}`, [organizationId, issuer, subject]);
}

function identityOf(sql: Sql, { organizationId, userId }: MemberKey): Promise<Identity | null> {
  const from = 'FROM identities WHERE organization_id = ? AND user_id = ?';
  return storedIdentity.first(sql, from, [organizationId, userId]);
}

/** Null: the person or the member is linked. */
function insert(sql: Sql, fresh: Omit<Identity, 'usedAt'>): Promise<Identity | null> {
  return storedIdentity.changed(
    sql,
    `INSERT INTO identities (organization_id, issuer, subject, user_id, linked_at, used_at)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`,
    [fresh.organizationId, fresh.issuer, fresh.subject, fresh.userId, fresh.linkedAt, fresh.linkedAt],
  );
}

async function linkedBefore(sql: Sql, fresh: IdentityKey & MemberKey): Promise<Identity | NotLinked | null> {
  const ofSubject = await identityBySubject(sql, fresh);
  if (ofSubject !== null) return ofSubject.userId === fresh.userId ? ofSubject : 'subject-linked';
  return (await identityOf(sql, fresh)) === null ? null : 'member-linked';
}
