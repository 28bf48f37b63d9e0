import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { mayHaveBody } from './body.js';
import { HttpError } from './errors.js';
import { localsOf, routeOf } from './locals.js';

/** What `observe` is told of a request that has ended. */
export interface ObservedRequest {
  readonly method: string;
  /** The pattern of the path, or null where none matched. */
  readonly route: string | null;
  readonly status: number;
  readonly seconds: number;
  /** Bytes of an answer that was sent in parts, as exports are; 0 for any other. */
  readonly streamedBytes: number;
}

export interface ReceiveOptions {
  readonly log: Logger;
  /** Where clients reach this deployment, without a slash at the end. */
  readonly publicUrl: string;
  /** Requests answered at the same time; one more gets 503. */
  readonly mostRequests?: number | undefined;
  /** Told of every request when it has ended, for metrics. */
  readonly observe?: ((request: ObservedRequest) => void) | undefined;
}

const MOST_REQUESTS = 1000;
/** What is still coming on the connection is not waited for. */
const busyHeaders = { 'Retry-After': '1', Connection: 'close' };
/** So many requests may be waiting for their bodies, or for readers of their answers, for each that may be answered. */
const WAITING_FOR_EACH = 8;

/**
 * What happens to every request first: it gets its id, it is logged when it has ended, and it is shed when
 * there are too many. Throws what it is to be refused with.
 */
export function receive({
  log,
  publicUrl,
  mostRequests = MOST_REQUESTS,
  observe,
}: ReceiveOptions): RequestHandler {
  const isHttps = publicUrl.startsWith('https:');
  const mostWaiting = mostRequests * WAITING_FOR_EACH;
  let underWay = 0;
  /** Bodies on their way to us, and answers that are whole but for their readers. */
  let waiting = 0;
  return (request, response, next) => {
    const start = performance.now();
    const locals = localsOf(response);
    locals.requestId = requestIdOf(request);
    locals.url = request.url;
    locals.isHttps = isHttps;
    // A body or an answer that is on its way costs a connection, which has its own time limit, but no work.
    const isWhole = request.complete || !mayHaveBody(request);
    let isWorking = false;
    const setWorking = (now: boolean): void => {
      if (now === isWorking) return;
      isWorking = now;
      underWay += now ? 1 : -1;
      waiting += now ? -1 : 1;
    };
    const begin = (): void => setWorking(true);
    waiting += 1;
    if (isWhole) begin();
    else request.once('end', begin);
    response.once('prefinish', () => {
      request.off('end', begin);
      setWorking(false);
    });
    response.once('close', () => {
      request.off('end', begin);
      setWorking(false);
      waiting -= 1;
      const milliseconds = performance.now() - start;
      logRequest(log, { request, response, milliseconds });
      observe?.({
        method: request.method ?? '',
        route: routeOf(response),
        status: response.statusCode,
        seconds: milliseconds / 1000,
        streamedBytes: localsOf(response).streamedBytes ?? 0,
      });
    });
    // Whoever asks whether the process is alive must not hear that it is busy.
    const isTooMuch = underWay > mostRequests || waiting > mostWaiting;
    if (isTooMuch && request.url !== '/healthz') throw new HttpError('unavailable', { headers: busyHeaders });
    next();
  };
}

/** A client may choose the id under which the log knows its request. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
}

/** Paths that machines ask every few seconds. */
const PROBES: ReadonlySet<string | null> = new Set(['/healthz', '/readyz']);

/** One line a request. Never a URL, a header or a body: they hold tokens. */
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
  return PROBES.has(route) ? 'debug' : 'info';
}

/** Pages write their own heads; the id is set for them beforehand. */
export const setRequestId: RequestHandler = (_request, response, next) => {
  response.setHeader('X-Request-Id', localsOf(response).requestId ?? '');
  next();
};
