import type { Engine, Sql } from '../engine/database.js';
import { advisoryLocks } from '../postgres/advisory-locks.js';

/**
 * Until the end of the transaction, no other one invites or registers this address in the organization. Each of the two
 * first checks that the other has not happened. SQLite has one writer anyway.
 */
export async function lockAddress(
  { engine, sql }: { readonly engine: Engine; readonly sql: Sql },
  { organizationId, email }: { readonly organizationId: number; readonly email: string },
): Promise<void> {
  if (engine === 'sqlite') return;
  await sql.run(`SELECT pg_advisory_xact_lock(${advisoryLocks.address}, hashtext(?))`, [
    `${organizationId} ${email}`,
  ]);
}
