import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { checkAnswer } from './contract.js';
import type { Reply } from './reply.js';

/**
 * With `TRANSCRIPT=<file>`, every request of the HTTP suites and its response is written to the file, one per line.
 * Values that differ between two runs are replaced. To check that nothing has changed on the wire, run
 * `TRANSCRIPT=before.txt node test/dist/run.js http/` before and after the change, and compare the files with `sort`
 * and `diff`.
 */
interface Exchanged {
  readonly request: string;
  readonly status: number;
  /** Names and values alternate, in the order of the response. */
  readonly headers: readonly string[];
  readonly text: string;
}

const file = process.env.TRANSCRIPT ?? '';

function writeTranscript(exchanged: () => Exchanged): void {
  if (file === '') return;
  const { request, status, headers, text } = exchanged();
  const line = `${request} => ${status} ${JSON.stringify(headers)} ${text}`;
  appendFileSync(file, `${normalized(line).replaceAll('\n', '\\n')}\n`);
}

const replaced: readonly (readonly [RegExp, string])[] = [
  [/"secret\\?":\\?"[^"\\]*/g, '"secret":"<secret>'],
  [/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi, '<uuid>'],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT/g, '<date>'],
  [/\d{4}-\d\d-\d\dT[\d:]{8}(\.\d+)?Z/g, '<time>'],
  [/[\w-]{20,}/g, '<secret>'],
  [/127\.0\.0\.1:\d+/g, '<address>'],
  [/organizations\/\d+/g, 'organizations/<id>'],
  [/"id":\d+/g, '"id":<id>'],
];

function normalized(line: string): string {
  return replaced.reduce((text, [pattern, name]) => text.replace(pattern, name), line);
}

/** The headers and the body of a request. */
export interface Sent {
  readonly headers?: OutgoingHttpHeaders;
  /** Sent as JSON, with its media type. */
  readonly json?: unknown;
  /** Sent unchanged, with its length. `headers` must name its media type. */
  readonly body?: string | Buffer | undefined;
  /** Whether to send the body chunked, without a length. */
  readonly chunked?: boolean;
}

/** A response with its headers as they were sent. */
export interface Bytes extends Reply {
  /** Names and values in the order and spelling of the response. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** A request that the client has sent. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly sent: Sent;
}

export type HttpClient = ReturnType<typeof httpClient>;

export function httpClient(port: number, check = checkAnswer) {
  // Shorter than the server's 5 s, so that no request is sent on a connection that the server is closing.
  const agent = new Agent({ keepAlive: true, timeout: 2_500 });
  const requests: SentRequest[] = [];
  return {
    port,
    /** Every request of `send`, in order. */
    requests: requests as readonly SentRequest[],
    /** Sends a request. Fails if the document of the API does not list the response. */
    async send(method: string, path: string, sent: Sent = {}): Promise<Reply> {
      requests.push({ method, path, sent });
      const reply = await exchange({ port, agent, method, path, sent });
      writeTranscript(() => ({
        request: `${method} ${path} ${JSON.stringify(sent)}`,
        ...{ status: reply.status, headers: reply.rawHeaders, text: reply.text },
      }));
      check({ method, path, reply });
      return reply;
    },
    /** Writes bytes to a new connection, and reads until the server closes it. */
    raw: (...parts: readonly (string | Buffer)[]) => exchangeRaw(port, parts),
    close: () => agent.destroy(),
  };
}

/** Sends one request, and returns the response. */
export function exchange({
  port,
  agent,
  method,
  path,
  sent = {},
  timeoutMs = 60_000,
}: {
  readonly port: number;
  readonly agent?: Agent;
  readonly method: string;
  readonly path: string;
  readonly sent?: Sent | undefined;
  readonly timeoutMs?: number;
}): Promise<Bytes> {
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
          const { statusCode: status = 0, headers, rawHeaders } = incoming;
          const body = Buffer.concat(chunks);
          const text = body.toString();
          const isJson = /^application\/json\b/.test(headers['content-type'] ?? '');
          resolve({
            ...{ status, headers, rawHeaders, body, text },
            get json() {
              return text === '' || !isJson ? null : JSON.parse(text);
            },
          });
        });
    });
    outgoing.setTimeout(timeoutMs, () => outgoing.destroy(new Error(`${method} ${path}: no response`)));
    outgoing.end(body);
  });
}

/** Writes bytes to a new connection, and reads until the server closes it. */
export function exchangeRaw(port: number, parts: readonly (string | Buffer)[]): Promise<string> {
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
