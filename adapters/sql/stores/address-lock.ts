import type { EngineSql } from '../engine/database.js';
import { lock, raw } from '../engine/sql-text.js';
import { advisoryLocks } from '../postgres/advisory-locks.js';

/**
 * Until the end of the transaction, no other one invites or registers this address in the organization. Each of the two
 * first checks that the other has not happened.
 */
export async function lockAddress(
  sql: EngineSql,
  { organizationId, email }: { readonly organizationId: number; readonly email: string },
): Promise<void> {
  const key = `${organizationId} ${email}`;
  await lock(sql)`SELECT pg_advisory_xact_lock(${raw(advisoryLocks.address)}, hashtext(${key}))`;
}
