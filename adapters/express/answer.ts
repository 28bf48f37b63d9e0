import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';
import { errorAnswer } from './errors.js';
import { localsOf } from './locals.js';

/**
 * What every answer to a program carries, as names and values in turn: it is JSON, and may be neither stored
 * nor run, framed or guessed at. helmet is asked once, when the program starts: run for every request it would
 * cost more than the answer.
 */
export const standingHeaders: readonly string[] = [
  'Content-Type',
  'application/json; charset=utf-8',
  'Cache-Control',
  'no-store',
  ...helmetHeaders(),
];

function helmetHeaders(): readonly string[] {
  const headers: string[] = [];
  const setHeader = (name: string, value: string): number => headers.push(name, value);
  const response = { setHeader, removeHeader() {} } as unknown as ServerResponse;
  const protect = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    frameguard: { action: 'deny' },
    // Only where the request came by HTTPS; see `writeHead`.
    strictTransportSecurity: false,
  });
  protect({} as IncomingMessage, response, () => undefined);
  return headers;
}

/** Writes the head of an answer; `more` are names and values in turn. */
export function writeHead(response: ServerResponse, status: number, more: readonly string[]): void {
  const { requestId = '', isHttps = false } = localsOf(response);
  const head = [...standingHeaders, 'X-Request-Id', requestId, ...more];
  if (isHttps) head.push('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
  response.writeHead(status, head);
}

/** Sends a value as JSON, whole, with its length. */
export function writeJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  more: readonly string[] = [],
): void {
  writeJsonText(response, status, JSON.stringify(value), more);
}

/** Sends JSON that is written already. */
export function writeJsonText(
  response: ServerResponse,
  status: number,
  json: string | Uint8Array,
  more: readonly string[] = [],
): void {
  writeHead(response, status, ['Content-Length', String(Buffer.byteLength(json)), ...more]);
  response.end(json);
}

/** Sends the answer to whatever was thrown. */
export function writeError(response: ServerResponse, error: unknown): void {
  const { status, headers, body } = errorAnswer(error);
  writeJson(response, status, body, Object.entries(headers).flat());
}
