import type { DirectoryTokens } from '@rollcall/core';
import { raw } from '../engine/sql-text.js';
import { execute, writeMinor } from '../engine/statements.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { storedToken } from './directory-row.js';
import { writeJournal } from './journal.js';
import { lockOrganization } from './locks.js';
import { unlessOrganizationUnknown } from './unknown-rows.js';

export function sqlDirectoryTokens({ read, write }: StorageDatabase): DirectoryTokens {
  return {
    byHash: (hash) => storedToken.first(read)`FROM directory_tokens WHERE hash = ${hash}`,
    async of(organizationId) {
      const tokens = await storedToken.all(read)`FROM directory_tokens
        WHERE organization_id = ${organizationId}`;
      // At most two, the current one first.
      return [...tokens].sort((one, other) => Number(one.endsAt !== null) - Number(other.endsAt !== null));
    },

    add: ({ hash, organizationId, createdAt, keepOldUntil, replaces }, journal) =>
      unlessOrganizationUnknown({ read }, organizationId, () =>
        write(async (sql) => {
          // Before the first token there is no row.
          await lockOrganization(sql, organizationId);
          const current = await storedToken.first(sql)`FROM directory_tokens
            WHERE organization_id = ${organizationId} AND ends_at IS NULL`;
          if (replaces !== undefined && current?.createdAt.getTime() !== replaces?.getTime())
            return 'outdated';
          await execute(sql)`DELETE FROM directory_tokens
            WHERE organization_id = ${organizationId}
              ${raw(keepOldUntil === null ? '' : 'AND ends_at IS NOT NULL')}`;
          await execute(sql)`UPDATE directory_tokens SET ends_at = ${keepOldUntil}
            WHERE organization_id = ${organizationId}`;
          await execute(sql)`INSERT INTO directory_tokens (hash, organization_id, created_at)
            VALUES (${hash}, ${organizationId}, ${createdAt})`;
          await writeJournal(sql, journal?.({ isFirst: current === null }));
          return 'added';
        }),
      ),

    async touch({ hash, at }) {
      await writeMinor(write)`UPDATE directory_tokens SET used_at = ${at}
            WHERE hash = ${hash} AND (used_at IS NULL OR used_at < ${at})`;
    },

    end: ({ organizationId, isOld }, journal) =>
      write(async (sql) => {
        const ended = await storedToken.allChanged(sql)`DELETE FROM directory_tokens
          WHERE organization_id = ${organizationId} ${raw(isOld ? 'AND ends_at IS NOT NULL' : '')}`;
        if (ended.length === 0) return false;
        await writeJournal(sql, journal?.(ended));
        return true;
      }),
  };
}
