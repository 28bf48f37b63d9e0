import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { type Certificate, testAuthority } from './certificates.js';
import { listen as listenOn } from './listen.js';

/** A request as it was received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  /** Names and values in the order and spelling of the request. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** The sender's port, which differs for each connection. */
  readonly port: number;
  /** Whether the connection has resumed an earlier TLS session. */
  readonly sessionReused: boolean;
}

/** A server on a loopback address that counts its connections. */
export type Listener = Awaited<ReturnType<typeof listen>>;

export interface Receiver extends Listener {
  /** The certificate authority to trust, in PEM format. */
  readonly authority: string;
  readonly requests: readonly ReceivedRequest[];
}

export type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** Starts an HTTPS server that records every request and responds with 200 by default. */
export async function startReceiver(
  options: {
    readonly answer?: Answer;
    readonly certificate?: Certificate;
    readonly host?: string;
    readonly tls?: TlsOptions;
  } = {},
): Promise<Receiver> {
  const authority = await testAuthority();
  const requests: ReceivedRequest[] = [];
  const answer = options.answer ?? ((_request, response) => response.end('ok'));
  const server = createHttpsServer(
    { ...(options.certificate ?? (await authority.issue())), ...options.tls },
    async (request, response) => {
      // Read before the body, because the port is unknown once the client has disconnected.
      const connection = connectionOf(request.socket as TLSSocket);
      const body = await readBody(request);
      if (body === null) return;
      const { method = '', url: path = '' } = request;
      requests.push({ method, path, headers: pairs(request.rawHeaders), body, ...connection });
      answer(request, response, body);
    },
  );
  server.on('tlsClientError', () => undefined);
  return { ...(await listen(server, options.host)), authority: authority.cert, requests };
}

/** Starts a TLS server that calls `onConnection` when the client has sent its first data. */
export async function startTlsListener(onConnection: (socket: TLSSocket) => void): Promise<Receiver> {
  const authority = await testAuthority();
  const server = createTlsServer(await authority.issue(), (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => onConnection(socket));
  });
  server.on('tlsClientError', () => undefined);
  return { ...(await listen(server)), authority: authority.cert, requests: [] };
}

/** Starts a TCP server that calls `onConnection`, if given, for each connection. */
export function startTcpListener(
  options: {
    readonly onConnection?: (socket: Socket) => void;
    readonly host?: string;
    readonly port?: number;
  } = {},
): Promise<Listener> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    // Without reading, the server would not notice that the client has disconnected.
    socket.resume();
    options.onConnection?.(socket);
  });
  return listen(server, options.host, options.port);
}

async function listen(server: Server, host?: string, requestedPort?: number) {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  const port = await listenOn(server, requestedPort, host);
  return {
    port,
    url: `https://127.0.0.1:${port}`,
    /** The number of connections so far, open or not. */
    connections: () => connections,
    /** The number of open connections. */
    open: () => sockets.size,
    /** Resets every connection at the TCP level. */
    reset(): void {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    /** Stops listening, and ends every connection. */
    async stop(): Promise<void> {
      server.close();
      for (const socket of sockets) socket.destroy();
      if (server.listening) await once(server, 'close');
    },
  };
}

function connectionOf(socket: TLSSocket): Pick<ReceivedRequest, 'port' | 'sessionReused'> {
  return { port: socket.remotePort ?? 0, sessionReused: socket.isSessionReused() };
}

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  try {
    return Buffer.concat(await request.toArray());
  } catch {
    return null;
  }
}

function pairs(raw: readonly string[]): readonly (readonly [string, string])[] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
}
