import type { LoginLinks } from '@rollcall/core';
import { execute } from '../engine/statements.js';
import { storedIn } from '../engine/stored.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { writeJournal } from './journal.js';

const storedLink = storedIn('login_links', {
  ...{ organizationId: 'whole', userId: 'whole', createdAt: 'time', expiresAt: 'time' },
  redeemedAt: 'timeOrNull',
});

export function sqlLoginLinks({ read, write }: StorageDatabase): LoginLinks {
  return {
    store({ hash, ...link }, journal) {
      const { organizationId, userId, createdAt, expiresAt } = link;
      return write(async (sql) => {
        // The lock keeps the membership until the end of the transaction.
        const { changes } = await execute(sql)`INSERT INTO login_links
            (hash, organization_id, user_id, created_at, expires_at)
          SELECT ${hash}, organization_id, user_id, ${createdAt}, ${expiresAt} FROM memberships
          WHERE organization_id = ${organizationId} AND user_id = ${userId} FOR KEY SHARE`;
        if (changes === 0) return false;
        await writeJournal(sql, journal?.({ ...link, redeemedAt: null }));
        return true;
      });
    },

    find: (hash) => storedLink.first(read)`FROM login_links WHERE hash = ${hash}`,

    redeem: ({ hash, at }, journal) =>
      write(async (sql) => {
        const link = await storedLink.changed(sql)`UPDATE login_links SET redeemed_at = ${at}
          WHERE hash = ${hash} AND redeemed_at IS NULL AND expires_at > ${at}`;
        if (link === null) return false;
        await writeJournal(sql, journal?.(link));
        return true;
      }),
  };
}
