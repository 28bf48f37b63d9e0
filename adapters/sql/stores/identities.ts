import type { Identities, Identity, IdentityKey, MemberKey, NotLinked } from '@rollcall/core';
import type { Sql } from '../engine/database.js';
import { SQL } from '../engine/sql-text.js';
import { execute, exists, selectOne, writeMinor } from '../engine/statements.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { writeJournal } from './journal.js';
import { storedIdentity } from './sign-on-row.js';

const ofKey = ({ organizationId, issuer, subject }: IdentityKey) =>
  SQL`organization_id = ${organizationId} AND issuer = ${issuer} AND subject = ${subject}`;

export function sqlIdentities({ read, write }: StorageDatabase): Identities {
  return {
    bySubject: (key) => identityBySubject(read, key),
    of: (member) => identityOf(read, member),

    link: (fresh, journal) =>
      write(async (sql) => {
        if ((await issuerOf(sql, fresh.organizationId)) !== fresh.issuer) return 'sign-on-off';
        if (!(await holdMembership(sql, fresh))) return 'not-a-member';
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

    async touch({ at, ...key }) {
      await writeMinor(write)`UPDATE identities SET used_at = ${at} WHERE ${ofKey(key)} AND used_at < ${at}`;
    },

    unlink: ({ organizationId, userId }, journal) =>
      write(async (sql) => {
        const ended = await storedIdentity.changed(sql)`DELETE FROM identities
          WHERE organization_id = ${organizationId} AND user_id = ${userId}`;
        if (ended === null) return false;
        await execute(sql)`DELETE FROM sessions
          WHERE bound_to = ${organizationId} AND user_id = ${userId} AND started_by = 'sign-on'`;
        await writeJournal(sql, journal?.(ended));
        return true;
      }),
  };
}

/** The issuer with which sign-on is on; null: it is off. The lock keeps it so until the end of the transaction. */
export async function issuerOf(sql: Sql, organizationId: number): Promise<string | null> {
  const on = await selectOne<{ issuer: string }>(sql)`SELECT issuer FROM sign_on
    WHERE organization_id = ${organizationId} AND is_on FOR SHARE`;
  return on?.issuer ?? null;
}

/** Whether there is the membership, which the lock keeps until the end of the transaction. */
export function holdMembership(sql: Sql, { organizationId, userId }: MemberKey): Promise<boolean> {
  return exists(sql)`FROM memberships
    WHERE organization_id = ${organizationId} AND user_id = ${userId} FOR KEY SHARE`;
}

/** Whether the member has an identity of the issuer, which the lock keeps until the end of the transaction. */
export function holdIdentity(
  sql: Sql,
  { organizationId, userId, issuer }: MemberKey & Pick<IdentityKey, 'issuer'>,
): Promise<boolean> {
  return exists(sql)`FROM identities
    WHERE organization_id = ${organizationId} AND user_id = ${userId} AND issuer = ${issuer} FOR SHARE`;
}

function identityBySubject(sql: Sql, key: IdentityKey): Promise<Identity | null> {
  return storedIdentity.first(sql)`FROM identities WHERE ${ofKey(key)}`;
}

function identityOf(sql: Sql, { organizationId, userId }: MemberKey): Promise<Identity | null> {
  return storedIdentity.first(sql)`FROM identities
    WHERE organization_id = ${organizationId} AND user_id = ${userId}`;
}

/** Null: the person or the member is linked. */
function insert(sql: Sql, fresh: Omit<Identity, 'usedAt'>): Promise<Identity | null> {
  const inserted = storedIdentity.insert({ ...fresh, usedAt: fresh.linkedAt });
  return storedIdentity.changed(sql)`${inserted} ON CONFLICT DO NOTHING`;
}

async function linkedBefore(sql: Sql, fresh: IdentityKey & MemberKey): Promise<Identity | NotLinked | null> {
  const ofSubject = await identityBySubject(sql, fresh);
  if (ofSubject !== null) return ofSubject.userId === fresh.userId ? ofSubject : 'subject-linked';
  return (await identityOf(sql, fresh)) === null ? null : 'member-linked';
}
