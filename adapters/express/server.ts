import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeSoon, isClosing } from './close-soon.js';
import { LOG_WINDOW_MS, limitLines } from './limit-lines.js';
import type { Logger } from './logger.js';
import { messageClassesOf } from './message-classes.js';
import { refusalCodeOf, refuseConnection } from './refuse-connection.js';
import { headProblem } from './request-head.js';
import { Connections, MAX_UNANSWERED } from './requests-in-turn.js';
import { stopParsingWhenClosing } from './stop-parsing.js';
import { stopServer } from './stop-server.js';

export interface HttpServerOptions {
  /** Answers the requests: the app. If it is an Express application, requests have its prototypes from the start. */
  readonly handler: RequestListener;
  readonly log: Logger;
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** What is wrong with the `Host` header, or null. By default any valid one is right. */
  readonly hostProblem?: ((request: IncomingMessage) => string | null) | undefined;
}

/** All times are in milliseconds. */
interface Timeouts {
  /** For the head of a request to arrive. */
  readonly headers: number;
  /** For the whole request to arrive. */
  readonly request: number;
  /** The interval at which `headers` and `request` are checked. */
  readonly check: number;
  /** How long a client may use an idle connection; each answer says so in `Keep-Alive`. */
  readonly keepAlive: number;
  /** The maximum time in which a client reads nothing of an answer. */
  readonly stall: number;
  /** How long idle connections are kept when the server stops. By default, as long as `Keep-Alive` says. */
  readonly lastRequests: number;
  /** The maximum time for requests when the server stops. */
  readonly stop: number;
  /** The window of time in which log lines about floods are limited. */
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

const MAX_HEAD_BYTES = 16_384;

/** An idle connection stays open this much longer than `Keep-Alive` says, so that a client that keeps to it closes it first. */
const KEEP_ALIVE_BUFFER_MS = 1000;

const tooManyUnanswered = `Connection closed: more than ${MAX_UNANSWERED} requests without an answer`;

export interface HttpServer {
  readonly server: Server;
  /** Resolves to the address on which the server listens; rejects if the port is taken. */
  listen(at: { readonly port: number; readonly host: string }): Promise<AddressInfo>;
  /** From now on, each answer tells its client that the connection will be closed. The server still listens. */
  announceStop(): void;
  /**
   * Accepts no more connections, answers the requests that have been sent, and keeps idle connections until their
   * clients have had time for one more request. Resolves when all connections are closed. Requests that are not
   * answered 15 s after the announcement are cut off.
   */
  stop(): Promise<void>;
}

/** A node:http server that is strict about HTTP, limits slow clients, and answers errors of the protocol as JSON. */
export function createHttpServer({
  handler,
  log,
  timeouts = {},
  hostProblem = () => null,
}: HttpServerOptions): HttpServer {
  const times = { ...defaultTimeouts, ...timeouts };
  const connections = new Connections(times.lastRequests);
  const logFlood = limitLines<{ readonly address: string | undefined }>(({ address }, count) => {
    log.warn({ address, connections: count }, tooManyUnanswered);
  }, times.logWindow);
  const server = createServer(
    {
      ...messageClassesOf(handler),
      headersTimeout: times.headers,
      requestTimeout: times.request,
      connectionsCheckingInterval: times.check,
      keepAliveTimeout: times.keepAlive,
      maxHeaderSize: MAX_HEAD_BYTES,
      insecureHTTPParser: false,
      // `headProblem` checks the Host header, because Node's own answer has no body and no request id.
      requireHostHeader: false,
    },
    (request, response) => {
      const { socket } = request;
      if (isClosing(socket)) return;
      // Node 22.19 and later add this buffer themselves, earlier versions none.
      response.once('finish', () => {
        if (response.shouldKeepAlive) socket.setTimeout(times.keepAlive + KEEP_ALIVE_BUFFER_MS);
      });
      const problem = headProblem(request) ?? hostProblem(request);
      if (problem !== null) {
        connections.refuseAfterCurrent(socket, () =>
          refuseConnection(socket, { code: 'invalid-request', text: problem, log }),
        );
      }
      if (connections.add(request, response, () => handler(request, response))) return;
      logFlood({ address: socket.remoteAddress });
      closeSoon(socket);
    },
  );
  server.on('connection', stopParsingWhenClosing);
  // Any data on the connection restarts this time. Preparing an answer never takes this long.
  server.setTimeout(times.stall);
  // Only the size of the head is limited. With a limit on their number, Node would silently drop further headers.
  server.maxHeadersCount = 0;
  // An unknown expectation is ignored; Node would answer 417 without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const code = refusalCodeOf(error);
    connections.refuseAfterCurrent(socket, () => refuseConnection(socket, { code, log }));
  });
  server.on('connect', (_request, socket) => refuseConnection(socket, { code: 'invalid-request', log }));

  return {
    server,
    listen: (at) => listen(server, at),
    announceStop: () => connections.announceEnd(),
    stop: () => {
      connections.announceEnd();
      return stopServer(server, { connections, timeoutMs: times.stop });
    },
  };
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
