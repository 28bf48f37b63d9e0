import type { CalendarFeed, CalendarFeeds } from '@rollcall/core';
import type { Database } from './database.js';

interface AlmanacRow {
  readonly company: number;
  readonly person: number;
  readonly made: number;
}

function toFeed({ company, person, made }: AlmanacRow): CalendarFeed {
  return { organizationId: company, userId: person, createdAt: new Date(made) };
}

export function almanacCalendarFeeds(database: Database): CalendarFeeds {
  const found = (row: AlmanacRow | null): CalendarFeed | null => (row === null ? null : toFeed(row));
  return {
    // One statement finds the member and writes, so without a member no row is stored.
    async create({ hash, organizationId, userId, createdAt }) {
      const created = database.run(
        `INSERT INTO almanacs (digest, company, person, made)
        SELECT ?, company, person, ? FROM staff WHERE company = ? AND person = ?
        ON CONFLICT (company, person) DO UPDATE SET digest = excluded.digest, made = excluded.made`,
        ...[hash, createdAt.getTime(), organizationId, userId],
      );
      return created === 1;
    },

    async find(hash) {
      return found(database.get('SELECT * FROM almanacs WHERE digest = ?', hash));
    },

    async of({ organizationId, userId }) {
      const text = 'SELECT * FROM almanacs WHERE company = ? AND person = ?';
      return found(database.get(text, organizationId, userId));
    },

    async revoke({ organizationId, userId }) {
      const text = 'DELETE FROM almanacs WHERE company = ? AND person = ?';
      return database.run(text, organizationId, userId) === 1;
    },
  };
}
