import type { SetupLinks } from '@rollcall/core';
import type { Sql } from '../engine/database.js';
import { allOf, raw, SQL, type SqlText } from '../engine/sql-text.js';
import { execute } from '../engine/statements.js';
import { storedIn } from '../engine/stored.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { writeJournal } from './journal.js';

const storedLink = storedIn('setup_links', {
  ...{ hash: 'text', organizationId: 'whole', userId: 'whole' },
  ...{ createdAt: 'time', expiresAt: 'time', openedAt: 'timeOrNull' },
});

export function sqlSetupLinks({ read, write }: StorageDatabase): SetupLinks {
  return {
    store: (fresh, journal) =>
      write(async (sql) => {
        const { hash, organizationId, userId, createdAt, expiresAt } = fresh;
        // The lock keeps the role until the end of the transaction.
        const { changes } = await execute(sql)`INSERT INTO setup_links
            (organization_id, hash, user_id, created_at, expires_at)
          SELECT organization_id, ${hash}, user_id, ${createdAt}, ${expiresAt} FROM memberships
          WHERE organization_id = ${organizationId} AND user_id = ${userId} AND role = 'owner' FOR SHARE
          ON CONFLICT (organization_id) DO UPDATE SET
            hash = excluded.hash, user_id = excluded.user_id, created_at = excluded.created_at,
            expires_at = excluded.expires_at, opened_at = NULL`;
        if (changes === 0) return false;
        await endSessions(sql, organizationId);
        await writeJournal(sql, journal?.({ ...fresh, openedAt: null }));
        return true;
      }),

    of: (organizationId) =>
      storedLink.first(read)`FROM setup_links WHERE organization_id = ${organizationId}`,

    byHash: (hash) => storedLink.first(read)`FROM setup_links WHERE hash = ${hash}`,

    open: ({ hash, at }, journal) =>
      write(async (sql) => {
        const link = await storedLink.changed(sql)`UPDATE setup_links SET opened_at = ${at}
          WHERE hash = ${hash} AND expires_at > ${at}`;
        if (link === null) return false;
        await writeJournal(sql, journal?.(link));
        return true;
      }),

    end: (organizationId, journal) =>
      write(async (sql) => {
        const link = await storedLink.changed(sql)`DELETE FROM setup_links
          WHERE organization_id = ${organizationId}`;
        if (link === null) return false;
        await endSessions(sql, organizationId);
        await writeJournal(sql, journal?.(link));
        return true;
      }),
  };
}

/**
 * Ends the links, and their sessions, of people who are not owners any more: a link must not come back with a role. Without
 * an organization, those of all.
 */
export async function endSetUpsOfOthers(sql: Pick<Sql, 'run'>, organizationId?: number): Promise<void> {
  const ofOthers = (organization: SqlText, user: SqlText) =>
    allOf(
      organizationId !== undefined && SQL`${organization} = ${organizationId}`,
      SQL`NOT EXISTS (
        SELECT 1 FROM memberships AS owners
        WHERE owners.organization_id = ${organization} AND owners.user_id = ${user} AND owners.role = 'owner'
      )`,
    );
  await execute(sql)`DELETE FROM setup_links
    WHERE ${ofOthers(raw('setup_links.organization_id'), raw('setup_links.user_id'))}`;
  await execute(sql)`DELETE FROM sessions
    WHERE started_by = 'setup-link' AND ${ofOthers(raw('bound_to'), raw('sessions.user_id'))}`;
}

async function endSessions(sql: Sql, organizationId: number): Promise<void> {
  await execute(sql)`DELETE FROM sessions WHERE bound_to = ${organizationId} AND started_by = 'setup-link'`;
}
