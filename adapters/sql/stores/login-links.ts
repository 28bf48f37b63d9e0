import type { LoginLink, LoginLinks } from '@rollcall/core';
import { timestampOrNull } from '../engine/database.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { writeJournal } from './journal.js';

interface LoginLinkRow {
  readonly organization_id: number;
  readonly user_id: number;
  readonly created_at: string;
  readonly expires_at: string;
  readonly redeemed_at: string | null;
}

const columns = 'organization_id, user_id, created_at, expires_at, redeemed_at';

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

    async find(hash) {
      const row = await read.get<LoginLinkRow>(`SELECT ${columns} FROM login_links WHERE hash = ?`, [hash]);
      return row === undefined ? null : toLink(row);
    },

    redeem: ({ hash, at }, journal) =>
      write(async (sql) => {
        const [row] = await sql.all<LoginLinkRow>(
          `UPDATE login_links SET redeemed_at = ?
          WHERE hash = ? AND redeemed_at IS NULL AND expires_at > ?
          RETURNING ${columns}`,
          [at, hash, at],
        );
        if (row === undefined) return false;
        await writeJournal(sql, journal?.(toLink(row)));
        return true;
      }),
  };
}

function toLink(row: LoginLinkRow): LoginLink {
  return {
    organizationId: row.organization_id,
    userId: row.user_id,
    createdAt: new Date(row.created_at),
    expiresAt: new Date(row.expires_at),
    redeemedAt: timestampOrNull(row.redeemed_at),
  };
}
