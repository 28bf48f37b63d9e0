import type { MailKind, Mails, NewMail, NewOwnersMail } from '@rollcall/core';
import { type Database, type Sql, timestampOrNull } from '../engine/database.js';
import { inLists, listOf, raw, SQL, type SqlText } from '../engine/sql-text.js';
import { execute, exists, selectOnly, writeOne } from '../engine/statements.js';
import { oneOf, storedIn } from '../engine/stored.js';

const storedMail = storedIn('mails', {
  ...{ id: 'whole', kind: oneOf<MailKind>(), email: 'text', organizationId: 'wholeOrNull' },
  ...{ invitationId: 'textOrNull', createdAt: 'time', attempts: 'whole' },
});

export function sqlMails({ read, write }: Database): Mails {
  return {
    add: (mail) => write((sql) => insertMails(sql, [mail])),

    async claim({ limit, claim, at, until }) {
      // Reading first keeps an outbox without mails from taking the lock of an SQLite file.
      if (!(await exists(read)`FROM mails WHERE due_at <= ${at} LIMIT 1`)) return [];
      return write(async (sql) => {
        const mails = await storedMail.all(sql)`FROM mails
          WHERE due_at <= ${at} ORDER BY due_at, id LIMIT ${limit} FOR UPDATE SKIP LOCKED`;
        for (const list of inLists(mails.map(({ id }) => id)))
          await execute(sql)`UPDATE mails SET claim = ${claim}, due_at = ${until}, attempts = attempts + 1
            WHERE id IN (${list})`;
        return mails.map((mail) => ({ ...mail, claim }));
      });
    },

    finish: ({ id, claim }) => writeOne(write)`DELETE FROM mails WHERE id = ${id} AND claim = ${claim}`,

    postpone: ({ id, claim, dueAt }) =>
      writeOne(write)`UPDATE mails SET due_at = ${dueAt}, claim = NULL
          WHERE id = ${id} AND claim = ${claim}`,
  };
}

/** The mails that wait to be sent, and when the oldest was added. */
export interface WaitingMails {
  /** At most `MAX_COUNTED`. */
  readonly count: number;
  /** Null: none waits. */
  readonly oldest: Date | null;
}

/** Counting stops at this number. */
const MAX_COUNTED = 10_000;

export async function waitingMails({ read }: Pick<Database, 'read'>): Promise<WaitingMails> {
  const { count, oldest } = await selectOnly<{ count: number; oldest: string | null }>(read)`
    SELECT count(*) AS count, min(created_at) AS oldest
    FROM (SELECT created_at FROM mails ORDER BY created_at LIMIT ${raw(MAX_COUNTED)}) AS waiting`;
  return { count, oldest: timestampOrNull(oldest) };
}

/** Adds mails in the transaction of what they tell. */
export async function insertMails(sql: Sql, mails: readonly (NewMail | NewOwnersMail)[]): Promise<void> {
  for (const mail of mails) {
    const { kind, createdAt } = mail;
    if ('ownersOf' in mail) await insertOwnersMail(sql, mail);
    else
      await execute(sql)`INSERT INTO mails (kind, email, organization_id, invitation_id, created_at, due_at)
        VALUES (${kind}, ${mail.email}, ${mail.organizationId ?? null}, ${mail.invitationId ?? null},
          ${createdAt}, ${createdAt})`;
  }
}

async function insertOwnersMail(sql: Sql, { kind, ownersOf, createdAt, replaces = [] }: NewOwnersMail) {
  const owners = SQL`FROM memberships JOIN users ON users.id = user_id
    WHERE memberships.organization_id = ${ownersOf} AND role = 'owner'`;
  const insert = SQL`INSERT INTO mails (kind, email, organization_id, created_at, due_at)
    SELECT ${kind}, users.email, memberships.organization_id, ${createdAt}, ${createdAt} ${owners}`;
  // Mails that are due at the same time are claimed by their ids.
  const inOrder = raw('ORDER BY users.id');
  if (replaces.length === 0) {
    await execute(sql)`${insert} ${inOrder}`;
    return;
  }
  const isWaiting = (mails: SqlText) => SQL`${mails}.organization_id = ${ownersOf}
    AND ${mails}.claim IS NULL AND ${mails}.kind IN (${listOf(replaces)})`;
  const isToOwner = SQL`email IN (SELECT users.email ${owners}) AND ${isWaiting(raw('mails'))}`;
  await execute(sql)`DELETE FROM mails WHERE ${isToOwner} AND EXISTS (
    SELECT 1 FROM mails AS older
    WHERE older.email = mails.email AND older.id < mails.id AND ${isWaiting(raw('older'))})`;
  await execute(sql)`UPDATE mails SET kind = ${kind}, created_at = ${createdAt} WHERE ${isToOwner}`;
  await execute(sql)`${insert}
    AND NOT EXISTS (SELECT 1 FROM mails WHERE mails.email = users.email AND ${isWaiting(raw('mails'))})
    ${inOrder}`;
}
