import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type components, openapi } from '@rollcall/contracts';
import { type ErrorTracker, readAddress, Unavailable } from '@rollcall/core';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { writeError, writeJson, writeJsonText } from './answer.js';
import { API_BASE, type Api, createApi, refuseMethod } from './api.js';
import { ClientGone, ExportFailed, errorAnswer, HttpError, isUnexpected, unavailable } from './errors.js';
import { localsOf, routeOf } from './locals.js';
import type { OperationWorld } from './operation.js';
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

export interface AppOptions extends Omit<OperationWorld, 'addressOf'>, ReceiveOptions {
  readonly errorTracker: ErrorTracker;
  /** The other deployment, for trials (decision 27). */
  readonly stagingUrl?: string | null | undefined;
  /** What `/readyz` asks. Where it throws, the database is taken to be away. */
  readonly ready: () => Promise<readonly ReadinessCheck[]>;
  /** As Express takes it: whose `X-Forwarded-For` is believed. Nobody's by default. */
  readonly trustProxy?: boolean | number | string | readonly string[] | undefined;
  /** Everything that is for people; it is asked for what is not under `/api`. */
  readonly pages?: RequestHandler | undefined;
}

/**
 * Everything that is reached over HTTP: the interface, and through Express what stands beside it and the pages.
 * Whatever is thrown is answered by one handler.
 */
export function createApp(options: AppOptions): RequestListener {
  const app = createExpressApp(options);
  const begin = receive(options);
  const api = createApi({ ...options, addressOf: addressReader(app, options) });
  const answerError = errorAnswerer(options.errorTracker);
  return (request, response) => {
    try {
      begin(request, response);
      const answered = answerByApi(api, request, response);
      if (answered === null) app(request, response);
      else answered.catch((error: unknown) => answerError(error, response));
    } catch (error) {
      answerError(error, response);
    }
  };
}

/** Null: the path is none of the interface. */
function answerByApi(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> | null {
  const found = api(request.method ?? '', pathOf(request.url ?? ''));
  if (found === null) return null;
  return found.handle === null ? refuseMethod(response, found) : found.handle(request, response, found.path);
}

/** Without query and fragment, also of a target that names the host. */
function pathOf(target: string): string {
  const url = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}

/** As Express reads it, by its own getter: it belongs to a request that Express has seen. */
function addressReader(app: Express, { trustProxy }: AppOptions): (request: IncomingMessage) => string {
  const read = (text: unknown): string => readAddress(String(text)) ?? '';
  if (!trustProxy) return ({ socket }) => read(socket.remoteAddress);
  return ({ headers, socket }) => read(Reflect.get(app.request, 'ip', { app, headers, socket }));
}

/** Express knows a proxy by its address alone; some proxies write a port behind it. */
function trustWithoutPorts(app: Express): void {
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  app.set('trust proxy', (address: string, hop: number) => isTrusted(readAddress(address) ?? address, hop));
}

function createExpressApp(options: AppOptions): Express {
  const app = express()
    .disable('x-powered-by')
    .disable('etag')
    .enable('case sensitive routing')
    .enable('strict routing')
    .set('trust proxy', options.trustProxy ?? false);
  trustWithoutPorts(app);

  beside(app, '/healthz', (_request, response) => writeJson(response, 200, { status: 'ok' }));
  beside(app, '/readyz', (_request, response) => writeReadiness(response, options.ready));
  beside(app, '/openapi.json', serveDocument(options));
  app.use('/api', nothingHere);
  if (options.pages !== undefined) app.use(setRequestId, options.pages);
  const answerError = errorAnswerer(options.errorTracker);
  const onError: ErrorRequestHandler = (error, _request, response, _next) => answerError(error, response);
  app.use(nothingHere, onError);
  return app;
}

function beside(app: Express, path: string, handler: RequestHandler): void {
  app.get(path, (request, response, next) => {
    localsOf(response).route = path;
    return handler(request, response, next);
  });
  app.all(path, (_request, response) => refuseMethod(response, { route: path, allowed: ['GET', 'HEAD'] }));
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
function errorAnswerer(errorTracker: ErrorTracker): (error: unknown, response: ServerResponse) => void {
  return (error, response) => {
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
