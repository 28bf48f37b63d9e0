import type { RequestListener } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { openapi } from '@rollcall/contracts';
import { type Core, type Limit, Unavailable } from '@rollcall/core';
import { alsoBelowPublicUrl, createApp, type ReadinessCheck } from '#adapters/express/app.js';
import { createHttpServer, type HttpServer } from '#adapters/express/server.js';
import { sendFile } from '#adapters/express/stream.js';
import { createPages } from '#adapters/pages/create-pages.js';
import {
  adoptDeployment,
  type Database,
  type Deployment,
  holdSenderLock,
  isDatabaseSlow,
  withSharedDeadline,
} from '#adapters/sql/index.js';
import { memoryLimits } from '#adapters/system/limits.js';
import type { Log } from '#adapters/system/log.js';
import { type ClockWatch, startClockWatch } from './clock-watch.js';
import { type Config, ConfigurationError } from './config.js';
import { type Assembly, assemble, type FlushedErrorTracker, names, type OwnReceivers } from './container.js';
import { Failure } from './failure.js';
import { startNotingKeyUse, warnAboutKeys } from './keys.js';
import { adoptKeyOf, notOpened, openConfigured } from './open-database.js';
import { type Pruner, startPruner } from './pruner.js';
import { readinessOf } from './readiness.js';
import { createReadinessDrain, type ReadinessDrain } from './readiness-drain.js';

export interface StartService {
  readonly config: Config;
  readonly log: Log;
  /** Applies pending migrations; without, pending ones are a reason not to start. */
  readonly migrate: boolean;
  readonly ownReceivers?: OwnReceivers;
  /** What to do with the assembled service before anybody can reach it. */
  readonly prepare?: (assembly: Assembly) => Promise<void>;
}

export interface Service {
  /**
   * Tells whoever watches `/readyz`, then accepts nothing more, finishes what is under way, requests and deliveries,
   * and closes the database. Ends within 18 s as far as it is in our hands.
   */
  stop(): Promise<void>;
  readonly errorTracker: FlushedErrorTracker;
}

/** How long deliveries are still taken up while the last requests are answered. */
const LAST_DELIVERIES = 2000;
/** How long the last reports may take to reach the error tracker. */
const LAST_REPORTS = 1000;

/**
 * Starts everything: the one sender of an SQLite file, migrations, the recovery of deliveries that a crash cut
 * off, the HTTP server, the dispatcher. What fails undoes the steps before it.
 */
export async function startService({
  config,
  log,
  migrate,
  ownReceivers,
  prepare,
}: StartService): Promise<Service> {
  const undo: (() => Promise<void> | void)[] = [];
  try {
    const lock = await onlySender(config);
    undo.push(() => lock.release());
    log.info({ configuration: config }, 'Starting');
    const database = await openConfigured(config, { log });
    undo.push(() => database.close());
    await bringUpToDate({ database, migrate, log });

    const assembly = assemble({ config, database, log, ...(ownReceivers && { ownReceivers }) });
    await adoptKeyOf(assembly);
    const clockWatch = await startClockWatch({
      clock: assembly.get(names.clock),
      log,
      errorTracker: assembly.get(names.errorTracker),
    });
    undo.push(() => clockWatch.stop());
    await warnAboutKeys(assembly);
    const keyUse = await startNotingKeyUse(assembly);
    undo.push(() => keyUse.stop());
    const deployment = await adopt(assembly);
    undo.push(() => deployment.close());
    if (database.engine === 'sqlite') await recover(assembly, null);
    await prepare?.(assembly);
    const metricsServer = await startMetrics(assembly);
    undo.push(() => metricsServer?.stop());
    const drain = createReadinessDrain();
    const server = createServer(assembly, drain);
    await listen(server, config);

    const dispatcher = assembly.get(names.dispatcher);
    const deliverWebhooks = notingDelivery(assembly, deployment);
    if (database.engine === 'sqlite') dispatcher.start(deliverWebhooks);
    else dispatcher.start(deliverWebhooks, () => recover(assembly, ABANDONED_MS));
    const pruner = startPruner({
      database,
      clock: assembly.get(names.ports).clock,
      log,
      errorTracker: assembly.get(names.errorTracker),
      deliveryRetentionDays: config.deliveryRetentionDays,
    });
    return {
      errorTracker: assembly.get(names.errorTracker),
      stop: () =>
        stop({ server, drain, metricsServer, assembly, deployment, lock, pruner, clockWatch, keyUse }),
    };
  } catch (error) {
    for (const step of undo.reverse()) await step();
    throw error;
  }
}

