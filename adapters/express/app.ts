import type { ServerResponse } from 'node:http';
import { type components, openapi } from '@rollcall/contracts';
import type { ErrorTracker } from '@rollcall/core';
import { readAddress } from '@rollcall/core/adapters';
import express, { type Express, type IRouter, type RequestHandler, type Response } from 'express';
import { refuseOtherMethods, strictExpress, unknownPath } from './add-operations.js';
import { writeEncoded, writeJson } from './answer.js';
import { answerErrors } from './answer-errors.js';
import { createApi } from './api.js';
import { answerDirectoryErrors, createDirectoryApi } from './directory/directory-api.js';
import { DIRECTORY_BASE } from './directory/write-answers.js';
import { errorAnswer, unavailable } from './errors.js';
import { localsOf } from './locals.js';
import { watchConnections } from './mounted-connections.js';
import { explainPlus, nameFailedExport, type OperationOptions } from './operation.js';
import { API_BASE, alsoInApi, HEALTH_PATH, READINESS_PATH } from './probe-paths.js';
import { type ReceiveOptions, receive, setRequestId } from './receive.js';
import { traceRequests } from './trace-requests.js';

/** The result of one readiness check. */
export interface ReadinessCheck {
  /** Public: it contains no address and no version. */
  readonly name: keyof Checks;
  readonly state: Checks['database'];
  /** Why it failed, in a few words. Public, too. */
  readonly reason?: string;
  /** The check is reported, but its failure does not make the service unready. */
  readonly isInformational?: boolean;
}

type Checks = components['schemas']['Checks'];

export interface AppOptions extends OperationOptions, ReceiveOptions {
  readonly errorTracker: ErrorTracker;
  /** The URL of the staging deployment (decision 162). */
  readonly stagingUrl?: string | null | undefined;
  /** Runs the checks of `/readyz`. If this fails, the database counts as unreachable. No checks by default. */
  readonly ready?: (() => Promise<readonly ReadinessCheck[]>) | undefined;
  /** The proxies whose `X-Forwarded-For` is trusted, as in Express. None by default. */
  readonly trustProxy?: boolean | number | string | readonly string[] | undefined;
  /**
   * The app is part of another Express application: requests for unknown paths are passed on to it, and its trusted
   * proxies are used unless `trustProxy` is given. Express tells them to an app that `use` of the other application
   * mounts, but not to one that a `Router` mounts.
   */
  readonly isMounted?: boolean | undefined;
  /** Runs the rest of a request under one deadline. Without a deadline by default. */
  readonly withDeadline?: WithDeadline | undefined;
  /** The pages for people. They get every request whose path is not under `/api`. */
  readonly pages?: RequestHandler | undefined;
}

/** Calls `handle`, which runs the rest of a request. */
export type WithDeadline = (response: Response, handle: () => void) => void;

/**
 * Everything that is served over HTTP, as an Express application: the API, the paths for operators, and the pages. One
 * handler answers every error. If `publicUrl` has a path, everything is also served below it: some proxies remove that
 * path before they pass a request on, others do not, and a host may mount the app at its root.
 */
export function createApp(options: AppOptions): Express {
  const app = strictExpress();
  if (!options.isMounted || options.trustProxy !== undefined) {
    app.set('trust proxy', options.trustProxy ?? false);
    trustWithoutPorts(app);
  }
  const basePath = new URL(options.publicUrl).pathname.replace(/\/$/, '');
  if (options.isMounted) app.once('mount', () => warnIfElsewhere(app, basePath, options));
  if (basePath === '') return addAll(app, options);
  const all = addAll(express.Router({ caseSensitive: true, strict: true }), options);
  return app.use(basePath, unlessMountedThere(basePath, all)).use(all);
}

/** A host that mounts the app under the path of `publicUrl` has that path once. */
function unlessMountedThere(basePath: string, all: RequestHandler): RequestHandler {
  return (request, response, next) =>
    request.baseUrl.endsWith(`${basePath}${basePath}`) ? next() : all(request, response, next);
}

