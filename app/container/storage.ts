import type { Clock } from '@rollcall/core';
import {
  createDeliveryHints,
  databaseTime,
  outboxBacklog,
  sqlLimits,
  sqlPorts,
  waitingMails,
} from '@rollcall/sql';
import { adoptDeployment, prune, recentImports } from '@rollcall/sql/maintenance';
import { locationLiterals } from '../config/locations.js';
import type { Config } from '../config.js';
import type { ImportThreadData } from '../dataset/import-messages.js';
import { schemaOf } from '../open-configured-database.js';
import { sqlImports } from '../operator/imports.js';
import { sqlInstanceStore } from '../operator/instances.js';
import { readinessOf } from '../readiness.js';
import { requestDeadline } from '../request-deadline.js';
import { sqlSecretKeyStore } from '../secret-key-store.js';
import { type Bindings, provide } from './bindings.js';

/** The names that any storage provides. The service reaches its data only by them. */
export type StorageBindings = Required<
  Pick<
    Bindings,
    | 'storage'
    | 'isShared'
    | 'sharedTime'
    | 'sharedLimits'
    | 'readiness'
    | 'storageMetrics'
    | 'requestDeadline'
    | 'prune'
    | 'secretKeyStore'
    | 'adoptDeployment'
    | 'imports'
    | 'instanceStore'
  >
>;

/** Enough for every import between two scrapes. */
const MAX_RECENT_IMPORTS = 500;

/** SQLite or PostgreSQL: the only bindings that use the database. */
export const storageModule = {
  deliveryHints: provide([], () => createDeliveryHints()),
  storage: provide(['database', 'deliveryHints'], ({ database, deliveryHints }) =>
    sqlPorts(database, deliveryHints),
  ),
  /** Only one process serves an SQLite file. */
  isShared: provide(['database'], ({ database }) => database.engine === 'postgres'),
  /** Processes that share a PostgreSQL database compare each other's times, so all of them use its clock. */
  sharedTime: provide(['database', 'isShared'], ({ database, isShared }) =>
    isShared ? () => databaseTime(database) : null,
  ),
  sharedLimits: provide(['database', 'isShared'], ({ database, isShared }) =>
    isShared ? (clock: Pick<Clock, 'now'>) => sqlLimits(database, clock) : null,
  ),
  readiness: provide(['database'], ({ database }) => readinessOf(database)),
  storageMetrics: provide(['database'], ({ database }) => ({
    backlog: () => outboxBacklog(database),
    waitingMails: () => waitingMails(database),
    pools: () => database.poolStates(),
    activity: () => database.activity(),
    recentImports: () => recentImports(database, MAX_RECENT_IMPORTS),
    refusedExports: () => database.refusedSnapshots(),
  })),
  requestDeadline: provide(['database'], ({ database }) => requestDeadline(database)),
  prune: provide(
    ['database'],
    ({ database }) =>
      (request) =>
        prune(database, request),
  ),
  secretKeyStore: provide(['database'], ({ database }) => sqlSecretKeyStore(database)),
  adoptDeployment: provide(['database', 'config'], ({ database, config }) => {
    const file = config.database.engine === 'sqlite' ? config.database.file : null;
    return () => adoptDeployment(database, { file });
  }),
  imports: provide(['database', 'config', 'deliveryHints'], ({ database, config, deliveryHints }) =>
    sqlImports({ database, thread: threadData(config), hints: deliveryHints }),
  ),
  instanceStore: provide(['database'], ({ database }) => sqlInstanceStore(database)),
} satisfies StorageBindings & Bindings;

function threadData(config: Config): ImportThreadData {
  const { database, secretKey, previousSecretKeys } = config;
  return {
    databaseUrl: database.engine === 'sqlite' ? `sqlite:${database.file}` : database.connection.reveal(),
    databaseOptions: schemaOf(database),
    secretKey: secretKey.reveal(),
    previousSecretKeys: previousSecretKeys.map((key) => key.reveal()),
    locations: locationLiterals(config),
  };
}
