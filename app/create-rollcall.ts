import type { RequestListener } from 'node:http';
import type { Clock, Core, ErrorTracker, Mailer, Passwords, WebhookSender } from '@rollcall/core';
import { availableEvents } from '@rollcall/core/rules';
import type { Express } from '@rollcall/express';
import { type Logger, uncorrectedClock } from '@rollcall/node';
import { addressOfPool, type PostgresPool } from '@rollcall/sql';
import type { Container } from 'inversify';
import { assemble } from './assembly/assemble.js';
import { createMetrics } from './assembly/core-container.js';
import { ID } from './assembly/identifiers.js';
import type { RollcallSettings } from './config/settings.js';
import type { Config } from './config.js';
import { embeddedConfig, type OtherOptions } from './embedding-options.js';
import { type EventListeners, tellingListeners } from './event-listeners.js';
import { openServedDatabase } from './served-database.js';

/** The whole service inside another program. */
export interface RollcallOptions extends RollcallSettings {
  /** Where log lines go: a logger of pino, `console`, or another object with these methods. Nowhere by default. */
  readonly log?: Logger | undefined;
  /**
   * A pool of pg, instead of `databaseUrl`: where to connect and as whom, also with a function for the password. The
   * service makes its own connections, and does not end the pool.
   */
  readonly pool?: PostgresPool | undefined;
  /** The schema of the tables, PostgreSQL only. It is created if it is missing. By default, the first one of `search_path`. */
  readonly schema?: string | undefined;
  /** Applies pending migrations. If false, `createRollcall` rejects while any are pending. True by default. */
  readonly migrate?: boolean | undefined;
  /** Where unexpected errors are reported. The log by default. */
  readonly errorTracker?: ErrorTracker | undefined;
  /** Sends webhooks instead of the sender of `@rollcall/node`. */
  readonly webhookSender?: WebhookSender | undefined;
  /** Hashes passwords instead of Argon2id. */
  readonly passwords?: Passwords | undefined;
  /** Sends mails, instead of a mail server at `smtpUrl`. With it, people can reset a forgotten password. */
  readonly mailer?: Mailer | undefined;
  /** Tells the time. Processes on one PostgreSQL database need the same time; by default, they use the database's. */
  readonly clock?: Pick<Clock, 'now'> | undefined;
  /** Whether this process is measured, for `metrics` of the result. False by default. */
  readonly metrics?: boolean | undefined;
  /** Listeners in this process, by the name of the event. */
  readonly on?: EventListeners | undefined;
}

export interface Rollcall {
  /**
   * The API and the pages, to be mounted in an Express application under the path of `publicUrl`. Requests that are not
   * for it are passed on.
   */
  readonly app: Express;
  /** The use-cases, for calls without HTTP. */
  readonly core: Core;
  /** Answers `GET /metrics` for Prometheus; null without the option `metrics`. Mount it where only Prometheus gets. */
  readonly metrics: RequestListener | null;
  /** Starts to send webhooks and to delete expired data. The application answers without it. */
  start(): Promise<void>;
  /**
   * Finishes the deliveries in progress and closes the database. Stop the HTTP server before. After that, this object is
   * of no use.
   */
  stop(): Promise<void>;
}

const otherOptions = {
  log: ['debug', 'info', 'warn', 'error'],
  pool: ['connect', 'query'],
  schema: 'text',
  migrate: 'boolean',
  errorTracker: ['report'],
  webhookSender: ['send', 'refusalOf'],
  passwords: ['hash', 'verify'],
  mailer: ['send'],
  clock: ['now'],
  metrics: 'boolean',
  on: availableEvents,
} as const satisfies Record<Exclude<keyof RollcallOptions, keyof RollcallSettings>, OtherOptions[string]>;

const noLog: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Opens the database and assembles the service over it. Listens on no port, installs no signal handler and reads no
 * environment variable. Rejects with a `TypeError` that names every wrong option, or with `Unavailable` if the database
 * cannot be reached.
 */