/** At the root, everything is also served under the path of `publicUrl`. */
function warnIfElsewhere(app: Express, basePath: string, { log, publicUrl }: AppOptions): void {
  const mounted = [app.mountpath].flat().map((path) => path.replace(/\/$/, ''));
  if (mounted.includes('') || mounted.some((path) => path !== '' && basePath.endsWith(path))) return;
  log.warn(
    { mountpath: app.mountpath, publicUrl },
    'The links lead to the path of publicUrl, but the app is mounted at another path: mount it at that one',
  );
}

/** Adds all routes, to the application or to a router that it serves at two paths. */
function addAll<To extends IRouter>(router: To, options: AppOptions): To {
  if (options.isMounted) router.use(watchConnections());
  const { withDeadline } = options;
  if (withDeadline !== undefined)
    router.use((_request, response, next) => withDeadline(response, () => next()));
  router.use(traceRequests(options));
  router.use(receive(options));
  router.use(API_BASE, createApi(options), explainPlus, nameFailedExport);
  router.use(DIRECTORY_BASE, createDirectoryApi(options));
  addOperatorPath(router, HEALTH_PATH, (_request, response) => writeJson(response, 200, { status: 'ok' }));
  addOperatorPath(router, READINESS_PATH, ({ query }, response) =>
    writeReadiness(response, { ready: options.ready, isVerbose: query.verbose !== undefined }),
  );
  addOperatorPath(router, '/openapi.json', serveDocument(options));
  if (!options.isMounted) router.use('/api', unknownPath);
  if (options.pages !== undefined) router.use(setRequestId, options.pages);
  if (!options.isMounted) router.use(unknownPath);
  router.use(DIRECTORY_BASE, answerDirectoryErrors(options.errorTracker));
  router.use(answerErrors(options.errorTracker));
  return router;
}

/** Express expects an address without a port, but some proxies add one. */
function trustWithoutPorts(app: Express): void {
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  app.set('trust proxy', (address: string, hop: number) => isTrusted(readAddress(address) ?? address, hop));
}

/** Also below the API, because generated clients have one base URL and do not read the servers of single paths. */
function addOperatorPath(router: IRouter, path: string, handler: RequestHandler): void {
  const both = alsoInApi(path);
  router.get(both, (request, response, next) => {
    localsOf(response).route = path;
    return handler(request, response, next);
  });
  router.all(both, refuseOtherMethods(path, ['GET', 'HEAD']));
}

const databaseUnreachable: readonly ReadinessCheck[] = [
  { name: 'database', state: 'failed' },
  { name: 'migrations', state: 'unknown' },
];

async function writeReadiness(
  response: ServerResponse,
  { ready = async () => [], isVerbose }: Pick<AppOptions, 'ready'> & { readonly isVerbose: boolean },
): Promise<void> {
  const results = await ready().catch(() => databaseUnreachable);
  const answer = {
    checks: Object.fromEntries(results.map(({ name, state }) => [name, state])),
    ...(isVerbose && { time_zone_data: process.versions.tz ?? 'unknown' }),
  };
  const failed = results.filter(({ state, isInformational }) => state === 'failed' && !isInformational);
  if (failed.length === 0) return writeJson(response, 200, { status: 'ok', ...answer });

  const reason = failed
    .map(({ name, reason }) => (reason === undefined ? name : `${name} (${reason})`))
    .join(', ');
  localsOf(response).reason = reason;
  const { status, headers, body } = errorAnswer(unavailable(5, `Service Unavailable: ${reason}`));
  writeJson(response, status, { ...body, ...answer }, Object.entries(headers).flat());
}

/** openapi.yaml with the addresses of this deployment. It is made when it is first asked for. */
function serveDocument({ publicUrl, stagingUrl }: AppOptions): RequestHandler {
  const staging = stagingUrl ? [{ url: `${stagingUrl}${API_BASE}`, description: 'Staging, for trials' }] : [];
  const servers = [{ url: `${publicUrl}${API_BASE}` }, ...staging];
  let json: Buffer | undefined;
  return (_request, response) => {
    json ??= Buffer.from(JSON.stringify({ ...openapi(), servers }));
    return writeEncoded(response, 200, json);
  };
}
