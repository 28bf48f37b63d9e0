import type { MailKind, Mails, NewMail, NewOwnersMail } from '@rollcall/core';
import { type Database, exists, inLists, only, type Sql, timestampOrNull } from '../engine/database.js';
import { oneOf, storedIn, text, textOrNull, time, whole, wholeOrNull } from '../engine/stored.js';

const storedMail = storedIn('mails', {
  ...{
    id: whole,
    kind: oneOf<MailKind>(),
    email: text,
    organizationId: wholeOrNull,
    invitationId: textOrNull,
  },
  ...{ createdAt: time, attempts: whole },
});

export function sqlMails({ read, write }: Database): Mails {
  return {
    add: (mail) => write((sql) => insertMails(sql, [mail])),

    async claim({ limit, claim, at, until }) {
      // Reading first keeps an outbox without mails from taking the lock of an SQLite file.
      if (!(await exists(read, 'FROM mails WHERE due_at <= ? LIMIT 1', [at]))) return [];
      return write(async (sql) => {
        const mails = await storedMail.all(
          sql,
          `FROM mails
          WHERE due_at <= ? ORDER BY due_at, id LIMIT ? FOR UPDATE SKIP LOCKED`,
          [at, limit],
        );
        for (const { placeholders, values } of inLists(mails.map(({ id }) => id)))
          await sql.run(
            `UPDATE mails SET claim = ?, due_at = ?, attempts = attempts + 1 WHERE id IN (${placeholders})`,
            [claim, until, ...values],
          );
        return mails.map((mail) => ({ ...mail, claim }));
      });
    },

    finish: ({ id, claim }) =>
      write(async (sql) => {
        const { changes } = await sql.run('DELETE FROM mails WHERE id = ? AND claim = ?', [id, claim]);
        return changes === 1;
      }),

    postpone: ({ id, claim, dueAt }) =>
      write(async (sql) => {
        const { changes } = await sql.run(
          'UPDATE mails SET due_at = ?, claim = NULL WHERE id = ? AND claim = ?',
          [dueAt, id, claim],
        );
        return changes === 1;
      }),
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
  const rows = await read.all<{ count: number; oldest: string | null }>(
    `SELECT count(*) AS count, min(created_at) AS oldest
    FROM (SELECT created_at FROM mails ORDER BY created_at LIMIT ${MAX_COUNTED}) AS waiting`,
  );
  const { count, oldest } = only(rows);
  return { count, oldest: timestampOrNull(oldest) };
}

/** Adds mails in the transaction of what they tell. */
export async function insertMails(sql: Sql, mails: readonly (NewMail | NewOwnersMail)[]): Promise<void> {
  for (const mail of mails) {
    const { kind, createdAt } = mail;
    if ('ownersOf' in mail) await insertOwnersMail(sql, mail);
    else
      await sql.run(
        `INSERT INTO mails (kind, email, organization_id, invitation_id, created_at, due_at)
        VALUES (?, ?, ?, ?, ?, ?)`,
        [kind, mail.email, mail.organizationId ?? null, mail.invitationId ?? null, createdAt, createdAt],
      );
  }
}

async function insertOwnersMail(
  sql: Sql,
  { kind, ownersOf, createdAt, replaces = [] }: NewOwnersMail,
): Promise<void> {
  const insert = `INSERT INTO mails (kind, email, organization_id, created_at, due_at)
    SELECT ?, users.email, memberships.organization_id, ?, ? FROM memberships JOIN users ON users.id = user_id
    WHERE memberships.organization_id = ? AND role = 'owner'`;
  // Mails that are due at the same time are claimed by their ids.
  const inOrder = 'ORDER BY users.id';
  const values = [kind, createdAt, createdAt, ownersOf];
  if (replaces.length === 0) {
    await sql.run(`${insert} ${inOrder}`, values);
    return;
  }
  const isWaiting = (mails: string): string =>
    `${mails}.organization_id = ? AND ${mails}.claim IS NULL AND ${mails}.kind IN (${replaces.map(() => '?').join(', ')})`;
  const toOwners = `email IN (
    SELECT users.email FROM memberships JOIN users ON users.id = user_id
    WHERE memberships.organization_id = ? AND role = 'owner')`;
  const waiting = [ownersOf, ...replaces];
  await sql.run(
    `DELETE FROM mails WHERE ${toOwners} AND ${isWaiting('mails')} AND EXISTS (
      SELECT 1 FROM mails AS older WHERE older.email = mails.email AND older.id < mails.id AND ${isWaiting('older')})`,
    [ownersOf, ...waiting, ...waiting],
  );
  await sql.run(`UPDATE mails SET kind = ?, created_at = ? WHERE ${toOwners} AND ${isWaiting('mails')}`, [
    ...[kind, createdAt, ownersOf],
    ...waiting,
  ]);
  await sql.run(
    `${insert} AND NOT EXISTS (SELECT 1 FROM mails WHERE mails.email = users.email AND ${isWaiting('mails')})
    ${inOrder}`,
    [...values, ...waiting],
  );
}
