import 'reflect-metadata';
import {
  type Core,
  createCore,
  type ErrorTracker,
  type Limits,
  type Passwords,
  type Ports,
  type Secrets,
  type Settings,
  type StoragePorts,
  type Tokens,
  type WebhookSender,
} from '@rollcall/core';
import { Container } from 'inversify';
import { createKeyring, type Keyring } from '#adapters/crypto/keyring.js';
import { argon2Passwords } from '#adapters/crypto/passwords.js';
import { type FormTokens, formTokens, keyedSecrets } from '#adapters/crypto/secrets.js';
import { jwtTokens } from '#adapters/crypto/tokens.js';
import { type Database, databaseTime, outboxBacklog, sqlLimits, sqlPorts } from '#adapters/sql/index.js';
import { type CorrectedClock, correctedClock, uncorrectedClock } from '#adapters/system/corrected-clock.js';
import { logErrorTracker } from '#adapters/system/error-tracker.js';
import { randomIds } from '#adapters/system/ids.js';
import { memoryLimits } from '#adapters/system/limits.js';
import type { Log } from '#adapters/system/log.js';
import { type Metrics, prometheusMetrics } from '#adapters/system/metrics.js';
import { type BoundedSecurityLog, boundedSecurityLog } from '#adapters/system/security-log.js';
import { sentryErrorTracker } from '#adapters/system/sentry-error-tracker.js';
import { gotWebhookSender, receiverCheck } from '#adapters/webhook/sender.js';
import { type Config, readCertificates } from './config.js';
import { createDispatcher, type RunningDispatcher } from './dispatcher.js';
import { keyStates } from './keys.js';
import { version } from './version.js';

/** What must be there before anything can be put together. */
export interface Foundation {
  readonly config: Config;
  readonly database: Database;
  readonly log: Log;
  /** Receivers to trust beside those of the configuration. */
  readonly ownReceivers?: OwnReceivers;
}

/** Receivers of our own process (the demo has one): nobody but the one who assembles can name them. */
export interface OwnReceivers {
  /** CIDR notation. */
  readonly networks: readonly string[];
  /** PEM texts. */
  readonly certificateAuthorities: readonly string[];
}

/** One that may send what it is told some time later. */
export interface FlushedErrorTracker extends ErrorTracker {
  /** Ends when everything was sent, or after so many milliseconds. */
  flush(timeoutMs: number): Promise<void>;
}

/** One name in the container, with what it stands for. */
interface Name<Value> {
  readonly id: symbol;
  /** Never there: it ties the name to its type. */
  readonly value?: Value;
}

function name<Value>(description: string): Name<Value> {
  return { id: Symbol(description) };
}

/** Every name that there is. */
export const names = {
  config: name<Config>('Config'),
  database: name<Database>('Database'),
  log: name<Log>('Log'),
  ownReceivers: name<OwnReceivers>('OwnReceivers'),
  clock: name<CorrectedClock>('Clock'),
  keyring: name<Keyring>('Keyring'),
  storage: name<StoragePorts>('StoragePorts'),
  tokens: name<Tokens>('Tokens'),
  secrets: name<Secrets>('Secrets'),
  formTokens: name<FormTokens>('FormTokens'),
  passwords: name<Passwords>('Passwords'),
  webhookSender: name<WebhookSender>('WebhookSender'),
  receiverCheck: name<ReturnType<typeof receiverCheck>>('ReceiverCheck'),
  errorTracker: name<FlushedErrorTracker>('ErrorTracker'),
  securityLog: name<BoundedSecurityLog>('SecurityLog'),
  metrics: name<Metrics | null>('Metrics'),
  dispatcher: name<RunningDispatcher>('Dispatcher'),
  ports: name<Ports>('Ports'),
  core: name<Core>('Core'),
} as const;

/** Everything put together, once each, when first asked for. */
export interface Assembly {
  get<Value>(name: Name<Value>): Value;
}

