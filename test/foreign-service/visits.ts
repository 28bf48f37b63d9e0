import type { LoginLinks, NewSession, Sessions } from '@rollcall/core';
import { type Database, momentOrNull } from './database.js';
import { type PersonRow, toUser } from './people.js';

interface DoorCodeRow {
  readonly company: number;
  readonly person: number;
  readonly made: number;
  readonly ends: number;
  readonly used: number | null;
}

export function doorCodeLoginLinks(database: Database): LoginLinks {
  return {
    async store({ hash, organizationId, userId, createdAt, expiresAt }) {
      database.run(
        'INSERT INTO door_codes (digest, company, person, made, ends) VALUES (?, ?, ?, ?, ?)',
        ...[hash, organizationId, userId, createdAt.getTime(), expiresAt.getTime()],
      );
    },

    async find(hash) {
      const row = database.get<DoorCodeRow>('SELECT * FROM door_codes WHERE digest = ?', hash);
      if (row === null) return null;
      return {
        organizationId: row.company,
        userId: row.person,
        createdAt: new Date(row.made),
        expiresAt: new Date(row.ends),
        redeemedAt: momentOrNull(row.used),
      };
    },

    // One statement looks and marks: of two callers only one changes a row.
    async redeem({ hash, at }) {
      const text = 'UPDATE door_codes SET used = ? WHERE digest = ? AND used IS NULL AND ends > ?';
      return database.run(text, at.getTime(), hash, at.getTime()) === 1;
    },
  };
}

interface VisitRow extends PersonRow {
  readonly company: number | null;
  readonly began: number;
  readonly seen: number;
}

export function addVisit(database: Database, { hash, userId, boundTo, openedAt }: NewSession): void {
  database.run(
    'INSERT INTO visits (digest, person, company, began, seen) VALUES (?, ?, ?, ?, ?)',
    ...[hash, userId, boundTo, openedAt.getTime(), openedAt.getTime()],
  );
}

export function visitSessions(database: Database): Sessions {
  return {
    async open({ passwordHash, ...session }) {
      return database.transaction(() => {
        const text = 'SELECT id FROM people WHERE id = ? AND password = ?';
        const isStale = passwordHash !== null && database.get(text, session.userId, passwordHash) === null;
        if (!isStale) addVisit(database, session);
        return !isStale;
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
      return { user: toUser(row), boundTo, openedAt: new Date(began), seenAt: new Date(seen) };
    },

    async touch({ hash, at }) {
      database.run('UPDATE visits SET seen = max(seen, ?) WHERE digest = ?', at.getTime(), hash);
    },

    async close(hash) {
      database.run('DELETE FROM visits WHERE digest = ?', hash);
    },
  };
}
