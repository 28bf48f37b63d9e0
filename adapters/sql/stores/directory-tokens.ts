import type { DirectoryToken, DirectoryTokens } from '@rollcall/core';
import { lock } from '../engine/database.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { storedToken } from './directory-row.js';
import { writeJournal } from './journal.js';
import { unlessOrganizationUnknown } from './unknown-rows.js';

function currentFirst(one: DirectoryToken, other: DirectoryToken): number {
  return Number(one.endsAt !== null) - Number(other.endsAt !== null);
}

export function sqlDirectoryTokens({ read, write }: StorageDatabase): DirectoryTokens {
  return {
    byHash: (hash) => storedToken.first(read, 'FROM directory_tokens WHERE hash = ?', [hash]),
    async of(organizationId) {
      const from = 'FROM directory_tokens WHERE organization_id = ?';
      // At most two.
      return [...(await storedToken.all(read, from, [organizationId]))].sort(currentFirst);
    },

    add: ({ hash, organizationId, createdAt, keepOldUntil, replaces }, journal) =>
      unlessOrganizationUnknown({ read }, organizationId, () =>
        write(async (sql) => {
          // Before the first token there is no row.
          await lock(sql, 'SELECT 1 FROM organizations WHERE id = ? FOR NO KEY UPDATE', [organizationId]);
          const from = 'FROM directory_tokens WHERE organization_id = ? AND ends_at IS NULL';
          const current = await storedToken.first(sql, from, [organizationId]);
          if (replaces !== undefined && current?.createdAt.getTime() !== replaces?.getTime())
            return 'outdated';
          await sql.run(
            `DELETE FROM directory_tokens
            WHERE organization_id = ? ${keepOldUntil === null ? '' : 'AND ends_at IS NOT NULL'}`,
            [organizationId],
          );
          await sql.run('UPDATE directory_tokens SET ends_at = ? WHERE organization_id = ?', [
            keepOldUntil,
            organizationId,
          ]);
          await sql.run('INSERT INTO directory_tokens (hash, organization_id, created_at) VALUES (?, ?, ?)', [
            hash,
            organizationId,
            createdAt,
          ]);
          await writeJournal(sql, journal?.({ isFirst: current === null }));
          return 'added';
        }),
      ),

    async touch({ hash, at }) {
      await write(
        (sql) =>
          sql.run(
            'UPDATE directory_tokens SET used_at = ? WHERE hash = ? AND (used_at IS NULL OR used_at < ?)',
            [at, hash, at],
          ),
        { isMinor: true },
      );
    },

    end: ({ organizationId, isOld }, journal) =>
      write(async (sql) => {
        const ended = await sql.all<Parameters<typeof storedToken.read>[0]>(
          `DELETE FROM directory_tokens WHERE organization_id = ? ${isOld ? 'AND ends_at IS NOT NULL' : ''}
          RETURNING ${storedToken.columns}`,
          [organizationId],
        );
        if (ended.length === 0) return false;
        await writeJournal(sql, journal?.(ended.map((row) => storedToken.read(row))));
        return true;
      }),
  };
}
