import type { CalendarFeed, CalendarFeeds } from '@rollcall/core';
import type { Database, Sql, SqlValue } from '../engine/database.js';

interface FeedRow {
  readonly organization_id: number;
  readonly user_id: number;
  readonly created_at: string;
}

export function sqlCalendarFeeds({ read, write }: Database): CalendarFeeds {
  return {
    create: ({ organizationId, userId, hash, createdAt }) =>
      write(async (sql) => {
        // The lock keeps the membership until the end of the transaction.
        const member = await sql.get(
          'SELECT 1 FROM memberships WHERE organization_id = ? AND user_id = ? FOR KEY SHARE',
          [organizationId, userId],
        );
        if (member === undefined) return false;
        await sql.run(
          `INSERT INTO calendar_feeds (organization_id, user_id, hash, created_at) VALUES (?, ?, ?, ?)
          ON CONFLICT (organization_id, user_id) DO UPDATE
          SET hash = excluded.hash, created_at = excluded.created_at`,
          [organizationId, userId, hash, createdAt],
        );
        return true;
      }),

    find: (hash) => feedWhere(read, 'hash = ?', [hash]),
    of: ({ organizationId, userId }) =>
      feedWhere(read, 'organization_id = ? AND user_id = ?', [organizationId, userId]),

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

async function feedWhere(
  sql: Sql,
  condition: string,
  values: readonly SqlValue[],
): Promise<CalendarFeed | null> {
  const row = await sql.get<FeedRow>(
    `SELECT organization_id, user_id, created_at FROM calendar_feeds WHERE ${condition}`,
    values,
  );
  if (row === undefined) return null;
  return {
    organizationId: row.organization_id,
    userId: row.user_id,
    createdAt: new Date(row.created_at),
  };
}