interface Lock {
  release(): void;
}

/** Of one PostgreSQL several processes may send: each delivery is claimed by one. */
async function onlySender({ database }: Config): Promise<Lock> {
  if (database.engine === 'postgres') return { release() {} };
  const { url, file } = database;
  const lock = await holdSenderLock(file).catch((error: unknown) => {
    if (!(error instanceof Unavailable)) throw error;
    throw notOpened(error, { source: 'DATABASE_URL', url: `the lock file beside ${url}` });
  });
  if (lock !== null) return lock;
  throw new Failure(
    `Another process serves ${url} already, and only one can serve an SQLite file. Stop it first.`,
  );
}

async function bringUpToDate({
  database,
  migrate,
  log,
}: {
  readonly database: Database;
  readonly migrate: boolean;
  readonly log: Log;
}): Promise<void> {
  if (migrate) {
    const applied = await database.migrate({ onWait: (text) => log.warn(text) });
    if (applied.length > 0) log.info({ applied }, 'Migrations applied');
    return;
  }
  const pending = await database.pendingMigrations();
  if (pending.length === 0) return;
  throw new Failure(`Migrations are pending: ${pending.join(', ')}. Run: rollcall migrate`);
}

/** Holds what waits in a database that was restored: the original may have sent it. */
async function adopt(assembly: Assembly): Promise<Deployment> {
  const { database: configured } = assembly.get(names.config);
  const file = configured.engine === 'sqlite' ? configured.file : null;
  const deployment = await adoptDeployment(assembly.get(names.database), { file });
  const { isCopy, held, movedFrom } = deployment;
  const log = assembly.get(names.log);
  if (movedFrom !== null) log.info({ movedFrom }, 'This database was moved here: what waited in it is sent');
  if (isCopy) {
    log.warn(
      { held },
      'This database was restored or copied: what waited in it is held, as it may have been sent before. Send or drop it: rollcall deliveries release',
    );
  }
  return deployment;
}

function notingDelivery(assembly: Assembly, deployment: Deployment): Core['deliverWebhooks'] {
  const { deliverWebhooks } = assembly.get(names.core);
  return async (request) => {
    const started = await deliverWebhooks(request);
    if (started.length > 0) await deployment.note();
    return started;
  };
}

/** Milliseconds after which a claim belongs to nobody any more, where several processes send. */
const ABANDONED_MS = 60_000;

/** Whoever holds the sender's lock knows that the makers of all claims are gone (null). */
async function recover(assembly: Assembly, olderThanMs: number | null): Promise<void> {
  const swept = await assembly.get(names.core).recoverDeliveries({ olderThanMs });
  if (swept.again + swept.failed > 0)
    assembly.get(names.log).warn(swept, 'Deliveries were cut off by a crash');
}

function createServer(assembly: Assembly, drain: ReadinessDrain): HttpServer {
  const config = assembly.get(names.config);
  const log = assembly.get(names.log);
  const errorTracker = assembly.get(names.errorTracker);
  const core = assembly.get(names.core);
  const { publicUrl, serviceName, stagingUrl, trustProxy } = config;
  const formTokens = assembly.get(names.formTokens);
  const pages = createPages({
    core,
    formTokens,
    sendFile,
    checkReceiver: assembly.get(names.receiverCheck),
    publicUrl,
    serviceName,
    errorTracker,
    visits: {
      limits: memoryLimits(),
      pagesAMinute: config.pageLimit,
      feedsAMinute: config.feedLimit,
    },
    openapi: openapi(),
  });
  const isReady = readinessOf(assembly.get(names.database));
  const app = createApp({
    core,
    limitRequests: requestCounter(assembly),
    errorTracker,
    log,
    publicUrl,
    stagingUrl,
    ready: async () => (drain.look() ? await isReady() : [notServing, ...(await isReady())]),
    trustProxy: trustProxy ?? false,
    observe: assembly.get(names.metrics)?.observeRequest,
    pages,
  });
  const handler = inTime(assembly.get(names.database), alsoBelowPublicUrl(app, publicUrl));
  return createHttpServer({ handler, log });
}

