import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Core } from '@rollcall/core';
import { fieldsOf, type Input, readBody } from './body.js';
import { errorAnswer, exportFailed, HttpError, isBug } from './errors.js';
import { type Route, routes, type Streamed } from './routes.js';

export interface ServerOptions {
  readonly core: Core;
  /** Called with each unexpected error. */
  readonly onBug: (error: unknown) => void;
}

const commonHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
};

export function createHttpServer(options: ServerOptions): Server {
  return createServer(async (request, response) => {
    response.setHeader('X-Request-Id', randomUUID());
    try {
      const answer = await answerTo(request, options);
      if ('chunks' in answer) await sendStreamed(response, answer);
      else send(response, 200, answer);
    } catch (error) {
      sendError(response, error, options);
    }
  });
}

const ORGANIZATION = /^\/api\/v2\/organizations\/([^/]+)(\/.+)$/;

async function answerTo(request: IncomingMessage, options: ServerOptions): Promise<object | Streamed> {
  const { method = '', url = '' } = request;
  const [pathname = '', ...query] = url.split('?');
  if (pathname === '/healthz' && method === 'GET') return { status: 'ok' };
  if (pathname === '/api/v2/authenticate' && method === 'POST') return authenticate(request, options);

  const [, id = '', rest = ''] = ORGANIZATION.exec(pathname) ?? [];
  const route = find(method, rest);
  const { core } = options;
  const organization = await core.authorize({ token: bearer(request), organizationId: decode(id) });
  const input: Input =
    method === 'GET' ? fieldsOf(new URLSearchParams(query.join('?'))) : await readBody(request);
  const key = decode(route.path.exec(rest)?.[1] ?? '');
  return route.answer({ core, organization, key, input });
}

async function authenticate(request: IncomingMessage, { core }: ServerOptions): Promise<object> {
  const { access_key: accessKey } = await readBody(request);
  const { token } = await core.authenticate({ accessKey, address: request.socket.remoteAddress ?? '' });
  return { token: token.reveal() };
}

function find(method: string, path: string): Route {
  const matching = routes.filter((route) => route.path.test(path));
  const route = matching.find((candidate) => candidate.method === method);
  if (route !== undefined) return route;
  if (matching.length === 0) throw new HttpError(404, 'unknown-path', 'Not Found');
  const headers = { Allow: matching.map((candidate) => candidate.method).join(', ') };
  throw new HttpError(405, 'method-not-allowed', 'Method Not Allowed', headers);
}

function bearer({ headers }: IncomingMessage): string | null {
  return /^bearer +([\w.~+/-]+=*)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new HttpError(400, 'invalid-request', 'The path is not percent-encoded UTF-8');
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const json = JSON.stringify(body);
  response.writeHead(status, { ...commonHeaders, 'Content-Length': Buffer.byteLength(json), ...headers });
  response.end(json);
}

function sendError(response: ServerResponse, error: unknown, { onBug }: ServerOptions): void {
  if (isBug(error) && !isDisconnect(error)) onBug(error);
  const { status, headers, body } = errorAnswer(error);
  if (response.headersSent) response.destroy();
  else send(response, status, body, headers);
}

/** Whether a client has disconnected before the end, which is not a bug. */
function isDisconnect(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/**
 * Sends at the pace of the client. The headers wait for the first chunk, so that an earlier failure still gets an error
 * response. A later one cuts the response off. In any case the chunks are released in the end.
 */
async function sendStreamed(response: ServerResponse, streamed: Streamed): Promise<void> {
  const chunks = streamed.chunks[Symbol.asyncIterator]();
  try {
    const first = await chunks.next();
    response.writeHead(200, commonHeaders);
    await pipeline(concatenate(streamed, first, chunks), response);
  } catch (error) {
    throw response.headersSent ? error : exportFailed(error);
  } finally {
    await chunks.return?.();
  }
}

async function* concatenate(
  { before, after }: Streamed,
  first: IteratorResult<Uint8Array>,
  chunks: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array | string> {
  yield before;
  for (let chunk = first; chunk.done !== true; chunk = await chunks.next()) yield chunk.value;
  yield after;
}
