import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { type Certificate, testAuthority } from './certificates.js';

/** A request as it came over the wire. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  /** Names and values as they were written, in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** The sender's port: another one for another connection. */
  readonly port: number;
  /** Whether the connection went on with an earlier TLS session. */
  readonly sessionReused: boolean;
}

/** Somebody who listens on a loopback address and counts who comes. */
export interface Listener {
  readonly port: number;
  /** `https://127.0.0.1:port`. */
  readonly url: string;
  /** How many connections have come, whatever became of them. */
  connections(): number;
  /** How many of them are still there. */
  open(): number;
  /** Resets every connection, underneath TLS. */
  reset(): void;
  /** Ends every connection. */
  stop(): Promise<void>;
}

export interface Receiver extends Listener {
  /** PEM of the authority to trust. */
  readonly authority: string;
  readonly requests: readonly ReceivedRequest[];
}

export type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** An HTTPS server that keeps every request whole, and answers 200 if not told otherwise. */
export async function startReceiver(
  options: { readonly answer?: Answer; readonly certificate?: Certificate; readonly host?: string } = {},
): Promise<Receiver> {
  const authority = await testAuthority();
  const requests: ReceivedRequest[] = [];
  const answer = options.answer ?? ((_request, response) => response.end('ok'));
  const server = createHttpsServer(
    options.certificate ?? (await authority.issue()),
    async (request, response) => {
      // Asked before the body: a client that goes away takes its port with it.
      const connection = connectionOf(request.socket as TLSSocket);
      const body = await wholeBody(request);
      if (body === null) return;
      const { method = '', url: path = '' } = request;
      requests.push({ method, path, headers: pairs(request.rawHeaders), body, ...connection });
      answer(request, response, body);
    },
  );
  server.on('tlsClientError', () => undefined);
  return { ...(await listen(server, options.host)), authority: authority.cert, requests };
}

/** A TLS server that speaks whatever `onConnection` says, once the client has sent something. */
export async function startTlsListener(onConnection: (socket: TLSSocket) => void): Promise<Receiver> {
  const authority = await testAuthority();
  const server = createTlsServer(await authority.issue(), (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => onConnection(socket));
  });
  server.on('tlsClientError', () => undefined);
  return { ...(await listen(server)), authority: authority.cert, requests: [] };
}

/** A bare TCP server that does with a connection whatever `onConnection` says; nothing, if it says nothing. */
export function startTcpListener(
  options: {
    readonly onConnection?: (socket: Socket) => void;
    readonly host?: string;
    readonly port?: number;
  } = {},
): Promise<Listener> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    // Who reads nothing does not learn that the other side has gone.
    socket.resume();
    options.onConnection?.(socket);
  });
  return listen(server, options.host, options.port);
}

async function listen(server: Server, host = '127.0.0.1', wanted = 0): Promise<Listener> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(wanted, host);
  await once(server, 'listening');

  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const stop = async (): Promise<void> => {
    server.close();
    for (const socket of sockets) socket.destroy();
    if (server.listening) await once(server, 'close');
  };
  return {
    port,
    url: `https://127.0.0.1:${port}`,
    connections: () => connections,
    open: () => sockets.size,
    reset: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    stop,
  };
}

function connectionOf(socket: TLSSocket): Pick<ReceivedRequest, 'port' | 'sessionReused'> {
  return { port: socket.remotePort ?? 0, sessionReused: socket.isSessionReused() };
}

async function wholeBody(request: IncomingMessage): Promise<Buffer | null> {
  try {
    return Buffer.concat(await request.toArray());
  } catch {
    return null;
  }
}

function pairs(raw: readonly string[]): readonly (readonly [string, string])[] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
}