export async function createRollcall(options: RollcallOptions): Promise<Rollcall> {
  const checked = embeddedConfig(await withAddress(options), otherOptions);
  const { log = noLog, migrate = true, pool, schema } = options;
  const config = inSchema(checked, schema);
  const { database, close } = await openServedDatabase({
    ...{ config, log, migrate, pool },
    source: pool === undefined ? 'databaseUrl' : 'pool',
  });
  try {
    const container = assemble({ config, log, database });
    embed(container, options);
    const service = container.get(ID.service);
    let started: Promise<void> | null = null;
    let stopped: Promise<void> | null = null;

    async function stopOnce(): Promise<void> {
      if (started !== null) {
        const isRunning = await started.then(
          () => true,
          () => false,
        );
        if (isRunning) await service.stop();
      }
      await close();
    }

    return {
      app: container.get(ID.app),
      core: container.get(ID.core),
      metrics: container.get(ID.metrics)?.handler ?? null,
      start() {
        if (stopped !== null) return Promise.reject(new TypeError('this service is stopped'));
        started ??= service.start();
        return started;
      },
      stop() {
        stopped ??= stopOnce();
        return stopped;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** With the address of the pool, which names the database in messages. */
async function withAddress(options: RollcallOptions): Promise<RollcallOptions> {
  const pool: PostgresPool | null | undefined = options?.pool;
  if (pool === undefined) return options;
  if (typeof pool?.options !== 'object' || pool.options === null)
    throw new TypeError('pool: it must be a pool of pg, such as new pg.Pool({ host, user, password })');
  if (options.databaseUrl !== undefined)
    throw new TypeError('databaseUrl: leave it out, because pool says where the database is');
  return { ...options, databaseUrl: await addressOfPool(pool) };
}

function inSchema(config: Config, schema: string | undefined): Config {
  if (schema === undefined) return config;
  if (config.database.engine === 'sqlite') throw new TypeError('schema: an SQLite database has no schemas');
  return { ...config, database: { ...config.database, schema } };
}

/** The host listens, and gets what is not for the service. */
function embed(
  container: Container,
  { errorTracker, log = noLog, trustProxy, ...ports }: RollcallOptions,
): void {
  const { webhookSender, passwords, mailer, clock, metrics, on } = ports;
  container.rebind(ID.isMounted).toConstantValue(true);
  container.rebind(ID.publicServer).toConstantValue({
    async start() {},
    async announceStop() {},
    async stop() {},
  });
  if (trustsNone(trustProxy))
    container.onActivation(ID.appOptions, (_, options) => ({ ...options, trustProxy: false }));
  if (errorTracker !== undefined)
    container.rebind(ID.errorTracker).toConstantValue({
      report: (...report: Parameters<ErrorTracker['report']>) => {
        try {
          errorTracker.report(...report);
        } catch (error) {
          log.error({ error }, 'The error tracker has failed');
        }
      },
      async flush() {},
    });
  if (webhookSender !== undefined) container.rebind(ID.webhookSender).toConstantValue(webhookSender);
  if (passwords !== undefined) container.rebind(ID.passwords).toConstantValue(passwords);
  if (mailer !== undefined) container.rebind(ID.mailer).toConstantValue(mailer);
  if (clock !== undefined)
    container.rebind(ID.clock).toConstantValue({ ...uncorrectedClock, now: () => clock.now() });
  if (metrics === true) container.rebind(ID.metrics).toDynamicValue(createMetrics);
  if (on !== undefined)
    container.onActivation(ID.dispatcher, (_, dispatcher) =>
      tellingListeners(dispatcher, { listeners: on, log }),
    );
}

function trustsNone(trustProxy: RollcallOptions['trustProxy']): boolean {
  return trustProxy === false || (Array.isArray(trustProxy) && trustProxy.length === 0);
}
