import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import { type AddressInfo, Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { standingHeaders } from './answer.js';
import { boundedLines, LOG_WINDOW_MS } from './bounded-lines.js';
import { Connections, closeSoon, isClosing, MAX_UNANSWERED, stopParsingWhenClosing } from './connections.js';
import { errorAnswer, HttpError, type HttpErrorCode } from './errors.js';
import { headProblem } from './request-head.js';

export interface HttpServerOptions {
  /** What answers: the app. */
  readonly handler: RequestListener;
  readonly log: Logger;
  /** Milliseconds; for tests. */
  readonly timeouts?: Partial<Timeouts> | undefined;
}

interface Timeouts {
  /** Until the head of a request is there. */
  readonly headers: number;
  /** Until the request is there as a whole. */
  readonly request: number;
  /** How often these two are looked at. */
  readonly check: number;
  /** How long an idle connection is kept: each answer says so, in `Keep-Alive`. */
  readonly keepAlive: number;
  /** How long whoever takes nothing of an answer is waited for. */
  readonly stall: number;
  /** How long idle connections are kept when the server stops; as long as it was said, if left out. */
  readonly lastRequests: number;
  /** How long what is under way may take when the server stops. */
  readonly stop: number;
  /** In which lines about floods are counted. */
  readonly logWindow: number;
}

const defaultTimeouts: Timeouts = {
  headers: 5000,
  request: 10_000,
  check: 1000,
  keepAlive: 5000,
  stall: 60_000,
  lastRequests: 5000,
  stop: 15_000,
  logWindow: LOG_WINDOW_MS,
};

/** Milliseconds that a client has to read why it is refused. */
const LINGER = 1000;

const TOO_MANY_UNANSWERED = `Connection closed: more than ${MAX_UNANSWERED} requests without an answer`;

/** Bytes of a request's head. */
const LARGEST_HEAD = 16_384;

export interface HttpServer {
  readonly server: Server;
  /** Where it listens; fails when the port is taken. */
  listen(at: { readonly port: number; readonly host: string }): Promise<AddressInfo>;
  /** From now on each answer tells its client that the connection is closed after it; the server still listens. */
  announceStop(): void;
  /**
   * Accepts nothing more, answers what is under way, and keeps idle connections for as long as their clients were
   * told that they may ask once more; ends when all is closed. What takes longer than 15 s from the announcement is
   * cut off.
   */
  stop(): Promise<void>;
}

/** A node:http server that is strict about HTTP, short with slow clients, and answers errors of the protocol as JSON. */
export function createHttpServer({ handler, log, timeouts = {} }: HttpServerOptions): HttpServer {
  const times = { ...defaultTimeouts, ...timeouts };
  const connections = new Connections(times.lastRequests);
  const logFlood = boundedLines<{ readonly address: string | undefined }>(({ address }, count) => {
    log.warn({ address, connections: count }, TOO_MANY_UNANSWERED);
  }, times.logWindow);
  const server = createServer(
    {
      headersTimeout: times.headers,
      requestTimeout: times.request,
      connectionsCheckingInterval: times.check,
      keepAliveTimeout: times.keepAlive,
      maxHeaderSize: LARGEST_HEAD,
      insecureHTTPParser: false,
      // It is checked here: Node's own answer has no body and no request id.
      requireHostHeader: false,
    },
    (request, response) => {
      const { socket } = request;
      if (isClosing(socket)) return;
      const problem = headProblem(request);
      if (problem !== null) {
        connections.afterCurrent(socket, () =>
          refuse(socket, { code: 'invalid-request', text: problem, log }),
        );
      }
      if (connections.add(request, response, () => handler(request, response))) return;
      logFlood({ address: socket.remoteAddress });
      closeSoon(socket);
    },
  );
  server.on('connection', stopParsingWhenClosing);
  // Whatever moves on a connection begins it anew; an answer takes no such time to begin.
  server.setTimeout(times.stall);
  // The size of the head is the limit; Node would drop what exceeds a number of headers without a word.
  server.maxHeadersCount = 0;
  // An expectation that nobody knows is ignored; Node would answer 417 without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    connections.afterCurrent(socket, () => refuse(socket, { code: codeOf(error), log }));
  });
  server.on('connect', (_request, socket) => refuse(socket, { code: 'invalid-request', log }));

  return {
    server,
    listen: (at) => listen(server, at),
    announceStop: () => connections.announceEnd(),
    stop: () => {
      connections.announceEnd();
      return stop(server, { connections, longest: times.stop });
    },
  };
}

function codeOf({ code }: NodeJS.ErrnoException): HttpErrorCode | null {
  if (code === 'ECONNRESET' || code === 'EPIPE') return null;
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers-too-large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request-timeout';
  return 'invalid-request';
}

interface Refused {
  readonly code: HttpErrorCode | null;
  /** What is wrong; the code's own words, if left out. */
  readonly text?: string;
  readonly log: Logger;
}

/** The answer to what is no request; then the connection is closed. */
function refuse(socket: Duplex, { code, text, log }: Refused): void {
  if (code === null || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const { status, headers, body } = errorAnswer(new HttpError(code, text === undefined ? {} : { text }));
  log.info({ requestId, status, method: null, route: null }, 'request');
  const json = JSON.stringify(body);
  const head = [
    ...standingHeaders,
    ...Object.entries(headers).flat(),
    ...['X-Request-Id', requestId, 'Content-Length', String(Buffer.byteLength(json)), 'Connection', 'close'],
  ];
  const lines = head.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${json}`);
  // Closed at once, the connection would be reset while the client still sends, and the answer lost.
  setTimeout(() => socket.destroy(), LINGER).unref();
}

function listen(
  server: Server,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

/** How long to wait for a turn of the event loop in which closing resets no connection. */
const MAX_ACCEPT_MS = 2000;
const QUIET_TURNS = 2;
/** While a longer turn ran, more connections may have come. */
const MAX_QUIET_TURN_MS = 1;

/**
 * Closing resets the connections that Node has not accepted yet. Node accepts one in each turn of the event loop, so some
 * quick turns without a connection show that none waits. `setImmediate` runs right after Node has accepted: a timer would
 * run before, and close on those that came while the process was busy.
 */
async function acceptLast(server: Server): Promise<void> {
  const until = performance.now() + MAX_ACCEPT_MS;
  let quietTurns = 0;
  let hasAccepted = false;
  const onConnection = (): void => {
    hasAccepted = true;
  };
  server.on('connection', onConnection);
  while (quietTurns < QUIET_TURNS && performance.now() < until) {
    hasAccepted = false;
    const begun = performance.now();
    await nextTurn();
    const isQuiet = !hasAccepted && performance.now() - begun < MAX_QUIET_TURN_MS;
    quietTurns = isQuiet ? quietTurns + 1 : 0;
  }
  server.off('connection', onConnection);
}

async function stop(
  server: Server,
  { connections, longest }: { readonly connections: Connections; readonly longest: number },
): Promise<void> {
  await acceptLast(server);
  const closed = new Promise<void>((resolve) => {
    // The server's own `close` would close idle connections at once, and requests that are on their way with them.
    TcpServer.prototype.close.call(server, () => resolve());
  });
  // Connections whose last answer is out stay open for a while otherwise.
  const sweep = setInterval(() => {
    if (connections.mayCloseIdle()) server.closeIdleConnections();
  }, 20);
  const end = setTimeout(() => server.closeAllConnections(), longest - connections.ending());
  await closed;
  clearInterval(sweep);
  clearTimeout(end);
  // It ends the server's own timers, too.
  server.close();
}
