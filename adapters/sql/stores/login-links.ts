import type { LoginLinks } from '@rollcall/core';
import { storedIn, time, timeOrNull, whole } from '../engine/stored.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { writeJournal } from './journal.js';

const storedLink = storedIn('login_links', {
  ...{ organizationId: whole, userId: whole, createdAt: time, expiresAt: time, redeemedAt: timeOrNull },
});

export function sqlLoginLinks({ read, write }: StorageDatabase): LoginLinks {
  return {
    store({ hash, ...link }, journal) {
      const { organizationId, userId, createdAt, expiresAt } = link;
      return write(async (sql) => {
        // The lock keeps the membership until the end of the transaction.
        const { changes } = await sql.run(
          `INSERT INTO login_links (hash, organization_id, user_id, created_at, expires_at)
          SELECT ?, organization_id, user_id, ?, ? FROM memberships
          WHERE organization_id = ? AND user_id = ? FOR KEY SHARE`,
          [hash, createdAt, expiresAt, organizationId, userId],
        );
        if (changes === 0) return false;
        await writeJournal(sql, journal?.({ ...link, redeemedAt: null }));
        return true;
      });
    },

    find: (hash) => storedLink.first(read, 'FROM login_links WHERE hash = ?', [hash]),

    redeem: ({ hash, at }, journal) =>
      write(async (sql) => {
        const link = await storedLink.changed(
          sql,
          `UPDATE login_links SET redeemed_at = ?
          WHERE hash = ? AND redeemed_at IS NULL AND expires_at > ?`,
          [at, hash, at],
        );
        if (link === null) return false;
        await writeJournal(sql, journal?.(link));
        return true;
      }),
  };
}
