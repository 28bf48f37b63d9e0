import type { AuditAction, AuditEntry, AuditTrail, NamedUser, NewAuditEntry, Who } from '@rollcall/core';
import { countOf, type Database, only, placeholders, type Sql } from '../engine/database.js';
import { oneOf, stored, storedIn, text, textOrNull, time, whole, wholeOrNull } from '../engine/stored.js';

const fields = storedIn('entries', {
  ...{ id: whole, organizationId: whole, at: time, who: oneOf<Who['kind']>(), userId: wholeOrNull },
  ...{ fromAddress: textOrNull, action: oneOf<AuditAction>(), subject: textOrNull },
});

export function sqlAuditTrail({ readAside, write }: Database): AuditTrail {
  return {
    async record(entry) {
      await write((sql) => insertEntry(sql, entry));
    },

    async list({ organizationId, offset, limit }) {
      const read = readAside(organizationId);
      const entries = await storedEntry.all(
        read,
        `FROM audit_entries AS entries LEFT JOIN users ON users.id = entries.user_id
        WHERE entries.organization_id = ?
        ORDER BY entries.at DESC, entries.id DESC LIMIT ? OFFSET ?`,
        [organizationId, limit, offset],
      );
      const total = await countOf(read, 'FROM audit_entries WHERE organization_id = ?', [organizationId]);
      return { total, entries };
    },

    async lastOf({ organizationId, actions }) {
      const [last] = await readAside(organizationId).all<{ readonly action: AuditAction }>(
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

/** From its two columns. */
export function toWho(kind: Who['kind'], userId: number | null): Who {
  if (kind !== 'user') return { kind };
  if (userId === null) throw new Error('a user did something, and it is not said which');
  return { kind, userId };
}

export function whoValues(who: Who): readonly [Who['kind'], number | null] {
  return [who.kind, who.kind === 'user' ? who.userId : null];
}

const namedFields = storedIn(
  'users',
  { id: wholeOrNull, email: text, firstName: text, lastName: text },
  { prefix: 'named_' },
);

/** A user that a row of another table refers to. Null when it refers to none. */
export const storedNamedUser = stored<NamedUser | null>(namedFields.columns, (row) => {
  const { id, ...named } = namedFields.read(row);
  return id === null ? null : { id, ...named };
});

const storedEntry = stored<AuditEntry>(`${fields.columns}, ${storedNamedUser.columns}`, (row) => {
  const { who, userId, fromAddress: from, ...entry } = fields.read(row);
  return { ...entry, actor: { who: toWho(who, userId), from }, user: storedNamedUser.read(row) };
});
