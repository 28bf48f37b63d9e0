import type { LoginLink, LoginLinks, NewSession, Sessions } from '@rollcall/core';
import { type Database, timestampOrNull } from './database.js';
import { writeDown } from './diary.js';
import { type PersonRow, toUser } from './person.js';

interface DoorCodeRow {
  readonly company: number;
  readonly person: number;
  readonly made: number;
  readonly ends: number;
  readonly used: number | null;
}

export function doorCodeLoginLinks(database: Database): LoginLinks {
  return {
    async store({ hash, ...link }, buildEntries) {
      const { organizationId, userId, createdAt, expiresAt } = link;
      return database.transaction(() => {
        const text = 'SELECT person FROM staff WHERE company = ? AND person = ?';
        if (database.get(text, organizationId, userId) === null) return false;
        database.run(
          'INSERT INTO door_codes (digest, company, person, made, ends) VALUES (?, ?, ?, ?, ?)',
          ...[hash, organizationId, userId, createdAt.getTime(), expiresAt.getTime()],
        );
        writeDown(database, buildEntries?.({ ...link, redeemedAt: null }));
        return true;
      });
    },

    async find(hash) {
      const row = database.get<DoorCodeRow>('SELECT * FROM door_codes WHERE digest = ?', hash);
      return row === null ? null : toLink(row);
    },

    // One statement checks and marks the code, so that of two callers only one changes a row.
    async redeem({ hash, at }, buildEntries) {
      const text =
        'UPDATE door_codes SET used = ? WHERE digest = ? AND used IS NULL AND ends > ? RETURNING *';
      return database.transaction(() => {
        const row = database.get<DoorCodeRow>(text, at.getTime(), hash, at.getTime());
        if (row !== null) writeDown(database, buildEntries?.(toLink(row)));
        return row !== null;
      });
    },
  };
}

function toLink(row: DoorCodeRow): LoginLink {
  return {
    organizationId: row.company,
    userId: row.person,
    createdAt: new Date(row.made),
    expiresAt: new Date(row.ends),
    redeemedAt: timestampOrNull(row.used),
  };
}

interface VisitRow extends PersonRow {
  readonly company: number | null;
  readonly began: number;
  readonly seen: number;
}

export function addVisit(database: Database, { hash, userId, boundTo, createdAt }: NewSession): void {
  database.run(
    'INSERT INTO visits (digest, person, company, began, seen) VALUES (?, ?, ?, ?, ?)',
    ...[hash, userId, boundTo, createdAt.getTime(), createdAt.getTime()],
  );
}

/** Ends every visit and spare key of the person. */
export function endAccess(database: Database, personId: number): void {
  for (const table of ['visits', 'spare_keys'])
    database.run(`DELETE FROM ${table} WHERE person = ?`, personId);
}

export function visitSessions(database: Database): Sessions {
  return {
    async create({ passwordHash, ...session }) {
      return database.transaction(() => {
        const text = 'SELECT password FROM people WHERE id = ?';
        const person = database.get<{ readonly password: string | null }>(text, session.userId);
        const isRight = person !== null && (passwordHash === null || person.password === passwordHash);
        if (isRight) addVisit(database, session);
        return isRight;
      });
    },

    async find(hash) {
      const row = database.get<VisitRow>(
        `SELECT people.*, visits.company, visits.began, visits.seen
        FROM visits JOIN people ON people.id = visits.person WHERE visits.digest = ?`,
        hash,
      );
      if (row === null) return null;
      const { company: boundTo, began, seen } = row;
      return { user: toUser(row), boundTo, createdAt: new Date(began), seenAt: new Date(seen) };
    },

    async touch({ hash, at }) {
      database.run('UPDATE visits SET seen = max(seen, ?) WHERE digest = ?', at.getTime(), hash);
    },

    async end(hash) {
      database.run('DELETE FROM visits WHERE digest = ?', hash);
    },
  };
}
