import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';
import { bearerChallenge } from './bearer.js';
import { errorAnswer, type OtherAnswers, textsOf } from './errors.js';
import { localsOf } from './locals.js';

/**
 * The headers of every API answer, as alternating names and values: the answer is JSON and must not be stored,
 * executed, framed or sniffed. helmet runs once at startup, because a call for each request would take longer than the
 * answer.
 */
export const commonHeaders: readonly string[] = [
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
      directives: { defaultSrc: ["'none'"], baseUri: ["'none'"], frameAncestors: ["'none'"] },
    },
    frameguard: { action: 'deny' },
    // Only if clients use HTTPS; see `writeHead`.
    strictTransportSecurity: false,
  });
  protect({} as IncomingMessage, response, () => undefined);
  return headers;
}

/**
 * Writes the head of an answer; `more` are alternating names and values of headers. `contentType` is given for an answer
 * that is not JSON.
 */
export function writeHead(
  response: ServerResponse,
  status: number,
  more: readonly string[],
  contentType?: string,
): void {
  const { requestId = '', isHttps = false } = localsOf(response);
  const head = [...commonHeaders, 'X-Request-Id', requestId, ...more];
  if (contentType !== undefined) head[1] = contentType;
  if (isHttps) head.push('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
  response.writeHead(status, head);
}

/** Sends a value as JSON, with its length. */
export function writeJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  more: readonly string[] = [],
): void {
  writeEncoded(response, status, JSON.stringify(value), more);
}

/** The size of the parts in which a long answer is encoded. */
const PART_CHARACTERS = 65_536;

/** As `writeJson`, for an object with long lists: `beforePart` is awaited before each part is encoded, and sent. */
export async function writeLongJson(
  response: ServerResponse,
  {
    status,
    value,
    more = [],
  }: { readonly status: number; readonly value: object; readonly more?: readonly string[] },
  beforePart: () => Promise<void> | null,
): Promise<void> {
  const parts: Buffer[] = [];
  let text = '';
  for (const piece of jsonPieces(value)) {
    text += piece;
    if (text.length < PART_CHARACTERS) continue;
    parts.push(Buffer.from(text));
    text = '';
    await beforePart();
    if (response.destroyed) return;
  }
  parts.push(Buffer.from(text));
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  writeHead(response, status, ['Content-Length', String(length), ...more]);
  // The kernel may take megabytes at once, and copies them meanwhile.
  for (const part of parts) {
    response.write(part);
    await beforePart();
    if (response.destroyed) return;
  }
  response.end();
}

/** The same text as `JSON.stringify`, with each item of a list as a piece of its own. */
function* jsonPieces(value: object): Generator<string> {
  let before = '{';
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    before = ',';
    if (!Array.isArray(member)) yield JSON.stringify(member);
    else {
      for (const [index, item] of member.entries()) yield `${index === 0 ? '[' : ','}${JSON.stringify(item)}`;
      yield member.length === 0 ? '[]' : ']';
    }
  }
  yield before === '{' ? '{}' : '}';
}

/** Sends an encoded answer, with its length: JSON, unless `contentType` is given. */
export function writeEncoded(
  response: ServerResponse,
  status: number,
  encoded: string | Uint8Array,
  more: readonly string[] = [],
  contentType?: string,
): void {
  writeHead(response, status, ['Content-Length', String(Buffer.byteLength(encoded)), ...more], contentType);
  response.end(encoded);
}

/** Sends the answer to a thrown error. */
export function writeError(response: ServerResponse, error: unknown, others?: OtherAnswers): void {
  const { status, headers, body } = errorAnswer(error, others);
  const { 'X-Error-Code': errorCode } = headers;
  const locals = localsOf(response);
  if (errorCode !== undefined) locals.errorCode = errorCode;
  locals.errorTexts = textsOf(error, body);
  const challenge = status === 401 && { 'WWW-Authenticate': bearerChallenge('api', response.req) };
  writeJson(response, status, body, Object.entries({ ...challenge, ...headers }).flat());
}
