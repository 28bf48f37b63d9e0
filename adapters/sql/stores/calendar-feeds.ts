import type { CalendarFeeds } from '@rollcall/core';
import type { Database } from '../engine/database.js';
import { execute, writeOne } from '../engine/statements.js';
import { storedIn } from '../engine/stored.js';
import { holdMembership } from './identities.js';

const storedFeed = storedIn('calendar_feeds', {
  organizationId: 'whole',
  userId: 'whole',
  createdAt: 'time',
});

export function sqlCalendarFeeds({ read, write }: Database): CalendarFeeds {
  return {
    create: ({ organizationId, userId, hash, createdAt }) =>
      write(async (sql) => {
        if (!(await holdMembership(sql, { organizationId, userId }))) return false;
        await execute(sql)`INSERT INTO calendar_feeds (organization_id, user_id, hash, created_at)
          VALUES (${organizationId}, ${userId}, ${hash}, ${createdAt})
          ON CONFLICT (organization_id, user_id) DO UPDATE
          SET hash = excluded.hash, created_at = excluded.created_at`;
        return true;
      }),

    find: (hash) => storedFeed.first(read)`FROM calendar_feeds WHERE hash = ${hash}`,
    of: ({ organizationId, userId }) =>
      storedFeed.first(read)`FROM calendar_feeds
        WHERE organization_id = ${organizationId} AND user_id = ${userId}`,

    async revoke({ organizationId, userId }) {
      return writeOne(write)`DELETE FROM calendar_feeds
          WHERE organization_id = ${organizationId} AND user_id = ${userId}`;
    },
  };
}
