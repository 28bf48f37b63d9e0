import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Core } from '@rollcall/core';
import { fieldsOf, type Input, readBody } from './body.js';
import { errorAnswer, exportFailed, HttpError, isBug } from './errors.js';
import { type Route, routes, type Streamed } from './routes.js';

export interface ServerOptions {
  readonly core: Core;
  /** Told of what nobody expected. */
  readonly onBug: (error: unknown) => void;
}

const standing = {
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
  const there = routes.filter((route) => route.path.test(path));
  const route = there.find((candidate) => candidate.method === method);
  if (route !== undefined) return route;
  if (there.length === 0) throw new HttpError(404, 'unknown-path', 'Not Found');
  const headers = { Allow: there.map((candidate) => candidate.method).join(', ') };
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
  response.writeHead(status, { ...standing, 'Content-Length': Buffer.byteLength(json), ...headers });
  response.end(json);
}

function sendError(response: ServerResponse, error: unknown, { onBug }: ServerOptions): void {
  if (isBug(error) && !hasLeft(error)) onBug(error);
  const { status, headers, body } = errorAnswer(error);
  if (response.headersSent) response.destroy();
  else send(response, status, body, headers);
}

/** Whether it is about a client who left before the end, which is nobody's mistake. */
function hasLeft(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/**
 * Sends at the reader's pace. The head waits for the first chunk, so that what fails until then is still
 * answered; what fails later cuts the answer off. Whatever happens, the chunks are given up in the end.
 */
async function sendStreamed(response: ServerResponse, streamed: Streamed): Promise<void> {
  const chunks = streamed.chunks[Symbol.asyncIterator]();
  try {
    const first = await chunks.next();
    response.writeHead(200, standing);
    await pipeline(joined(streamed, first, chunks), response);
  } catch (error) {
    throw response.headersSent ? error : exportFailed(error);
  } finally {
    await chunks.return?.();
  }
}

async function* joined(
  { before, after }: Streamed,
  first: IteratorResult<Uint8Array>,
  chunks: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array | string> {
  yield before;
  for (let chunk = first; chunk.done !== true; chunk = await chunks.next()) yield chunk.value;
  yield after;
}