const notServing: ReadinessCheck = { name: 'serving', state: 'failed' };

/** Milliseconds that all steps of a request together may wait for PostgreSQL. */
const REQUEST_TIMEOUT_MS = 5000;

/**
 * With several connections each step of a request may have to wait; of an SQLite file only writing does. While
 * nobody waits long nothing is counted: it would cost more than the answer.
 */
function inTime({ engine }: Database, handler: RequestListener): RequestListener {
  if (engine === 'sqlite') return handler;
  return (request, response) => {
    if (isDatabaseSlow()) withSharedDeadline(REQUEST_TIMEOUT_MS, () => handler(request, response));
    else handler(request, response);
  };
}

/** Requests a minute of each organization; undefined where they are not limited. */
function requestCounter(assembly: Assembly): ((organizationId: number) => Promise<number>) | undefined {
  const { requestLimit } = assembly.get(names.config);
  if (requestLimit === null) return undefined;
  const { limits } = assembly.get(names.ports);
  const limit: Limit = { name: 'requests', points: requestLimit, seconds: 60 };
  return (organizationId) => limits.fail(limit, String(organizationId));
}

/** Metrics have a port of their own, which the public never reaches; null: nobody asked for them. */
async function startMetrics(assembly: Assembly): Promise<HttpServer | null> {
  const { metrics: at } = assembly.get(names.config);
  const metrics = assembly.get(names.metrics);
  if (at === null || metrics === null) return null;
  const server = createHttpServer({ handler: metrics.handler, log: assembly.get(names.log) });
  try {
    await server.listen(at);
    return server;
  } catch (error) {
    throw metricsFailure(error, at);
  }
}

function metricsFailure(
  error: unknown,
  { port, host }: { readonly port: number; readonly host: string },
): unknown {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `METRICS_PORT: ${port} on ${host} is taken by another program; choose another, for example ${port + 1}`,
    EACCES: `METRICS_PORT: this user may not listen on ${port}; choose one above 1023, for example 9464`,
  };
  const { code = '' } = error as NodeJS.ErrnoException;
  const reason = reasons[code] ?? (isNoAddress(code) ? `METRICS_HOST: ${noAddress(host)}` : undefined);
  return reason === undefined ? error : new ConfigurationError([reason]);
}

async function listen(server: HttpServer, { port, host }: Config): Promise<void> {
  try {
    await server.listen({ port, host });
  } catch (error) {
    throw listenFailure(error, { port, host });
  }
}

function listenFailure(error: unknown, { port, host }: Pick<Config, 'port' | 'host'>): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return new Failure(
      `PORT: ${port} on ${host} is taken by another program; stop it, or choose another PORT, for example ${port + 1}`,
    );
  }
  if (code === 'EACCES') {
    return new Failure(`PORT: this user may not listen on ${port}; choose one above 1023, for example 3000`);
  }
  if (isNoAddress(code)) return new ConfigurationError([`HOST: ${noAddress(host)}`]);
  return error;
}

function isNoAddress(code: string | undefined): boolean {
  return code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN';
}

function noAddress(host: string): string {
  return `${host} is no address of this machine; for example 127.0.0.1`;
}

async function stop({
  server,
  drain,
  metricsServer,
  assembly,
  deployment,
  lock,
  pruner,
  clockWatch,
  keyUse,
}: {
  readonly server: HttpServer;
  readonly drain: ReadinessDrain;
  readonly metricsServer: HttpServer | null;
  readonly assembly: Assembly;
  readonly deployment: Deployment;
  readonly lock: Lock;
  readonly pruner: Pruner;
  readonly clockWatch: ClockWatch;
  readonly keyUse: { stop(): Promise<void> };
}): Promise<void> {
  server.announceStop();
  await drain.tellStop();
  const answered = server.stop();
  // What the last requests registered is still sent, if they end soon; else it is sent after the next start.
  await Promise.race([answered, pause(LAST_DELIVERIES, undefined, { ref: false })]);
  await Promise.all([answered, assembly.get(names.dispatcher).stop(), pruner.stop()]);
  await metricsServer?.stop();
  clockWatch.stop();
  await keyUse.stop();
  assembly.get(names.securityLog).flush();
  await assembly.get(names.errorTracker).flush(LAST_REPORTS);
  await assembly.get(names.database).close();
  deployment.close();
  lock.release();
}
