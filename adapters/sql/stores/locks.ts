import type { EngineSql } from '../engine/database.js';
import { raw } from '../engine/sql-text.js';
import { lock } from '../engine/statements.js';
import { advisoryLocks } from '../postgres/advisory-locks.js';

// Locks of PostgreSQL until the end of the transaction.

/**
 * No other transaction invites or registers this address in the organization. Each of the two first checks that the other
 * has not happened.
 */
export const lockAddress = lockOf('address');

/**
 * No other transaction gives this id to a member or an invitation of the organization. Lock the address first, so that two
 * transactions never wait for each other.
 */
export const lockIdpId = lockOf('idpId');

/** No other transaction changes or removes the person with this UUID in the directory. A new one has no UUID yet. */
export const lockPerson = lockOf('directory');

function lockOf(what: 'address' | 'idpId' | 'directory') {
  const kind = raw(advisoryLocks[what]);
  return async (sql: EngineSql, organizationId: number, key: string | null) => {
    const hashed = `${organizationId} ${key}`;
    if (key !== null) await lock(sql)`SELECT pg_advisory_xact_lock(${kind}, hashtext(${hashed}))`;
  };
}

/** The organization, its owners and its settings, which may have no row yet. */
export function lockOrganization(sql: EngineSql, organizationId: number): Promise<void> {
  return lock(sql)`SELECT 1 FROM organizations WHERE id = ${organizationId} FOR NO KEY UPDATE`;
}

/** Others who change the access of this user wait from here on. */
export function lockUser(sql: EngineSql, userId: number): Promise<void> {
  return lock(sql)`SELECT 1 FROM users WHERE id = ${userId} FOR NO KEY UPDATE`;
}

/** The same for the user of a session or of a password reset. */
export function lockUserOf(
  sql: EngineSql,
  table: 'sessions' | 'password_resets',
  hash: string,
): Promise<void> {
  return lock(sql)`SELECT 1 FROM users WHERE id = (SELECT user_id FROM ${raw(table)} WHERE hash = ${hash})
    FOR NO KEY UPDATE`;
}
