import 'reflect-metadata';
import { type Clock, createCore, type Limits, type Settings } from '@rollcall/core';
import { pageLinks } from '@rollcall/express/links';
import {
  argon2Passwords,
  boundedSecurityLog,
  correctedClock,
  createDispatcher,
  createKeyring,
  jwtTokens,
  keyedSecrets,
  type Logger,
  listedCommonPasswords,
  memoryLimits,
  randomIds,
  smtpMailer,
  uncorrectedClock,
  webauthnVerifier,
} from '@rollcall/node';
import { type Metrics, prometheusMetrics } from '@rollcall/node/metrics';
import {
  createDeliveryHints,
  createHearing,
  type Database,
  databaseTime,
  expiringSignOns,
  outboxBacklog,
  sqlLimits,
  sqlPorts,
  waitingMails,
} from '@rollcall/sql';
import { adoptDeployment, historyOf, prune, recentImports } from '@rollcall/sql/maintenance';
import { Container, ContainerModule, type ResolutionContext } from 'inversify';
import type { Config } from '../config.js';
import { reportHearing } from '../deliveries.js';
import { createErrorTracker } from '../error-tracker.js';
import { createHistoryWatch } from '../history-watch.js';
import { keyStates } from '../keys.js';
import { sqlImports } from '../operator/imports.js';
import { sqlInstanceStore } from '../operator/instances.js';
import { readinessOf } from '../readiness.js';
import { requestDeadline } from '../request-deadline.js';
import { sqlSecretKeyStore } from '../secret-key-store.js';
import { revision, version } from '../version.js';
import { createIdentityProvider, createWebhookSender } from '../webhook-sender.js';
import { ID } from './identifiers.js';

/** The values that must exist before anything else is created. */
export interface Foundation {
  readonly config: Config;
  readonly log: Logger;
  /** Left out if other storage replaces the database. */
  readonly database?: Database;
}

/**
 * The core with its adapters, without HTTP. Commands load nothing else. Each value is created once, when it is first
 * requested; until then, its binding can be replaced.
 */
export function coreContainer({ config, log, database }: Foundation): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.bind(ID.config).toConstantValue(config);
  container.bind(ID.log).toConstantValue(log);
  if (database !== undefined) container.bind(ID.database).toConstantValue(database);
  container.load(storage, adapters, core);
  return container;
}

/** Enough for every import between two scrapes. */
const MAX_RECENT_IMPORTS = 500;

/** SQLite or PostgreSQL: the only bindings that use the database. */
const storage = new ContainerModule(({ bind }) => {
  /** Where deliveries may wait. */
  const hints = createDeliveryHints();
  bind(ID.storage).toResolvedValue((database) => sqlPorts(database, hints), [ID.database]);
  /** Only one process serves an SQLite file. */
  bind(ID.isShared).toResolvedValue(({ engine }) => engine === 'postgres', [ID.database]);
  /** Processes that share a PostgreSQL database compare each other's times, so all of them use its clock. */
  bind(ID.sharedTime).toResolvedValue(
    (isShared, database) => (isShared ? () => databaseTime(database) : null),
    [ID.isShared, ID.database],
  );
  bind(ID.sharedLimits).toResolvedValue(
    (isShared, database) => (isShared ? (clock: Pick<Clock, 'now'>) => sqlLimits(database, clock) : null),
    [ID.isShared, ID.database],
  );
  bind(ID.readiness).toResolvedValue((database) => readinessOf(database), [ID.database]);
  bind(ID.hearing).toResolvedValue(
    (database, log) => createHearing({ database, hints, onChange: reportHearing(log) }),
    [ID.database, ID.log],
  );
  bind(ID.storageMetrics).toResolvedValue(
    (database, hearing) => ({
      backlog: () => outboxBacklog(database),
      waitingMails: () => waitingMails(database),
      expiringSignOns: () => expiringSignOns(database, dayIn(30)),
      writeProblem: () => database.writeProblem(),
      pools: () => database.poolStates(),
      activity: () => database.activity(),
      recentImports: () => recentImports(database, MAX_RECENT_IMPORTS),
      refusedExports: () => database.refusedSnapshots(),
      hears: () => hearing.hears(),
    }),
    [ID.database, ID.hearing],
  );
  bind(ID.requestDeadline).toResolvedValue(requestDeadline, [ID.database]);
  bind(ID.history).toResolvedValue(historyOf, [ID.database]);
  bind(ID.prune).toResolvedValue((database) => (request) => prune(database, request), [ID.database]);
  bind(ID.secretKeyStore).toResolvedValue(sqlSecretKeyStore, [ID.database]);
  bind(ID.adoptDeployment).toResolvedValue(
    (database, config) => {
      const file = config.database.engine === 'sqlite' ? config.database.file : null;
      return () => adoptDeployment(database, { file });
    },
    [ID.database, ID.config],
  );
  bind(ID.imports).toResolvedValue(
    (database, config) => sqlImports({ database, config, hints }),
    [ID.database, ID.config],
  );
  bind(ID.instanceStore).toResolvedValue(sqlInstanceStore, [ID.database]);
});

