import assert from 'node:assert/strict';
import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { writeTranscript } from '../transcript.js';
import { checkAnswer } from './contract.js';
import type { Reply } from './reply.js';

/** The headers and the body of a request. */
export interface Sent {
  readonly headers?: OutgoingHttpHeaders;
  /** Sent as JSON, with its media type. */
  readonly json?: unknown;
  /** Sent unchanged, with its length. `headers` must name its media type. */
  readonly body?: string | Buffer;
  /** Whether to send the body chunked, without a length. */
  readonly chunked?: boolean;
}

/** A request that the client has sent. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly sent: Sent;
}

export interface HttpClient {
  readonly port: number;
  /** Every request of `send`, in order. */
  readonly requests: readonly SentRequest[];
  /** Sends a request. Fails if the document of the API does not list the response. */
  send(method: string, path: string, sent?: Sent): Promise<Reply>;
  /** Writes bytes to a new connection, and reads until the server closes it. */
  raw(...parts: readonly (string | Buffer)[]): Promise<string>;
  close(): void;
}

export function httpClient(port: number, check = checkAnswer): HttpClient {
  // Shorter than the server's 5 s, so that no request is sent on a connection that the server is closing.
  const agent = new Agent({ keepAlive: true, timeout: 2_500 });
  const requests: SentRequest[] = [];
  return {
    port,
    requests,
    async send(method, path, sent = {}) {
      requests.push({ method, path, sent });
      const reply = await exchange({ port, agent, method, path, sent });
      check({ method, path, reply });
      return reply;
    },
    raw: (...parts) => exchangeRaw(port, parts),
    close: () => agent.destroy(),
  };
}

function exchange(options: {
  readonly port: number;
  readonly agent: Agent;
  readonly method: string;
  readonly path: string;
  readonly sent: Sent;
}): Promise<Reply> {
  const { port, agent, method, path, sent } = options;
  const body = sent.json === undefined ? sent.body : JSON.stringify(sent.json);
  const headers: OutgoingHttpHeaders = { ...sent.headers };
  if (sent.json !== undefined) headers['Content-Type'] ??= 'application/json';
  if (body !== undefined && sent.chunked !== true) headers['Content-Length'] = Buffer.byteLength(body);
  if (sent.chunked === true) headers['Transfer-Encoding'] = 'chunked';

  return new Promise((resolve, reject) => {
    for (const name in headers) if (headers[name] === undefined) delete headers[name];
    const outgoing = request({ port, host: '127.0.0.1', agent, method, path, headers });
    outgoing.on('error', reject).on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', reject)
        .on('end', () => {
          const text = Buffer.concat(chunks).toString();
          writeTranscript(() => ({
            request: `${method} ${path} ${JSON.stringify(sent)}`,
            status: incoming.statusCode ?? 0,
            headers: incoming.rawHeaders,
            text,
          }));
          const isJson = /^application\/json\b/.test(incoming.headers['content-type'] ?? '');
          const json = text === '' || !isJson ? null : JSON.parse(text);
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json });
        });
    });
    outgoing.end(body);
  });
}

function exchangeRaw(port: number, parts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', async () => {
      for (const part of parts) {
        socket.write(part);
        await new Promise((next) => setTimeout(next, 5));
      }
    });
    socket
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('error', (error: NodeJS.ErrnoException) =>
        error.code === 'ECONNRESET' ? undefined : reject(error),
      )
      .on('close', () => {
        const text = Buffer.concat(chunks).toString();
        const request = `raw ${parts.join('').slice(0, 2000)}`;
        writeTranscript(() => ({ request, status: 0, headers: [], text }));
        resolve(text);
      });
  });
}

/** Parses the responses in the text of a raw connection. */
export function parseReplies(text: string): readonly Reply[] {
  const replies: Reply[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    assert.ok(end > 0, `no head in ${JSON.stringify(rest)}`);
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    const length = Number(headers['content-length'] ?? 0);
    const body = Buffer.from(rest.slice(end + 4))
      .subarray(0, length)
      .toString();
    replies.push({
      status: Number(first.split(' ')[1]),
      headers,
      text: body,
      json: body === '' ? null : JSON.parse(body),
    });
    rest = rest.slice(end + 4 + body.length);
  }
  return replies;
}
