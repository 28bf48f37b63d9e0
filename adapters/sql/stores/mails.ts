import type { MailKind, Mails, NewMail } from '@rollcall/core';
import { type Database, inLists, type Sql } from '../engine/database.js';

interface MailRow {
  readonly id: number;
  readonly kind: MailKind;
  readonly email: string;
  readonly created_at: string;
  readonly attempts: number;
}

export function sqlMails({ engine, read, write }: Database): Mails {
  return {
    add: (mail) => write((sql) => insertMails(sql, [mail])),

    async claim({ limit, claim, at, until }) {
      // Reading first keeps an outbox without mails from taking the lock of an SQLite file.
      if ((await read.get('SELECT 1 FROM mails WHERE due_at <= ? LIMIT 1', [at])) === undefined) return [];
      return write(async (sql) => {
        const rows = await sql.all<MailRow>(
          `SELECT id, kind, email, created_at, attempts FROM mails
          WHERE due_at <= ? ORDER BY due_at, id LIMIT ?${engine === 'postgres' ? ' FOR UPDATE SKIP LOCKED' : ''}`,
          [at, limit],
        );
        for (const { placeholders, values } of inLists(rows.map(({ id }) => id)))
          await sql.run(
            `UPDATE mails SET claim = ?, due_at = ?, attempts = attempts + 1 WHERE id IN (${placeholders})`,
            [claim, until, ...values],
          );
        return rows.map(({ id, kind, email, created_at, attempts }) => {
          return { id, kind, email, createdAt: new Date(created_at), claim, attempts };
        });
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

export async function insertMails(sql: Sql, mails: readonly NewMail[]): Promise<void> {
  for (const { kind, email, createdAt } of mails)
    await sql.run('INSERT INTO mails (kind, email, created_at, due_at) VALUES (?, ?, ?, ?)', [
      kind,
      email,
      createdAt,
      createdAt,
    ]);
}
