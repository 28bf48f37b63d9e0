import type { Response } from 'express';
import { errorAnswer } from './errors.js';
import { localsOf } from './locals.js';

/**
 * What every answer to a program carries, as names and values in turn: it is JSON, and may be neither stored
 * nor run, framed or guessed at. These are the headers that helmet would set and that mean something for JSON,
 * written all at once: set one by one they cost more than the answer.
 */
export const standingHeaders: readonly string[] = [
  'Content-Type',
  'application/json; charset=utf-8',
  'Cache-Control',
  'no-store',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy',
  'no-referrer',
  'X-Content-Type-Options',
  'nosniff',
  'X-Frame-Options',
  'DENY',
];

/** Writes the head of an answer; `more` are names and values in turn. */
export function writeHead(response: Response, status: number, more: readonly string[]): void {
  const { requestId = '', isHttps = false } = localsOf(response);
  const head = [...standingHeaders, 'X-Request-Id', requestId, ...more];
  if (isHttps) head.push('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
  response.writeHead(status, head);
}

/** Sends a value as JSON, whole, with its length. */
export function writeJson(
  response: Response,
  status: number,
  value: unknown,
  more: readonly string[] = [],
): void {
  writeJsonText(response, status, JSON.stringify(value), more);
}

/** Sends JSON that is written already. */
export function writeJsonText(
  response: Response,
  status: number,
  json: string | Uint8Array,
  more: readonly string[] = [],
): void {
  writeHead(response, status, ['Content-Length', String(Buffer.byteLength(json)), ...more]);
  response.end(json);
}

/** Sends the answer to whatever was thrown. */
export function writeError(response: Response, error: unknown): void {
  const { status, headers, body } = errorAnswer(error);
  writeJson(response, status, body, Object.entries(headers).flat());
}