export function assemble({ config, database, log, ownReceivers }: Foundation): Assembly {
  const container = new Container();
  container.bind(names.config.id).toConstantValue(config);
  container.bind(names.database.id).toConstantValue(database);
  container.bind(names.log.id).toConstantValue(log);
  container.bind(names.ownReceivers.id).toConstantValue(ownReceivers ?? noReceivers);

  bind(container, names.clock, [names.database], clockOf);
  bind(container, names.keyring, [names.config], keyringOf);
  bind(container, names.storage, [names.database], sqlPorts);
  bind(container, names.tokens, [names.keyring], jwtTokens);
  bind(container, names.secrets, [names.keyring], keyedSecrets);
  bind(container, names.formTokens, [names.keyring], formTokens);
  bind(container, names.passwords, [], argon2Passwords);
  bind(container, names.webhookSender, [names.config, names.ownReceivers], webhookSenderOf);
  bind(container, names.receiverCheck, [names.config, names.ownReceivers], (...given) =>
    receiverCheck({ allowedNetworks: allowedNetworksOf(...given) }),
  );
  bind(container, names.errorTracker, [names.config, names.log], errorTrackerOf);
  bind(container, names.securityLog, [names.log], boundedSecurityLog);
  bind(container, names.metrics, [names.config, names.database, names.keyring, names.clock], metricsOf);
  bind(
    container,
    names.dispatcher,
    [names.log, names.errorTracker, names.metrics],
    (log, errorTracker, metrics) =>
      createDispatcher({ log, errorTracker, observe: metrics?.observeDelivery }),
  );
  bind(
    container,
    names.ports,
    [
      names.storage,
      names.tokens,
      names.secrets,
      names.passwords,
      names.webhookSender,
      names.dispatcher,
      names.securityLog,
      names.database,
      names.clock,
    ],
    (stored, tokens, secrets, passwords, webhookSender, dispatcher, securityLog, database, clock) => ({
      ...stored,
      tokens,
      secrets,
      passwords,
      webhookSender,
      dispatcher,
      securityLog,
      limits: limitsOf(database, clock),
      clock,
      ids: randomIds,
    }),
  );
  bind(container, names.core, [names.ports, names.config], coreOf);
  return { get: ({ id }) => container.get(id) };
}

const noReceivers: OwnReceivers = { networks: [], certificateAuthorities: [] };

/** Binds with the compiler's help: the factory gets what the names stand for. */
function bind<Value, Needs extends readonly unknown[]>(
  container: Container,
  target: Name<Value>,
  needs: { readonly [Index in keyof Needs]: Name<Needs[Index]> },
  make: (...needs: Needs) => Value,
): void {
  const ids = (needs as readonly Name<unknown>[]).map(({ id }) => id);
  container
    .bind(target.id)
    .toResolvedValue((...values: unknown[]) => make(...(values as unknown as Needs)), ids)
    .inSingletonScope();
}

function keyringOf({ secretKey, previousSecretKeys }: Config): Keyring {
  return createKeyring({
    secretKey: secretKey.reveal(),
    previousSecretKeys: previousSecretKeys.map((key) => key.reveal()),
  });
}

/** With a DSN both the line of the log and the event for Sentry. */
function errorTrackerOf({ sentryDsn }: Config, log: Log): FlushedErrorTracker {
  if (sentryDsn === null) return { ...logErrorTracker(log), flush: async () => {} };
  return sentryErrorTracker({ dsn: sentryDsn.reveal(), release: `rollcall@${version()}`, log });
}

function webhookSenderOf(config: Config, ownReceivers: OwnReceivers): WebhookSender {
  const files = [config.webhookCaFile, config.nodeExtraCaFile].filter((file) => file !== null);
  return gotWebhookSender({
    allowedNetworks: allowedNetworksOf(config, ownReceivers),
    certificateAuthorities: [...files.flatMap(readCertificates), ...ownReceivers.certificateAuthorities],
  });
}

function allowedNetworksOf(config: Config, ownReceivers: OwnReceivers): readonly string[] {
  return [...config.webhookAllowedNetworks, ...ownReceivers.networks];
}

/** Null: nobody asked for them, and nothing is measured. */
function metricsOf(
  { metrics }: Config,
  database: Database,
  keyring: Keyring,
  clock: CorrectedClock,
): Metrics | null {
  if (metrics === null) return null;
  return prometheusMetrics({
    version: version(),
    backlog: () => outboxBacklog(database),
    pools: () => database.poolStates(),
    secretKeys: async () => {
      const states = await keyStates({ database, keyring, now: clock.now() });
      return states.map(({ stored, ...state }) => ({ ...state, stored: { ...stored } }));
    },
    now: () => clock.now().getTime(),
    clockAheadMs: () => clock.aheadMs(),
  });
}

/** Several instances of one PostgreSQL count together; an SQLite file is served by one process only. */
function limitsOf(database: Database, clock: CorrectedClock): Limits {
  return database.engine === 'postgres' ? sqlLimits(database, clock) : memoryLimits();
}

/** Several instances of one PostgreSQL compare each other's times: all of them go by its clock. */
function clockOf(database: Database): CorrectedClock {
  if (database.engine === 'sqlite') return uncorrectedClock;
  return correctedClock({ reference: () => databaseTime(database) });
}

function coreOf(ports: Ports, config: Config): Core {
  return createCore(ports, settingsOf(config));
}

/** What the core is told of the deployment. */
export function settingsOf(config: Config): Settings {
  const { publicUrl, serviceName, reportingTimeZone, failedAuthenticateLimit, webhookFailureNotice } = config;
  return {
    serviceName,
    reportingTimeZone,
    failedAuthenticateLimit,
    webhookFailureNotice,
    links: {
      invitation: (token) => `${publicUrl}/invitations/${token.reveal()}`,
      login: (token) => `${publicUrl}/login/${token.reveal()}`,
      calendar: (token) => `${publicUrl}/calendar/${token.reveal()}.ics`,
      defaultAvatar: `${publicUrl}/assets/default-avatar.svg`,
    },
  };
}
