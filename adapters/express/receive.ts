import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { countUnread, refuseUnread } from './answer-limits.js';
import { mayHaveBody } from './body.js';
import { DIRECTORY_BASE } from './directory/write-answers.js';
import { HttpError } from './errors.js';
import { type CountedLimit, localsOf, routeOf } from './locals.js';
import type { Logger } from './logger.js';
import { API_BASE, isHealthCheck, isProbe } from './probe-paths.js';
import { type EndedCall, endedCall } from './record-call.js';
import { UnreadAnswers } from './unread-answers.js';

/** A request that has ended, as `observe` gets it. */
export interface ObservedRequest {
  readonly method: string;
  /** The pattern of the path; null: the path is unknown. */
  readonly route: string | null;
  readonly status: number;
  readonly seconds: number;
  /** The size of an answer that was sent in parts, such as an export; 0 for other answers. */
  readonly streamedBytes: number;
  /** The limit that was reached, of those that are counted nowhere else. */
  readonly limit?: CountedLimit | undefined;
}

export interface ReceiveOptions {
  readonly log: Logger;
  /** The URL at which clients reach this deployment, without a slash at the end. */
  readonly publicUrl: string;
  /** The maximum number of requests that are answered at the same time; further requests get 503. */
  readonly maxRequests?: number | undefined;
  /** Called for every request when it has ended, for metrics. */
  readonly observe?: ((request: ObservedRequest) => void) | undefined;
  /** Called for every call of the API whose organization is known, when it has ended. */
  readonly recordCall?: ((call: EndedCall) => void) | undefined;
}

const MAX_REQUESTS = 1000;
/** Closes the connection, so that the rest of the request need not be received. */
const busyHeaders = { 'Retry-After': '1', Connection: 'close' };
/** For each request that may be answered, this many may wait for their bodies or for slow readers. */
const WAITING_FACTOR = 8;

/**
 * The first handler of every request. Gives the request an id, logs it when it has ended, and refuses it with 503 if
 * there are too many.
 */
export function receive({
  log,
  publicUrl,
  maxRequests = MAX_REQUESTS,
  observe,
  recordCall,
}: ReceiveOptions): RequestHandler {
  const isHttps = publicUrl.startsWith('https:');
  const maxWaiting = maxRequests * WAITING_FACTOR;
  const unread = new UnreadAnswers();
  let inProgress = 0;
  /** Requests whose body is still arriving, or whose answer is still being read. */
  let waiting = 0;
  return (request, response, next) => {
    const start = performance.now();
    const locals = localsOf(response);
    locals.requestId = requestIdOf(request);
    locals.url = request.url;
    locals.isHttps = isHttps;
    locals.unread = unread;
    // Receiving a body or sending an answer takes a connection, which has its own time limit, but no work.
    const isWhole = request.complete || !mayHaveBody(request);
    let isWorking = false;
    const setWorking = (now: boolean): void => {
      if (now === isWorking) return;
      isWorking = now;
      inProgress += now ? 1 : -1;
      waiting += now ? -1 : 1;
    };
    const begin = (): void => setWorking(true);
    waiting += 1;
    if (isWhole) begin();
    else request.once('end', begin);
    response.once('prefinish', () => {
      request.off('end', begin);
      setWorking(false);
      const unreadBytes = response.writableLength;
      if (unreadBytes > 0) response.once('close', countUnread(response, unreadBytes));
    });
    response.once('close', () => {
      request.off('end', begin);
      setWorking(false);
      waiting -= 1;
      const milliseconds = performance.now() - start;
      logRequest(log, { request, response, milliseconds });
      const call = recordCall && endedCall(request, response, milliseconds);
      if (call) recordCall(call);
      observe?.({
        method: request.method ?? '',
        route: routeOf(response),
        status: response.statusCode,
        seconds: milliseconds / 1000,
        streamedBytes: localsOf(response).streamedBytes ?? 0,
        limit: localsOf(response).limit,
      });
    });
    // A busy process is still healthy, so `/healthz` is always answered.
    const isTooMuch = inProgress > maxRequests || waiting > maxWaiting;
    if (isTooMuch && !isHealthCheck(request.url))
      throw new HttpError('unavailable', { headers: busyHeaders });
    // Of the API and of directories, only a request with a token can have a large answer.
    const isWithToken = [API_BASE, DIRECTORY_BASE].some((base) => request.url.startsWith(`${base}/`));
    if (!isWithToken && !isHealthCheck(request.url)) refuseUnread(response);
    next();
  };
}

/** A client may choose the id of its request in the log. */
function requestIdOf({ headers }: IncomingMessage): string {
  const requestId = headers['x-request-id'];
  const isValid = typeof requestId === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(requestId);
  return isValid ? requestId : randomUUID();
}

/** Logs one line for each request, without URL, headers and body, because these may contain tokens. */
function logRequest(
  log: Logger,
  ended: {
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    readonly milliseconds: number;
  },
): void {
  const { request, response, milliseconds } = ended;
  const { requestId, organization, reason } = localsOf(response);
  const { statusCode: status } = response;
  const route = routeOf(response);
  log[levelOf(status, route)](
    {
      requestId,
      method: request.method,
      route,
      status,
      duration: Math.round(milliseconds * 10) / 10,
      organizationId: organization?.id,
      reason,
      // The client left, or the answer was cut off.
      cutOff: response.writableFinished ? undefined : true,
    },
    'request',
  );
}

function levelOf(status: number, route: string | null): 'debug' | 'info' | 'warn' | 'error' {
  if (status === 503) return 'warn';
  if (status >= 500) return 'error';
  return isProbe(route) ? 'debug' : 'info';
}

/** Sets the request id for pages, which write their own heads. */
export const setRequestId: RequestHandler = (_request, response, next) => {
  response.setHeader('X-Request-Id', localsOf(response).requestId ?? '');
  next();
};
