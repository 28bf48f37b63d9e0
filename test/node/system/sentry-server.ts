import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, beforeEach } from 'node:test';
import { createLog } from '#adapters/node/system/log.js';
import {
  type SentryErrorTracker,
  type SentryOptions,
  sentryErrorTracker,
} from '#adapters/node/system/sentry-error-tracker.js';
import { listen } from '../../support/listen.js';

export const key = 'e12d836b15bb49d7bbf99e64295d995b';

export const now = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export const release = 'rollcall@1.2.0';

export interface Posted {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Starts a Sentry server on 127.0.0.1 that records its requests and responds with `answer`. */
export async function startSentry(answer: (response: ServerResponse) => void = accept) {
  const posts: Posted[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    posts.push({ method, url, headers, body: Buffer.concat(await request.toArray()) });
    answer(response);
  });
  server.on('connection', (socket: Socket) => sockets.add(socket.on('close', () => sockets.delete(socket))));
  const port = await listen(server);
  return {
    posts,
    dsn: `http://${key}@127.0.0.1:${port}/42`,
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

export function accept(response: ServerResponse): void {
  response.setHeader('Content-Type', 'application/json').end('{"id":"fc6d8c0c43fc4630ad850ee518f1b9d0"}');
}

/** The parts of an envelope, which has one item. */
export function parseEnvelope(bytes: Buffer) {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  const parts = text.split('\n').map((line): Record<string, unknown> => JSON.parse(line));
  assert.equal(parts.length, 3);
  const [header = {}, item = {}, event = {}] = parts;
  return { header, item, event };
}

/** The event of a post, with its frames. */
export function eventIn(post: Posted | undefined) {
  assert.ok(post !== undefined, 'nothing was posted');
  return parseEnvelope(post.body).event as unknown as {
    readonly level: string;
    readonly exception: {
      readonly values: readonly {
        readonly type: string;
        readonly value: string;
        readonly stacktrace?: { readonly frames: readonly Readonly<Record<string, unknown>>[] };
      }[];
    };
    readonly tags: Readonly<Record<string, string>>;
  };
}

/** The exceptions of a post, without their frames. */
export function exceptionsIn(post: Posted | undefined) {
  return eventIn(post).exception.values.map(({ type, value }) => ({ type, value }));
}

export let sentry: Awaited<ReturnType<typeof startSentry>>;
export let lines: string[] = [];

/** Starts a Sentry server and an empty log for each test of the calling file. */
export function startSentryForEachTest(): void {
  beforeEach(async () => {
    sentry = await startSentry();
    lines = [];
  });
  afterEach(() => sentry.stop());
}

/** Replaces the Sentry server of this test with one that responds with `answer`. */
export async function replaceSentry(answer: (response: ServerResponse) => void): Promise<void> {
  sentry.stop();
  sentry = await startSentry(answer);
}

export function tracker(options: Partial<SentryOptions> = {}): SentryErrorTracker {
  const log = createLog({
    level: 'trace',
    pretty: false,
    destination: { write: (line) => lines.push(line) },
  });
  return sentryErrorTracker({ dsn: sentry.dsn, release, log, ...options });
}

export const context = { severity: 'error', operation: 'exportMeetings', requestId: 'r-1' } as const;

/** The log entries other than the reports. */
export function remarks(): readonly unknown[] {
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ error }) => error === undefined)
    .map(({ time: _time, ...entry }) => entry);
}

export function reportsLost(reason: string) {
  return { level: 40, reason, msg: 'Reports do not reach the error tracker, and are only in this log' };
}

export function neverReached(lost: number) {
  return { level: 40, lost, msg: 'Reports never reached the error tracker' };
}

/** A `fetch` that returns the given responses in order, and then 200. `sent` collects the envelopes. */
export function scripted(...answers: readonly { readonly status: number; readonly retryAfter?: string }[]) {
  const sent: string[] = [];
  const fetch: SentryOptions['fetch'] = async (_url, init) => {
    const { status, retryAfter } = answers[sent.length] ?? { status: 200 };
    sent.push(String(init?.body));
    return new Response(null, {
      status,
      headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
    });
  };
  return { sent, fetch };
}
