import type { LoginLinks } from '@rollcall/core';
import { type Database, momentOrNull } from './database.js';

interface LoginLinkRow {
  readonly organization_id: number;
  readonly user_id: number;
  readonly created_at: string;
  readonly expires_at: string;
  readonly redeemed_at: string | null;
}

export function sqlLoginLinks({ read, write }: Database): LoginLinks {
  return {
    async store({ hash, organizationId, userId, createdAt, expiresAt }) {
      await write((sql) =>
        sql.run(
          `INSERT INTO login_links (hash, organization_id, user_id, created_at, expires_at)
          VALUES (?, ?, ?, ?, ?)`,
          [hash, organizationId, userId, createdAt, expiresAt],
        ),
      );
    },

    async find(hash) {
      const row = await read.get<LoginLinkRow>(
        `SELECT organization_id, user_id, created_at, expires_at, redeemed_at
        FROM login_links WHERE hash = ?`,
        [hash],
      );
      if (row === undefined) return null;
      return {
        organizationId: row.organization_id,
        userId: row.user_id,
        createdAt: new Date(row.created_at),
        expiresAt: new Date(row.expires_at),
        redeemedAt: momentOrNull(row.redeemed_at),
      };
    },

    async redeem({ hash, at }) {
      const { changes } = await write((sql) =>
        sql.run(
          `UPDATE login_links SET redeemed_at = ?
          WHERE hash = ? AND redeemed_at IS NULL AND expires_at > ?`,
          [at, hash, at],
        ),
      );
      return changes === 1;
    },
  };
}
