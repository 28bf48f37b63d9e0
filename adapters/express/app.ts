import type { ServerResponse } from 'node:http';
import { type components, openapi } from '@rollcall/contracts';
import { type ErrorTracker, readAddress, Unavailable } from '@rollcall/core';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { writeError, writeJson, writeJsonText } from './answer.js';
import { API_BASE, createApi } from './api.js';
import { ClientGone, ExportFailed, errorAnswer, HttpError, isUnexpected, unavailable } from './errors.js';
import { localsOf, routeOf } from './locals.js';
import { refuseOtherMethods } from './method.js';
import { nameFailedExport, type OperationOptions } from './operation.js';
import { type ReceiveOptions, receive, setRequestId } from './receive.js';

/** One thing that has to be right before the service can answer. */
export interface ReadinessCheck {
  /** Said to whoever asks: no address, no version. */
  readonly name: keyof Checks;
  readonly state: Checks['database'];
  /** Told, and no reason to get no requests. */
  readonly isInformational?: boolean;
}

type Checks = components['schemas']['Checks'];

export interface AppOptions extends OperationOptions, ReceiveOptions {
  readonly errorTracker: ErrorTracker;
  /** The other deployment, for trials (decision 27). */
  readonly stagingUrl?: string | null | undefined;
  /** What `/readyz` asks. Where it throws, the database is taken to be away. */
  readonly ready: () => Promise<readonly ReadinessCheck[]>;
  /** As Express takes it: whose `X-Forwarded-For` is believed. Nobody's by default. */
  readonly trustProxy?: boolean | number | string | readonly string[] | undefined;
  /**
   * Part of another Express application: what is not ours is passed on to it, and it says which proxies are trusted
   * unless `trustProxy` does.
   */
  readonly isMounted?: boolean | undefined;
  /** Everything that is for people; it is asked for what is not under `/api`. */
  readonly pages?: RequestHandler | undefined;
}

/**
 * Everything that is reached over HTTP, as an Express application: the interface, what stands beside it, and the
 * pages. Every error is answered by one handler.
 */
export function createApp(options: AppOptions): Express {
  const app = express()
    .disable('x-powered-by')
    .disable('etag')
    .enable('case sensitive routing')
    .enable('strict routing');
  if (!options.isMounted || options.trustProxy !== undefined) {
    app.set('trust proxy', options.trustProxy ?? false);
    trustWithoutPorts(app);
  }

  app.use(receive(options));
  app.use(API_BASE, createApi(options), nameFailedExport);
  beside(app, '/healthz', (_request, response) => writeJson(response, 200, { status: 'ok' }));
  beside(app, '/readyz', (_request, response) => writeReadiness(response, options.ready));
  beside(app, '/openapi.json', serveDocument(options));
  if (!options.isMounted) app.use('/api', nothingHere);
  if (options.pages !== undefined) app.use(setRequestId, options.pages);
  if (!options.isMounted) app.use(nothingHere);
  app.use(answerErrors(options.errorTracker));
  return app;
}

/**
 * The same application also below the path of `publicUrl`, where it has one: a proxy may take that path away before
 * it hands a request on, or not.
 */
export function alsoBelowPublicUrl(app: Express, publicUrl: string): Express {
  const basePath = new URL(publicUrl).pathname.replace(/\/$/, '');
  if (basePath === '') return app;
  return express().disable('x-powered-by').enable('case sensitive routing').use(basePath, app).use(app);
}

/** Express knows a proxy by its address alone; some proxies write a port behind it. */
function trustWithoutPorts(app: Express): void {
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  app.set('trust proxy', (address: string, hop: number) => isTrusted(readAddress(address) ?? address, hop));
}

function beside(app: Express, path: string, handler: RequestHandler): void {
  app.get(path, (request, response, next) => {
    localsOf(response).route = path;
    return handler(request, response, next);
  });
  app.all(path, refuseOtherMethods(path, ['GET', 'HEAD']));
}

const nothingHere: RequestHandler = () => {
  throw new HttpError('unknown-path');
};

const nothingKnown: readonly ReadinessCheck[] = [
  { name: 'database', state: 'failed' },
  { name: 'migrations', state: 'unknown' },
];

async function writeReadiness(response: ServerResponse, ready: AppOptions['ready']): Promise<void> {
  const asked = await ready().catch(() => nothingKnown);
  const checks = Object.fromEntries(asked.map(({ name, state }) => [name, state]));
  const failing = asked.filter(({ state, isInformational }) => state === 'failed' && !isInformational);
  if (failing.length === 0) return writeJson(response, 200, { status: 'ok', checks });

  const reason = failing.map(({ name }) => name).join(', ');
  localsOf(response).reason = reason;
  const { status, headers, body } = errorAnswer(unavailable(5, `Service Unavailable: ${reason}`));
  writeJson(response, status, { ...body, checks }, Object.entries(headers).flat());
}

/** The contract with the addresses of this deployment. */
function serveDocument({ publicUrl, stagingUrl }: AppOptions): RequestHandler {
  const document = openapi();
  document.servers = [{ url: `${publicUrl}${API_BASE}` }];
  if (stagingUrl)
    document.servers.push({ url: `${stagingUrl}${API_BASE}`, description: 'Staging, for trials' });
  for (const path of Object.values(document.paths)) {
    if ('servers' in path) path.servers = [{ url: publicUrl }];
  }
  const json = Buffer.from(JSON.stringify(document));
  return (_request, response) => writeJsonText(response, 200, json);
}

/** Answers whatever was thrown, and reports what nobody meant to throw. */
function answerErrors(errorTracker: ErrorTracker): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    if (error instanceof ClientGone || response.destroyed) return;
    const locals = localsOf(response);
    if (error instanceof Unavailable) locals.reason = error.message;
    const isExportError = error instanceof ExportFailed;
    if (isExportError || isUnexpected(error) || response.headersSent) {
      errorTracker.report(isExportError ? error.cause : error, {
        severity: isExportError ? 'info' : 'error',
        operation: locals.operation ?? routeOf(response) ?? 'unknown path',
        requestId: locals.requestId ?? null,
      });
    }
    // What has begun can't be taken back: better no end than a false one.
    if (response.headersSent) response.destroy();
    else writeError(response, error);
  };
}
