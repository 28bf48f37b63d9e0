import type { Client } from 'pg';

/** The name of the service's connections in the server's list. */
export const SERVICE_NAME = 'rollcall';

/** The purpose of a connection. */
export type Role = 'ordinary' | 'exporter' | 'listener' | 'loader';

/** The server's own limits, in case this process can no longer end a statement itself. */
const SERVER_TIMEOUTS_MS: Record<Role, { readonly statement: number; readonly idleTransaction: number }> = {
  ordinary: { statement: 5_000, idleTransaction: 30_000 },
  listener: { statement: 5_000, idleTransaction: 30_000 },
  exporter: { statement: 60_000, idleTransaction: 120_000 },
  // An import may wait for its file, but not for ever: while it waits, vacuum removes no dead rows.
  loader: { statement: 0, idleTransaction: 900_000 },
};

/**
 * Connections through a pooler, with their options. Only settings that end with the transaction are allowed on them,
 * because the pooler gives the session to other clients.
 */
const pooledSessions = new WeakMap<Client, SessionOptions>();

export async function setUpSession(
  connection: Client,
  { isPooled, ...options }: SessionOptions & { readonly isPooled: boolean },
): Promise<void> {
  if (isPooled) pooledSessions.set(connection, options);
  else await connection.query(sessionSettings(options, 'SET'));
}

export function isPooled(connection: Client): boolean {
  return pooledSessions.has(connection);
}

/** Begins an ordinary transaction, whatever isolation is the default. */
export const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/**
 * The text that begins a transaction. Through a pooler it also contains the session's settings. The server reads the texts
 * of one message before the settings apply: a text with a backslash must be written as `E'…'`.
 */
export function beginText(connection: Client, begin: string): string {
  const options = pooledSessions.get(connection);
  return options === undefined ? begin : `${begin}; ${sessionSettings(options, 'SET LOCAL')}`;
}

interface Setting {
  readonly text: string;
  /** The first version of the server that has it. */
  readonly since?: number;
}

/**
 * Settings that results depend on, and limits that would end statements or connections: a role, a database or a server
 * may have others.
 */
const FIXED_SETTINGS: readonly Setting[] = [
  { text: "TimeZone = 'UTC'" },
  { text: "DateStyle = 'ISO'" },
  { text: "IntervalStyle = 'postgres'" },
  { text: "bytea_output = 'hex'" },
  { text: 'extra_float_digits = 1' },
  { text: 'standard_conforming_strings = on' },
  { text: 'transform_null_equals = off' },
  { text: 'array_nulls = on' },
  { text: 'quote_all_identifiers = off' },
  { text: 'exit_on_error = off' },
  { text: "client_min_messages = 'warning'" },
  { text: 'lock_timeout = 0' },
  { text: 'transaction_timeout = 0', since: 170_000 },
];

/** Settings for which `SET LOCAL` comes too late, or which a pooler has to take care of. */
const FIXED_FOR_SESSIONS: readonly Setting[] = [
  { text: "default_transaction_isolation = 'read committed'" },
  { text: 'idle_session_timeout = 0', since: 140_000 },
];

export interface SessionOptions {
  readonly role: Role;
  /** Such as 180001. */
  readonly serverVersion: number;
}

/** A statement, and not connection parameters, because a pooler refuses parameters that it does not know. */
export function sessionSettings({ role, serverVersion }: SessionOptions, set: 'SET' | 'SET LOCAL'): string {
  const { statement, idleTransaction } = SERVER_TIMEOUTS_MS[role];
  const limits: readonly Setting[] = [
    { text: `statement_timeout = ${statement}` },
    { text: `idle_in_transaction_session_timeout = ${idleTransaction}` },
  ];
  const fixed = set === 'SET' ? [...FIXED_SETTINGS, ...FIXED_FOR_SESSIONS] : FIXED_SETTINGS;
  return [...fixed, ...limits]
    .filter(({ since = 0 }) => serverVersion >= since)
    .map(({ text }) => `${set} ${text}`)
    .join('; ');
}
