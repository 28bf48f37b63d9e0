import type { StoragePorts } from '@rollcall/core';
import { sqlAuditTrail } from './audit-trail.js';
import { sqlCalendarFeeds } from './calendar-feeds.js';
import type { Database, DatabaseOptions } from './database.js';
import { sqlInvitations } from './invitations.js';
import { sqlLoginLinks } from './login-links.js';
import { sqlMeetings } from './meetings.js';
import { sqlMembers } from './members.js';
import { sqlOrganizations } from './organizations.js';
import { sqlDeliveries, sqlOutbox } from './outbox.js';
import { openPostgres } from './postgres.js';
import { sqlSessions } from './sessions.js';
import { openSqlite } from './sqlite.js';
import { sqlUsers } from './users.js';
import { createWaiting } from './waiting.js';
import { sqlWebhooks } from './webhooks.js';

export {
  type Collisions,
  type EqualAddresses,
  emailOf,
  findCollisions,
  type ReplacedAccount,
  type SharedNumber,
} from './collisions.js';
export {
  areSamePostgres,
  type CopiedTable,
  CopyError,
  type CopyStep,
  copyDatabase,
  refuseHeld,
  secretKeyIdOf,
} from './copy.js';
export type { Bulk, Database, DatabaseOptions, PoolState, Snapshot, Sql, SqlValue } from './database.js';
export {
  DatasetError,
  type DatasetItem,
  type DatasetKind,
  type DatasetRecord,
  type MeetingRecord,
  type MembershipRecord,
  type OrganizationRecord,
  type RegistrationRecord,
  type UserRecord,
  type WaitlistEntryRecord,
} from './dataset.js';
export { adoptDeployment, type Deployment, leaveDeployment } from './deployment.js';
export { closeFiles } from './files.js';
export { type ImportCounts, type ImportOptions, type ImportStep, importDataset } from './import.js';
export {
  type KeyNeed,
  keyNeeds,
  type NeedingOrganization,
  organizationsNeeding,
  type Resealed,
  resealWebhookSecrets,
  type StoredUnderKey,
} from './key-needs.js';
export { sqlLimits } from './limits.js';
export { holdSenderLock } from './lock.js';
export { isMisconfigured } from './misconfigured.js';
export { type Backlog, outboxBacklog } from './outbox.js';
export { isPressed, withOnePatience } from './patience.js';
export { detachUser } from './platform-numbers.js';
export { type Prune, type Pruned, prune } from './prune.js';
export type { Replica, ReplicaOptions, ReplicaState } from './replica.js';
export { adoptSecretKey, noteSecretKeyUse } from './secret-key.js';
export { SqliteDriverMissing, sqliteDriver, sqliteDriverPackage } from './sqlite-driver.js';
export { databaseTime } from './time.js';

/**
 * Opens `postgres://…`, or `sqlite:<path>`, or the file of a plain path, which it makes where there is none.
 * Changes no schema: call `migrate`. Throws `Unavailable` when the database can't be reached, and
 * `SqliteDriverMissing` where SQLite is asked for and this installation has none.
 */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  if (/^postgres(ql)?:/i.test(url)) return openPostgres(url, options);
  return openSqlite(sqlitePath(url), options);
}

/** The file that a database URL names. */
export function sqlitePath(url: string): string {
  const scheme = /^([a-z][a-z0-9+]+):/i.exec(url)?.[1];
  if (scheme !== undefined && scheme !== 'sqlite')
    throw new Error(`databases of ${scheme}: are not supported`);
  return scheme === undefined ? url : url.slice('sqlite:'.length);
}

export function sqlPorts(database: Database): StoragePorts {
  const waiting = createWaiting();
  return {
    organizations: sqlOrganizations(database),
    users: sqlUsers(database),
    members: sqlMembers(database, waiting),
    invitations: sqlInvitations(database),
    loginLinks: sqlLoginLinks(database),
    sessions: sqlSessions(database),
    meetings: sqlMeetings(database),
    webhooks: sqlWebhooks(database),
    outbox: sqlOutbox(database, waiting),
    deliveries: sqlDeliveries(database, waiting),
    auditTrail: sqlAuditTrail(database),
    calendarFeeds: sqlCalendarFeeds(database),
  };
}
