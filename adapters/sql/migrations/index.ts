import type { Knex } from 'knex';
import type { Engine } from '../engine/database.js';
import { up as schemaOfPostgres } from './0001-schema.postgres.js';
import { up as schemaOfSqlite } from './0001-schema.sqlite.js';
import { up as dashboardOfPostgres } from './0002-dashboard.postgres.js';
import { up as dashboardOfSqlite } from './0002-dashboard.sqlite.js';
import { dashboardInSteps } from './0002-dashboard.steps.js';
import { up as deploymentOfPostgres } from './0004-deployment.postgres.js';
import { up as deploymentOfSqlite } from './0004-deployment.sqlite.js';
import { up as feedsOfPostgres } from './0005-feeds.postgres.js';
import { up as feedsOfSqlite } from './0005-feeds.sqlite.js';
import { feedsInSteps } from './0005-feeds.steps.js';
import { up as tiedCountsOfPostgres } from './0006-tied-counts.postgres.js';
import { up as tiedCountsOfSqlite } from './0006-tied-counts.sqlite.js';
import { tiedCountsInSteps } from './0006-tied-counts.steps.js';
import { identityInSteps, up as identityOfPostgres } from './0007-identity.postgres.js';
import { up as identityOfSqlite } from './0007-identity.sqlite.js';
import { heldInSteps, up as heldOfPostgres } from './0009-held.postgres.js';
import { up as heldOfSqlite } from './0009-held.sqlite.js';
import { up as importTriggerOfPostgres } from './0012-import-trigger.postgres.js';
import { up as importTriggerOfSqlite } from './0012-import-trigger.sqlite.js';
import { invitedIdsInSteps, up as invitedIdsOfPostgres } from './0013-invited-ids.postgres.js';
import { up as invitedIdsOfSqlite } from './0013-invited-ids.sqlite.js';
import { up as asSentOfPostgres } from './0014-as-sent.postgres.js';
import { up as asSentOfSqlite } from './0014-as-sent.sqlite.js';
import { overlapInSteps, up as overlapOfPostgres } from './0015-overlap.postgres.js';
import { up as overlapOfSqlite } from './0015-overlap.sqlite.js';
import { up as eventsOfPostgres } from './0016-events.postgres.js';
import { up as eventsOfSqlite } from './0016-events.sqlite.js';
import { up as meetingsUpdatedOfPostgres } from './0017-meetings-updated.postgres.js';
import { up as meetingsUpdatedOfSqlite } from './0017-meetings-updated.sqlite.js';
import { up as idempotencyOfPostgres } from './0018-idempotency.postgres.js';
import { up as idempotencyOfSqlite } from './0018-idempotency.sqlite.js';
import { meetingChangesInSteps, up as meetingChangesOfPostgres } from './0019-meeting-changes.postgres.js';
import { up as meetingChangesOfSqlite } from './0019-meeting-changes.sqlite.js';
import { up as operatorOfPostgres } from './0020-operator.postgres.js';
import { up as operatorOfSqlite } from './0020-operator.sqlite.js';
import { up as erasedOfPostgres } from './0021-erased.postgres.js';
import { up as erasedOfSqlite } from './0021-erased.sqlite.js';
import { retentionInSteps, up as retentionOfPostgres } from './0022-retention.postgres.js';
import { up as retentionOfSqlite } from './0022-retention.sqlite.js';
import { outcomesInSteps, up as outcomesOfPostgres } from './0023-outcomes.postgres.js';
import { up as outcomesOfSqlite } from './0023-outcomes.sqlite.js';
import { up as mailsOfPostgres } from './0024-mails.postgres.js';
import { up as mailsOfSqlite } from './0024-mails.sqlite.js';
import { up as sessionDevicesOfPostgres } from './0025-session-devices.postgres.js';
import { up as sessionDevicesOfSqlite } from './0025-session-devices.sqlite.js';
import { normalizeAddresses } from './0026-one-mailbox.js';
import type { Step } from './steps.js';

