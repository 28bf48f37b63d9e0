import type { AuditAction, AuditEntry, AuditTrail, NamedUser, NewAuditEntry, Who } from '@rollcall/core';
import { type Database, only, placeholders, type Sql } from '../engine/database.js';

interface AuditEntryRow extends NamedUserRow, WhoRow {
  readonly id: number;
  readonly organization_id: number;
  readonly at: string;
  readonly from_address: string | null;
  readonly action: AuditAction;
  readonly subject: string | null;
}

export function sqlAuditTrail({ readAside, write }: Database): AuditTrail {
  return {
    async record(entry) {
      await write((sql) => insertEntry(sql, entry));
    },

    async list({ organizationId, offset, limit }) {
      const read = readAside(organizationId);
      const rows = await read.all<AuditEntryRow>(
        `SELECT entries.id, entries.organization_id, entries.at, entries.who, entries.user_id AS who_user_id,
          entries.from_address, entries.action, entries.subject, ${namedUserColumns}
        FROM audit_entries AS entries LEFT JOIN users ON users.id = entries.user_id
        WHERE entries.organization_id = ?
        ORDER BY entries.at DESC, entries.id DESC LIMIT ? OFFSET ?`,
        [organizationId, limit, offset],
      );
      const counts = await read.all<{ total: number }>(
        'SELECT count(*) AS total FROM audit_entries WHERE organization_id = ?',
        [organizationId],
      );
      return { total: only(counts).total, entries: rows.map(toEntry) };
    },

    async lastOf({ organizationId, actions }) {
      const [last] = await readAside(organizationId).all<Pick<AuditEntryRow, 'action'>>(
        `SELECT action FROM audit_entries WHERE organization_id = ? AND action IN (${placeholders(actions.length)})
        ORDER BY at DESC, id DESC LIMIT 1`,
        [organizationId, ...actions],
      );
      return last?.action ?? null;
    },
  };
}

/** Stores the entry in the transaction of its action. Returns its id. */
export async function insertEntry(
  sql: Sql,
  { organizationId, at, actor, action, subject }: NewAuditEntry,
): Promise<number> {
  const rows = await sql.all<{ id: number }>(
    `INSERT INTO audit_entries (organization_id, at, who, user_id, from_address, action, subject)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    RETURNING id`,
    [organizationId, at, ...whoValues(actor.who), actor.from, action, subject],
  );
  return only(rows).id;
}

/** The stored form of `Who`. */
export interface WhoRow {
  readonly who: Who['kind'];
  readonly who_user_id: number | null;
}

export function toWho({ who, who_user_id }: WhoRow): Who {
  if (who !== 'user') return { kind: who };
  if (who_user_id === null) throw new Error('a user did something, and it is not said which');
  return { kind: who, userId: who_user_id };
}

export function whoValues(who: Who): readonly [Who['kind'], number | null] {
  return [who.kind, who.kind === 'user' ? who.userId : null];
}

/** A user that a row of another table refers to. All values are null when it refers to none. */
export interface NamedUserRow {
  readonly named_id: number | null;
  readonly named_email: string | null;
  readonly named_first_name: string | null;
  readonly named_last_name: string | null;
}

/** The columns of a `NamedUserRow`, of the table `users`. */
export const namedUserColumns =
  'users.id AS named_id, users.email AS named_email, users.first_name AS named_first_name, ' +
  'users.last_name AS named_last_name';

export function toNamedUser(row: NamedUserRow): NamedUser | null {
  const { named_id: id, named_email: email, named_first_name: firstName, named_last_name: lastName } = row;
  if (id === null || email === null || firstName === null || lastName === null) return null;
  return { id, email, firstName, lastName };
}

function toEntry(row: AuditEntryRow): AuditEntry {
  return {
    id: row.id,
    organizationId: row.organization_id,
    at: new Date(row.at),
    actor: { who: toWho(row), from: row.from_address },
    action: row.action,
    subject: row.subject,
    user: toNamedUser(row),
  };
}
