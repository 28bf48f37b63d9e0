import type { Client } from 'pg';

/** The purpose of a connection. */
export type Role = 'ordinary' | 'exporter' | 'loader';

/** The server's own limits, in case this process can no longer end a statement itself. */
const SERVER_TIMEOUTS_MS: Record<Role, { readonly statement: number; readonly idleTransaction: number }> = {
  ordinary: { statement: 5_000, idleTransaction: 30_000 },
  exporter: { statement: 60_000, idleTransaction: 120_000 },
  // An import may wait for its file, but not for ever: while it waits, vacuum removes no dead rows.
  loader: { statement: 0, idleTransaction: 900_000 },
};

/**
 * Connections through a pooler, with their roles. Only settings that end with the transaction are allowed on them,
 * because the pooler gives the session to other clients.
 */
const pooledRoles = new WeakMap<Client, Role>();

/** Prepares a new connection for its role. */
export async function setUpSession(
  connection: Client,
  { role, isPooled }: { readonly role: Role; readonly isPooled: boolean },
): Promise<void> {
  if (isPooled) pooledRoles.set(connection, role);
  else await connection.query(sessionSettings(role, 'SET'));
}

export function isPooled(connection: Client): boolean {
  return pooledRoles.has(connection);
}

/** The text that begins a transaction. Through a pooler it also contains the session's settings. */
export function beginText(connection: Client, begin: string): string {
  const role = pooledRoles.get(connection);
  return role === undefined ? begin : `${begin}; ${sessionSettings(role, 'SET LOCAL')}`;
}

/** A statement, and not connection parameters, because a pooler refuses parameters that it does not know. */
export function sessionSettings(role: Role, set: 'SET' | 'SET LOCAL'): string {
  const { statement, idleTransaction } = SERVER_TIMEOUTS_MS[role];
  return [
    `${set} TimeZone = 'UTC'`,
    `${set} DateStyle = 'ISO'`,
    `${set} client_min_messages = 'warning'`,
    `${set} statement_timeout = ${statement}`,
    `${set} idle_in_transaction_session_timeout = ${idleTransaction}`,
  ].join('; ');
}
