import type { Clock } from '../ports.js';
import { type SuiteCertificate, suiteCertificates } from './certificates.js';

/** The part of a socket of `node:net` or `node:tls` that a receiver uses. */
export interface ReceiverSocket {
  /** True once the connection is closed; `write` then sends nothing. */
  readonly destroyed: boolean;
  /** Sends text as UTF-8. False: the buffer is full, and `drain` follows when it is empty. */
  write(data: string | Uint8Array): boolean;
  /** Stops reading, so that the other side cannot go on sending once the buffers are full. */
  pause(): unknown;
  /** Sends what has been written, then closes this direction of the connection. */
  end(): unknown;
  /** Closes the connection at once, without sending what is still in the buffer. */
  destroy(): unknown;
  /** Only listeners to `data` get bytes; the others ignore their argument. */
  on(event: 'data' | 'drain' | 'close' | 'error', listener: (data: Uint8Array) => void): unknown;
}

/** The part of a server of `node:net` or `node:tls` that a receiver uses. */
export interface ReceiverServer {
  /** `connection` comes with each TCP connection, before TLS; `tlsClientError` with each failed handshake. */
  on(event: 'connection' | 'tlsClientError', listener: (socket: ReceiverSocket) => void): unknown;
  /** Port 0 stands for any free port. `listening` is called when the server accepts connections. */
  listen(port: number, host: string, listening: () => void): unknown;
  /** While the server listens, an object with its `port`. */
  address(): unknown;
  /** Accepts no more connections. `closed` is called when all open ones have ended. */
  close(closed: () => void): unknown;
}

/** Node's modules `net` and `tls`. They are passed in, because the core imports nothing of Node. */
export interface NodeServers {
  /** `node:net`, for receivers without TLS. */
  readonly net: { createServer(onConnection: (socket: ReceiverSocket) => void): ReceiverServer };
  /** `node:tls`. The key and the certificate are PEM texts, and `onConnection` is called after each handshake. */
  readonly tls: {
    createServer(
      certificate: { readonly key: string; readonly cert: string },
      onConnection: (socket: ReceiverSocket) => void,
    ): ReceiverServer;
  };
}

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  /** By name in lower case; the values of a repeated name, separated by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A server on 127.0.0.1. */
export interface Receiver {
  readonly port: number;
  /** `https://127.0.0.1:port`. */
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** The number of connections so far. */
  connections(): number;
  /** The number of connections that are still open. */
  open(): number;
  stop(): Promise<void>;
}

export interface ReceiverOptions {
  readonly certificate?: SuiteCertificate;
  /** Called with each request; the default answers 200. */
  readonly answer?: (socket: ReceiverSocket, request: ReceivedRequest) => void;
  /** Called with each connection after TLS; the default reads requests. */
  readonly onConnection?: (socket: ReceiverSocket) => void;
}

/** Starts an HTTPS server. */
export async function startReceiver(
  { tls }: Pick<NodeServers, 'tls'>,
  { certificate = suiteCertificates.trusted, answer = answerWith(200), onConnection }: ReceiverOptions = {},
): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const server = tls.createServer(certificate, (socket) => {
    socket.on('error', () => {});
    if (onConnection !== undefined) return onConnection(socket);
    readRequests(socket, (request) => {
      requests.push(request);
      answer(socket, request);
    });
  });
  server.on('tlsClientError', () => {});
  return listen(server, requests);
}

/** Starts a server without TLS. */
export async function startPlainReceiver(
  { net }: Pick<NodeServers, 'net'>,
  onConnection: (socket: ReceiverSocket) => void,
): Promise<Receiver> {
  return listen(net.createServer(onConnection), []);
}

/** Answers each request with this status and an empty body. */
export function answerWith(
  status: number,
  headers: Readonly<Record<string, string>> = {},
): (socket: ReceiverSocket) => void {
  const lines = Object.entries({ ...headers, 'Content-Length': '0' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const hasBody = status !== 204 && status !== 304;
  return (socket) => socket.write(`HTTP/1.1 ${status} Text\r\n${hasBody ? lines.join('') : ''}\r\n`);
}

/** Sends the text again and again, as fast as the other side reads. */
export function flood(socket: ReceiverSocket, text: string): void {
  const chunk = text.repeat(Math.ceil(16_000 / text.length));
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

/** Sends the text every 50 ms until the connection ends. */
export async function drip(socket: ReceiverSocket, text: string, clock: Pick<Clock, 'pause'>): Promise<void> {
  while (!socket.destroyed) {
    socket.write(text);
    await clock.pause(50);
  }
}

async function listen(server: ReceiverServer, requests: readonly ReceivedRequest[]): Promise<Receiver> {
  const sockets = new Set<ReceiverSocket>();
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server.address());
  return {
    port,
    url: `https://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    open: () => sockets.size,
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function portOf(address: unknown): number {
  const port = typeof address === 'object' && address !== null && Reflect.get(address, 'port');
  if (typeof port !== 'number') throw new Error('The server has no port');
  return port;
}

function readRequests(socket: ReceiverSocket, onRequest: (request: ReceivedRequest) => void): void {
  let unread = '';
  socket.on('data', (bytes) => {
    unread += latin1(bytes);
    const read = readRequest(unread);
    if (read === null) return;
    unread = unread.slice(read.length);
    onRequest(read.request);
  });
}

/** The first request in the text, which has one character for each byte; null if it is not complete. */
function readRequest(text: string): { readonly request: ReceivedRequest; readonly length: number } | null {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const [method = '', path = ''] = first.split(' ');
  const headers = readHeaders(lines);
  const body =
    headers['transfer-encoding'] === 'chunked'
      ? readChunks(text, end + 4)
      : readLength(text, end + 4, headers);
  if (body === null) return null;
  return { request: { method, path, headers, body: decodeUtf8(body.text) }, length: body.end };
}

function readHeaders(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]*):\s*(.*?)\s*$/.exec(line) ?? [];
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`;
  }
  return headers;
}

interface ReadBody {
  readonly text: string;
  readonly end: number;
}

function readLength(text: string, from: number, headers: ReceivedRequest['headers']): ReadBody | null {
  const end = from + Number(headers['content-length'] ?? 0);
  return text.length < end ? null : { text: text.slice(from, end), end };
}

function readChunks(text: string, from: number): ReadBody | null {
  let body = '';
  for (let at = from; ; ) {
    const line = text.indexOf('\r\n', at);
    const size = Number.parseInt(text.slice(at, line), 16);
    const end = line + 2 + size + 2;
    if (line === -1 || Number.isNaN(size) || text.length < end) return null;
    if (size === 0) return { text: body, end };
    body += text.slice(line + 2, end - 2);
    at = end;
  }
}

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return text;
}

function decodeUtf8(latin1Text: string): string {
  return new TextDecoder().decode(Uint8Array.from(latin1Text, (character) => character.charCodeAt(0)));
}
