import { type EngineSql, lock } from '../engine/database.js';
import { advisoryLocks } from '../postgres/advisory-locks.js';

/**
 * Until the end of the transaction, no other one invites or registers this address in the organization. Each of the two
 * first checks that the other has not happened.
 */
export async function lockAddress(
  sql: EngineSql,
  { organizationId, email }: { readonly organizationId: number; readonly email: string },
): Promise<void> {
  await lock(sql, `SELECT pg_advisory_xact_lock(${advisoryLocks.address}, hashtext(?))`, [
    `${organizationId} ${email}`,
  ]);
}
