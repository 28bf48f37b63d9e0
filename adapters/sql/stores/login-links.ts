import type { LoginLink, LoginLinks } from '@rollcall/core';
import { type Database, timestampOrNull } from '../engine/database.js';
import { insertEntries } from './audit-trail.js';
import { unlessUserUnknown } from './unknown-rows.js';

interface LoginLinkRow {
  readonly organization_id: number;
  readonly user_id: number;
  readonly created_at: string;
  readonly expires_at: string;
  readonly redeemed_at: string | null;
}

const columns = 'organization_id, user_id, created_at, expires_at, redeemed_at';

export function sqlLoginLinks({ read, write }: Database): LoginLinks {
  return {
    async store({ hash, ...link }, buildEntries) {
      const { organizationId, userId, createdAt, expiresAt } = link;
      const stored = await unlessUserUnknown({ read }, userId, () =>
        write(async (sql) => {
          await sql.run(
            `INSERT INTO login_links (hash, organization_id, user_id, created_at, expires_at)
            VALUES (?, ?, ?, ?, ?)`,
            [hash, organizationId, userId, createdAt, expiresAt],
          );
          await insertEntries(sql, buildEntries?.({ ...link, redeemedAt: null }));
        }),
      );
      return stored !== 'unknown-user';
    },

    async find(hash) {
      const row = await read.get<LoginLinkRow>(`SELECT ${columns} FROM login_links WHERE hash = ?`, [hash]);
      return row === undefined ? null : toLink(row);
    },

    redeem: ({ hash, at }, buildEntries) =>
      write(async (sql) => {
        const [row] = await sql.all<LoginLinkRow>(
          `UPDATE login_links SET redeemed_at = ?
          WHERE hash = ? AND redeemed_at IS NULL AND expires_at > ?
          RETURNING ${columns}`,
          [at, hash, at],
        );
        if (row === undefined) return false;
        await insertEntries(sql, buildEntries?.(toLink(row)));
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