export interface Migration {
  readonly name: string;
  /** The whole migration in one transaction, for a database that is not in use yet, and always on SQLite. */
  readonly up: Readonly<Record<Engine, (knex: Knex) => Promise<void>>>;
  /**
   * The same changes for a PostgreSQL in use. Leave them out only if `up` is quick even on tables of millions of rows,
   * and waits for only one existing table. Quick changes are: adding columns that may be null or have a constant
   * default, adding and replacing tables and functions, and adding constraints as `NOT VALID`. Reading or writing all
   * rows is not quick: write steps (see steps.ts), and use them for both, as `up.postgres: atOnce(steps)` and `steps`.
   */
  readonly steps?: readonly Step[];
}

/** All migrations, in order. Never change a released one: the next migration fixes its mistakes. */
export const migrations: readonly Migration[] = [
  { name: '0001-schema', up: { sqlite: schemaOfSqlite, postgres: schemaOfPostgres } },
  {
    name: '0002-dashboard',
    up: { sqlite: dashboardOfSqlite, postgres: dashboardOfPostgres },
    steps: dashboardInSteps,
  },
  { name: '0004-deployment', up: { sqlite: deploymentOfSqlite, postgres: deploymentOfPostgres } },
  {
    name: '0005-feeds',
    up: { sqlite: feedsOfSqlite, postgres: feedsOfPostgres },
    steps: feedsInSteps,
  },
  {
    name: '0006-tied-counts',
    up: { sqlite: tiedCountsOfSqlite, postgres: tiedCountsOfPostgres },
    steps: tiedCountsInSteps,
  },
  {
    name: '0007-identity',
    up: { sqlite: identityOfSqlite, postgres: identityOfPostgres },
    steps: identityInSteps,
  },
  { name: '0009-held', up: { sqlite: heldOfSqlite, postgres: heldOfPostgres }, steps: heldInSteps },
  {
    name: '0012-import-trigger',
    up: { sqlite: importTriggerOfSqlite, postgres: importTriggerOfPostgres },
  },
  {
    name: '0013-invited-ids',
    up: { sqlite: invitedIdsOfSqlite, postgres: invitedIdsOfPostgres },
    steps: invitedIdsInSteps,
  },
  { name: '0014-as-sent', up: { sqlite: asSentOfSqlite, postgres: asSentOfPostgres } },
  {
    name: '0015-overlap',
    up: { sqlite: overlapOfSqlite, postgres: overlapOfPostgres },
    steps: overlapInSteps,
  },
  { name: '0016-events', up: { sqlite: eventsOfSqlite, postgres: eventsOfPostgres } },
  {
    name: '0017-meetings-updated',
    up: { sqlite: meetingsUpdatedOfSqlite, postgres: meetingsUpdatedOfPostgres },
  },
  {
    name: '0018-idempotency',
    up: { sqlite: idempotencyOfSqlite, postgres: idempotencyOfPostgres },
  },
  {
    name: '0019-meeting-changes',
    up: { sqlite: meetingChangesOfSqlite, postgres: meetingChangesOfPostgres },
    steps: meetingChangesInSteps,
  },
  { name: '0020-operator', up: { sqlite: operatorOfSqlite, postgres: operatorOfPostgres } },
  { name: '0021-erased', up: { sqlite: erasedOfSqlite, postgres: erasedOfPostgres } },
  {
    name: '0022-retention',
    up: { sqlite: retentionOfSqlite, postgres: retentionOfPostgres },
    steps: retentionInSteps,
  },
  {
    name: '0023-outcomes',
    up: { sqlite: outcomesOfSqlite, postgres: outcomesOfPostgres },
    steps: outcomesInSteps,
  },
  { name: '0024-mails', up: { sqlite: mailsOfSqlite, postgres: mailsOfPostgres } },
  {
    name: '0025-session-devices',
    up: { sqlite: sessionDevicesOfSqlite, postgres: sessionDevicesOfPostgres },
  },
  {
    name: '0026-one-mailbox',
    up: { sqlite: normalizeAddresses('sqlite'), postgres: normalizeAddresses('postgres') },
  },
];

export const migrationNames: readonly string[] = migrations.map(({ name }) => name);

export function migrationSource(engine: Engine): Knex.MigrationSource<Migration> {
  return {
    getMigrations: async () => [...migrations],
    getMigrationName: ({ name }) => name,
    getMigration: async ({ up }) => ({ up: up[engine], down: refuse }),
  };
}

async function refuse(): Promise<void> {
  throw new Error('migrations go forward only');
}