/** The day after so many days, in UTC. */
function dayIn(days: number): string {
  return new Date(Date.now() + days * 24 * 60 * 60_000).toISOString().slice(0, 10);
}

const adapters = new ContainerModule(({ bind }) => {
  bind(ID.clock).toResolvedValue(
    (reference) => (reference === null ? uncorrectedClock : correctedClock({ reference })),
    [ID.sharedTime],
  );
  bind(ID.ids).toConstantValue(randomIds);
  bind(ID.instanceId).toResolvedValue((ids) => ids.uuid(), [ID.ids]);
  bind(ID.limits).toResolvedValue(
    (shared, clock, metrics) => observed(metrics, shared?.(clock) ?? memoryLimits()),
    [ID.sharedLimits, ID.clock, ID.metrics],
  );
  bind(ID.visitCounts).toResolvedValue((metrics) => observed(metrics, memoryLimits()), [ID.metrics]);
  bind(ID.keyring).toResolvedValue(
    ({ secretKey, previousSecretKeys }) =>
      createKeyring({
        secretKey: secretKey.reveal(),
        previousSecretKeys: previousSecretKeys.map((key) => key.reveal()),
      }),
    [ID.config],
  );
  bind(ID.passwords).toResolvedValue(() => argon2Passwords());
  bind(ID.localReceivers).toConstantValue({ networks: [], certificateAuthorities: [] });
  bind(ID.webhookSender).toResolvedValue(createWebhookSender, [ID.config, ID.log, ID.localReceivers]);
  bind(ID.identityProvider).toResolvedValue(createIdentityProvider, [
    ...([ID.config, ID.log, ID.localReceivers] as const),
    ID.clock,
  ]);
  bind(ID.mailer).toResolvedValue(
    ({ mail, serviceName, publicUrl }) =>
      mail === null ? null : smtpMailer({ ...mail, senderName: serviceName, publicUrl }),
    [ID.config],
  );
  bind(ID.errorTracker).toResolvedValue(createErrorTracker, [ID.config, ID.log]);
  bind(ID.securityLog).toResolvedValue((log) => boundedSecurityLog(log), [ID.log]);
  bind(ID.metrics).toDynamicValue((context) =>
    context.get(ID.config).metrics === null ? null : createMetrics(context),
  );
  bind(ID.historyWatch).toResolvedValue(
    (history, log, errorTracker) => createHistoryWatch({ history, log, errorTracker }),
    [ID.history, ID.log, ID.errorTracker],
  );
  bind(ID.dispatcher).toResolvedValue(
    (log, errorTracker, metrics, historyWatch) =>
      createDispatcher({
        log,
        errorTracker,
        observe(delivery) {
          metrics?.observeDelivery(delivery);
          historyWatch.noteDelivery(delivery);
        },
        observeClaim: metrics?.observeClaim,
      }),
    [ID.log, ID.errorTracker, ID.metrics, ID.historyWatch],
  );
});

export function createMetrics({ get }: ResolutionContext): Metrics {
  const clock = get(ID.clock);
  const historyWatch = get(ID.historyWatch);
  const keyring = get(ID.keyring);
  const passwords = get(ID.passwords);
  const secretKeyStore = get(ID.secretKeyStore);
  return prometheusMetrics({
    version: version(),
    revision: revision(),
    ...get(ID.storageMetrics),
    async secretKeys() {
      const states = await keyStates({ secretKeyStore, keyring, now: clock.now() });
      return states.map(({ stored, ...state }) => ({ ...state, stored: { ...stored } }));
    },
    now: () => clock.now().getTime(),
    passwordQueue: () => passwords.queue?.() ?? null,
    clockAheadMs: () => clock.aheadMs(),
    history: () => historyWatch.counts(),
  });
}

function observed(metrics: Metrics | null, limits: Limits): Limits {
  return metrics === null ? limits : metrics.observeLimits(limits);
}

const core = new ContainerModule(({ bind }) => {
  bind(ID.coreOptions).toResolvedValue(
    (config) => ({ ...(config satisfies Settings), links: pageLinks(config.publicUrl) }),
    [ID.config],
  );
  bind(ID.ports).toDynamicValue(({ get }) => ({
    ...get(ID.storage),
    tokens: jwtTokens(get(ID.keyring)),
    secrets: keyedSecrets(get(ID.keyring), { accessKeyPrefix: get(ID.config).accessKeyPrefix }),
    passwords: get(ID.passwords),
    commonPasswords: listedCommonPasswords(),
    webhookSender: get(ID.webhookSender),
    identityProvider: get(ID.identityProvider),
    passkeyVerifier: webauthnVerifier(get(ID.config)),
    mailer: get(ID.mailer) ?? undefined,
    dispatcher: get(ID.dispatcher),
    securityLog: get(ID.metrics)?.observeSecurity(get(ID.securityLog)) ?? get(ID.securityLog),
    limits: get(ID.limits),
    clock: get(ID.clock),
    ids: get(ID.ids),
    observer: get(ID.metrics)?.observer,
  }));
  bind(ID.core).toResolvedValue(createCore, [ID.ports, ID.coreOptions]);
});
