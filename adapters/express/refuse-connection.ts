import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { commonHeaders } from './answer.js';
import { errorAnswer, HttpError, type HttpErrorCode } from './errors.js';
import type { Logger } from './logger.js';

/** How long a client can read the refusal before the connection is closed. */
const LINGER_MS = 1000;

interface ConnectionRefusal {
  /** Null: the connection is closed without an answer. */
  readonly code: HttpErrorCode | null;
  /** The error message; by default, the usual text of the code. */
  readonly text?: string;
  readonly log: Logger;
}

/** Answers data that is not a valid request, and closes the connection. */
export function refuseConnection(socket: Duplex, { code, text, log }: ConnectionRefusal): void {
  if (code === null || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const { status, headers, body } = errorAnswer(new HttpError(code, text === undefined ? {} : { text }));
  log.info({ requestId, status, method: null, route: null }, 'request');
  const json = JSON.stringify(body);
  const head = [
    ...commonHeaders,
    ...Object.entries(headers).flat(),
    ...['X-Request-Id', requestId, 'Content-Length', String(Buffer.byteLength(json)), 'Connection', 'close'],
  ];
  const lines = head.map((part, index) => (index % 2 === 0 ? `${part}: ` : `${part}\r\n`)).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${json}`);
  // Closing at once, while the client still sends, would reset the connection and lose the answer.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** The refusal for an error of Node's server; null: the client has left. */
export function refusalCodeOf({ code }: NodeJS.ErrnoException): HttpErrorCode | null {
  if (code === 'ECONNRESET' || code === 'EPIPE') return null;
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers-too-large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request-timeout';
  return 'invalid-request';
}
