import type { Client } from 'pg';
import { retireConnection } from '../engine/retired-connections.js';
import { onParameter } from '../fast-paths/wire.js';

/** PostgreSQL 14 and later report these at the login, and when they change. */
const SETTINGS: ReadonlySet<string> = new Set(['in_hot_standby', 'default_transaction_read_only']);
const REPLACED_AFTER_MS = 250;

/**
 * A connection to a server that cannot be written is used for a quarter of a second at most: the next one may reach another server,
 * or the same one after it was promoted. Until then, it can read.
 */
export function replaceIfReadOnly(connection: Client): void {
  onParameter(connection, (name, value) => {
    if (value === 'on' && SETTINGS.has(name))
      setTimeout(() => retireConnection(connection), REPLACED_AFTER_MS).unref();
  });
}
