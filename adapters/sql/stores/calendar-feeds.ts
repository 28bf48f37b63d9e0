import type { CalendarFeeds } from '@rollcall/core';
import { type Database, exists } from '../engine/database.js';
import { storedIn, time, whole } from '../engine/stored.js';

const storedFeed = storedIn('calendar_feeds', { organizationId: whole, userId: whole, createdAt: time });

export function sqlCalendarFeeds({ read, write }: Database): CalendarFeeds {
  return {
    create: ({ organizationId, userId, hash, createdAt }) =>
      write(async (sql) => {
        // The lock keeps the membership until the end of the transaction.
        const member = 'FROM memberships WHERE organization_id = ? AND user_id = ? FOR KEY SHARE';
        if (!(await exists(sql, member, [organizationId, userId]))) return false;
        await sql.run(
          `INSERT INTO calendar_feeds (organization_id, user_id, hash, created_at) VALUES (?, ?, ?, ?)
          ON CONFLICT (organization_id, user_id) DO UPDATE
          SET hash = excluded.hash, created_at = excluded.created_at`,
          [organizationId, userId, hash, createdAt],
        );
        return true;
      }),

    find: (hash) => storedFeed.first(read, 'FROM calendar_feeds WHERE hash = ?', [hash]),
    of: ({ organizationId, userId }) =>
      storedFeed.first(read, 'FROM calendar_feeds WHERE organization_id = ? AND user_id = ?', [
        organizationId,
        userId,
      ]),

    async revoke({ organizationId, userId }) {
      const { changes } = await write((sql) =>
        sql.run('DELETE FROM calendar_feeds WHERE organization_id = ? AND user_id = ?', [
          organizationId,
          userId,
        ]),
      );
      return changes === 1;
    },
  };
}
