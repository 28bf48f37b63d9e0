import type { StoragePorts } from '@rollcall/core';
import type { Database, DatabaseOptions, PostgresPool } from './engine/database.js';
import { createWaiting, type Waiting } from './outbox/waiting.js';
import { withWaiting } from './outbox/waiting-deliveries.js';
import { sqlApiCalls } from './stores/api-calls.js';
import { sqlAuditTrail } from './stores/audit-trail.js';
import { sqlCalendarFeeds } from './stores/calendar-feeds.js';
import { sqlDeliveries } from './stores/deliveries.js';
import { sqlDirectory } from './stores/directory.js';
import { sqlDirectoryTokens } from './stores/directory-tokens.js';
import { sqlEventFeed } from './stores/event-feed.js';
import { sqlIdempotencyKeys } from './stores/idempotency-keys.js';
import { sqlIdentities } from './stores/identities.js';
import { sqlInvitations } from './stores/invitations.js';
import { sqlLoginLinks } from './stores/login-links.js';
import { sqlMails } from './stores/mails.js';
import { sqlMeetings } from './stores/meetings.js';
import { sqlMembers } from './stores/members.js';
import { sqlOrganizations } from './stores/organizations.js';
import { sqlOutbox } from './stores/outbox.js';
import { sqlPasswordResets } from './stores/password-resets.js';
import { sqlPersonalData } from './stores/personal-data.js';
import { sqlSecondFactors } from './stores/second-factors.js';
import { sqlSessions } from './stores/sessions.js';
import { sqlSetupLinks } from './stores/setup-links.js';
import { sqlSignOns } from './stores/sign-ons.js';
import { sqlUsers } from './stores/users.js';
import { sqlWebhooks } from './stores/webhooks.js';

export type {
  Bulk,
  Database,
  DatabaseActivity,
  DatabaseOptions,
  PoolState,
  PostgresPool,
  ReplicaOptions,
  ReplicaState,
  Snapshot,
  Sql,
  SqlValue,
} from './engine/database.js';
export { databaseTime } from './engine/database-time.js';
export { isDatabaseSlow, startWithoutDeadline, withSharedDeadline } from './engine/deadline.js';
export { isMisconfigured } from './engine/misconfigured.js';
export { type Backlog, outboxBacklog } from './outbox/backlog.js';
export { createHearing, type Hearing, type HearingOptions } from './outbox/hearing.js';
export { createWaiting as createDeliveryHints, type Waiting as DeliveryHints } from './outbox/waiting.js';
export { SqliteDriverMissing, sqliteDriver, sqliteDriverPackage } from './sqlite/driver.js';
export { makeFilesPrivate } from './sqlite/files.js';
export { holdSenderLock } from './sqlite/sender-lock.js';
export { sqlLimits } from './stores/limits.js';
export { type WaitingMails, waitingMails } from './stores/mails.js';
export { expiringSignOns } from './stores/sign-ons.js';

/**
 * Opens the database at `postgres://…`, `sqlite:<path>`, a plain path, or where a pool of pg connects. Creates the SQLite
 * file if it is missing. Does not change the schema: call `migrate` for that.
 *
 * @throws `Unavailable` when the database can't be reached; `SqliteDriverMissing` when the URL names SQLite and this
 * installation has no driver for it; `TypeError` for a database in memory.
 */
export async function openDatabase(
  at: string | PostgresPool,
  options: DatabaseOptions = {},
): Promise<Database> {
  // Imported on demand, because a process needs only the driver of its own database.
  if (typeof at !== 'string' || /^postgres(ql)?:/i.test(at)) {
    const { openPostgres } = await import('./postgres/postgres.js');
    return openPostgres(at, options);
  }
  const { openSqlite } = await import('./sqlite/sqlite.js');
  return openSqlite(sqlitePath(at), options);
}

/** Where a pool of pg connects: a URL without the password. */
export async function addressOfPool(pool: PostgresPool): Promise<string> {
  const { addressOfPool: address } = await import('./postgres/connect.js');
  return address(pool);
}

/** The path of the SQLite file that a database URL names. */
function sqlitePath(url: string): string {
  const scheme = /^([a-z][a-z0-9+]+):/i.exec(url)?.[1];
  if (scheme !== undefined && scheme !== 'sqlite')
    throw new Error(`databases of ${scheme}: are not supported`);
  const path = scheme === undefined ? url : url.slice('sqlite:'.length);
  // For SQLite these are databases of one connection alone, and there are several.
  if (path === '' || path === ':memory:')
    throw new TypeError(
      'a database in memory is not supported: give the path of a file, such as sqlite:data/rollcall.db',
    );
  return path;
}

/** The storage ports of the core over one database. Code that adds deliveries without them adds hints. */
export function sqlPorts(at: Database, waiting: Waiting = createWaiting()): StoragePorts {
  const database = withWaiting(at, waiting);
  return {
    organizations: sqlOrganizations(database),
    users: sqlUsers(database),
    members: sqlMembers(database),
    invitations: sqlInvitations(database),
    loginLinks: sqlLoginLinks(database),
    passwordResets: sqlPasswordResets(database),
    mails: sqlMails(database),
    sessions: sqlSessions(database),
    setupLinks: sqlSetupLinks(database),
    signOns: sqlSignOns(database),
    identities: sqlIdentities(database),
    secondFactors: sqlSecondFactors(database),
    directory: sqlDirectory(database),
    directoryTokens: sqlDirectoryTokens(database),
    meetings: sqlMeetings(database),
    webhooks: sqlWebhooks(database),
    outbox: sqlOutbox(database, waiting),
    deliveries: sqlDeliveries(database),
    eventFeed: sqlEventFeed(database),
    apiCalls: sqlApiCalls(database),
    auditTrail: sqlAuditTrail(database),
    calendarFeeds: sqlCalendarFeeds(database),
    idempotencyKeys: sqlIdempotencyKeys(database),
    personalData: sqlPersonalData(database),
  };
}
