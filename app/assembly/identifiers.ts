import type {
  Core,
  CoreOptions,
  IdentityProvider,
  Ids,
  Limits,
  Passwords,
  Ports,
  StoragePorts,
  WebhookSender,
} from '@rollcall/core';
import type {
  AppOptions,
  createApp,
  createPages,
  HttpServerOptions,
  PagesOptions,
  WithDeadline,
} from '@rollcall/express';
import type {
  BoundedSecurityLog,
  CorrectedClock,
  Keyring,
  Logger,
  QueuedPasswords,
  RunningDispatcher,
} from '@rollcall/node';
import type { DatabaseMetricsOptions, Metrics } from '@rollcall/node/metrics';
import type { Database, Hearing } from '@rollcall/sql';
import type { Deployment, History, Prune, Pruned } from '@rollcall/sql/maintenance';
import type { ServiceIdentifier } from 'inversify';
import type { CallLog } from '../call-log.js';
import type { Config } from '../config.js';
import type { FlushedErrorTracker } from '../error-tracker.js';
import type { HistoryWatch } from '../history-watch.js';
import type { ListeningServer } from '../listening-server.js';
import type { StoppableMailer } from '../mailing.js';
import type { Imports } from '../operator/imports.js';
import type { InstanceStore } from '../operator/instances.js';
import type { Readiness } from '../readiness.js';
import type { ReadinessDrain } from '../readiness-drain.js';
import type { SecretKeyStore } from '../secret-key-store.js';
import type { Service } from '../service.js';
import type { LocalReceivers } from '../webhook-sender.js';

/** Every name in the container, with the type of its value. */
export const ID = {
  // The foundation, which exists before anything else is created.
  config: named<Config>('config'),
  log: named<Logger>('log'),
  /** Not bound if other storage replaces all values that use it. */
  database: named<Database>('database'),

  // Values that use the database. Storage without a database replaces all of them.
  storage: named<StoragePorts>('storage'),
  /** Whether several processes may serve the same data at once. */
  isShared: named<boolean>('isShared'),
  /** Reads the time that all processes use. Null when each process uses its own clock. */
  sharedTime: named<(() => Promise<Date>) | null>('sharedTime'),
  /** Counts for all processes together. Null when each process counts for itself. */
  sharedLimits: named<((clock: Pick<CorrectedClock, 'now'>) => Limits) | null>('sharedLimits'),
  readiness: named<Readiness>('readiness'),
  /** Hears of deliveries that other processes store. */
  hearing: named<Hearing>('hearing'),
  storageMetrics: named<Omit<DatabaseMetricsOptions, 'now'>>('storageMetrics'),
  /** Gives all steps of a request one deadline. */
  requestDeadline: named<WithDeadline>('requestDeadline'),
  /** Null: no standby can take over. */
  history: named<History | null>('history'),
  prune: named<(request: Prune) => Promise<Pruned>>('prune'),
  secretKeyStore: named<SecretKeyStore>('secretKeyStore'),
  adoptDeployment: named<() => Promise<Deployment>>('adoptDeployment'),
  imports: named<Imports>('imports'),
  instanceStore: named<InstanceStore>('instanceStore'),

  // Adapters
  clock: named<CorrectedClock>('clock'),
  ids: named<Ids>('ids'),
  /** A UUID of this run of the process, in its log lines and in the list of instances. */
  instanceId: named<string>('instanceId'),
  limits: named<Limits>('limits'),
  /** Counts visits to pages, in this process only. */
  visitCounts: named<Limits>('visitCounts'),
  keyring: named<Keyring>('keyring'),
  passwords: named<Passwords & Partial<QueuedPasswords>>('passwords'),
  localReceivers: named<LocalReceivers>('localReceivers'),
  webhookSender: named<WebhookSender>('webhookSender'),
  identityProvider: named<IdentityProvider>('identityProvider'),
  /** Null when no mail is sent. */
  mailer: named<StoppableMailer | null>('mailer'),
  errorTracker: named<FlushedErrorTracker>('errorTracker'),
  securityLog: named<BoundedSecurityLog>('securityLog'),
  /** Null when no metrics are configured, so that nothing is measured. */
  metrics: named<Metrics | null>('metrics'),
  historyWatch: named<HistoryWatch>('historyWatch'),
  dispatcher: named<RunningDispatcher>('dispatcher'),

  // The core
  coreOptions: named<CoreOptions>('coreOptions'),
  ports: named<Ports>('ports'),
  core: named<Core>('core'),

  // The service
  /** Whether the application is part of another Express application. */
  isMounted: named<boolean>('isMounted'),
  pagesOptions: named<PagesOptions>('pagesOptions'),
  pages: named<ReturnType<typeof createPages>>('pages'),
  appOptions: named<AppOptions>('appOptions'),
  app: named<ReturnType<typeof createApp>>('app'),
  callLog: named<CallLog>('callLog'),
  readinessDrain: named<ReadinessDrain>('readinessDrain'),
  /** What is wrong with the `Host` of a request to the public port. Undefined: any is right. */
  publicHostProblem: named<HttpServerOptions['hostProblem']>('publicHostProblem'),
  publicServer: named<ListeningServer>('publicServer'),
  /** Runs before the service can be reached. */
  preparation: named<() => Promise<void>>('preparation'),
  service: named<Service>('service'),
} as const;

function named<Value>(name: string): ServiceIdentifier<Value> {
  return Symbol(name);
}
