import { randomUUID } from 'node:crypto';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { fileURLToPath } from 'node:url';
import type { ErrorTracker } from '@rollcall/core';
import { logErrorTracker } from './error-tracker.js';
import { type Log, withoutSecretShapes } from './log.js';

export interface SentryOptions {
  /** `https://<key>@<host>[:port][/path]/<project>`. */
  readonly dsn: string;
  /** What runs, such as `rollcall@1.2.0`. */
  readonly release: string;
  readonly environment?: string;
  readonly log: Log;
  /** How envelopes travel, if not over HTTP from here: `fetch` would do. */
  readonly send?: SendEnvelope;
}

export interface SentryErrorTracker extends ErrorTracker {
  /** Ends when everything is sent, or after so many milliseconds; what still waits then is given up. */
  flush(timeoutMs: number): Promise<void>;
}

/** The part of `fetch` that posting an envelope needs. */
export type SendEnvelope = (url: string, post: EnvelopePost) => Promise<EnvelopeAnswer>;

export interface EnvelopePost {
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

export interface EnvelopeAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}

/** Milliseconds for one post, from the name's look-up to the answer's head. */
const TIME_LIMIT = 5000;
/** Reports that wait to be sent. */
const LONGEST_QUEUE = 100;
/** Milliseconds without sending where Sentry says 429 and not for how long, and the longest that it is heard. */
const WAIT = 60_000;
const LONGEST_WAIT = 24 * 60 * 60 * 1000;

const CLIENT = 'rollcall/1.0';

/**
 * Each report is a line of the log and an event for Sentry, which is sent after `report` has returned, one at a
 * time and once. What can't be sent is counted: the log has a line when that begins and one when it ends.
 * `report` never throws. Throws at once when the DSN is none.
 */
export function sentryErrorTracker({
  dsn,
  release,
  environment = 'production',
  log,
  send = postEnvelope,
}: SentryOptions): SentryErrorTracker {
  const project = readSentryDsn(dsn);
  const logged = logErrorTracker(log);
  const line = waitingLine({ log, send: (event, signal) => send(project.url, post(project, event, signal)) });
  return {
    report(error, context) {
      try {
        logged.report(error, context);
        line.add(eventOf(error, { ...context, release, environment }));
      } catch {
        // A message or a cause may be a getter that throws.
        const { operation, requestId } = context;
        log.error({ operation, requestId }, 'An error can not be described');
      }
    },
    flush: line.flush,
  };
}

// ── Where events go ────────────────────────────────────────────────────────────────────────────────────────

export interface SentryProject {
  /** Where envelopes are posted. */
  readonly url: string;
  readonly publicKey: string;
  /** Without the secret that old ones hold. */
  readonly dsn: string;
}

/** Takes a DSN apart. The error that it throws for a bad one does not repeat it. */
export function readSentryDsn(dsn: string): SentryProject {
  const url = URL.canParse(dsn) ? new URL(dsn) : null;
  if (url === null || !['https:', 'http:'].includes(url.protocol)) throw badDsn('it is no http(s) URL');
  const [, path = '', projectId] = /^((?:\/[^/]+)*)\/([\w-]+)$/.exec(url.pathname) ?? [];
  if (!/^[\w-]+$/.test(url.username))
    throw badDsn('the key before the @ is missing or has strange characters');
  if (projectId === undefined) throw badDsn('the project at its end is missing');
  if (url.search !== '' || url.hash !== '') throw badDsn('it must end after the project');
  return {
    url: `${url.protocol}//${url.host}${path}/api/${projectId}/envelope/`,
    publicKey: url.username,
    dsn: `${url.protocol}//${url.username}@${url.host}${path}/${projectId}`,
  };
}

function badDsn(reason: string): Error {
  return new Error(
    `A Sentry DSN has the form https://<key>@<host>[:port][/path]/<project>, but of this one ${reason}.`,
  );
}

function post({ publicKey, dsn }: SentryProject, { id, json }: Event, signal: AbortSignal): EnvelopePost {
  const header = JSON.stringify({ event_id: id, sent_at: new Date().toISOString(), dsn });
  const item = JSON.stringify({ type: 'event', length: Buffer.byteLength(json) });
  const body = Buffer.from(`${header}\n${item}\n${json}\n`);
  return {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-sentry-envelope',
      'Content-Length': String(body.length),
      'User-Agent': CLIENT,
      'X-Sentry-Auth': `Sentry sentry_version=7, sentry_client=${CLIENT}, sentry_key=${publicKey}`,
    },
    body,
    redirect: 'manual',
    signal,
  };
}

/** On a connection of its own: one that was kept could be gone, and nothing is sent twice. */
const postEnvelope: SendEnvelope = (url, { method, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? requestHttps : requestHttp;
    request(url, { method, headers, signal, agent: false })
      .on('error', reject)
      .on('response', (response) => {
        response.on('error', () => undefined).resume();
        const get = (name: string): string | null => response.headers[name.toLowerCase()]?.toString() ?? null;
        resolve({ status: response.statusCode ?? 0, headers: { get } });
      })
      .end(body);
  });

// ── Sending, one after the other ───────────────────────────────────────────────────────────────────────────

interface WaitingLine {
  add(event: Event): void;
  readonly flush: SentryErrorTracker['flush'];
}

function waitingLine({
  log,
  send,
}: {
  readonly log: Log;
  readonly send: (event: Event, signal: AbortSignal) => Promise<EnvelopeAnswer>;
}): WaitingLine {
  const waiting: Event[] = [];
  let running: Promise<void> | null = null;
  let stopping = new AbortController();
  let silentUntil = 0;
  let lost = 0;

  function lose(reason: string): void {
    lost += 1;
    if (lost === 1) log.warn({ reason }, 'Reports do not reach the error tracker, and are only in this log');
  }

  function endOfLosses(message: string): void {
    if (lost > 0) log.warn({ lost }, message);
    lost = 0;
  }

  async function deliver(event: Event): Promise<void> {
    if (performance.now() < silentUntil) return lose('it asked for a pause');
    const answer = await withinLimit(stopping.signal, (signal) => send(event, signal));
    if (answer instanceof Error) return lose(reasonOf(answer));
    if (answer.status >= 200 && answer.status < 300)
      return endOfLosses('Reports reach the error tracker again');
    silentUntil = performance.now() + pauseAfter(answer);
    lose(`it answered ${answer.status}`);
  }

  async function run(): Promise<void> {
    for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) await deliver(event);
    running = null;
  }

  return {
    add(event) {
      if (waiting.length >= LONGEST_QUEUE) return lose('too many wait to be sent');
      waiting.push(event);
      running ??= Promise.resolve().then(run);
    },
    async flush(timeoutMs) {
      const giveUp = setTimeout(() => {
        for (const _event of waiting.splice(0)) lose('the time to send them was over');
        stopping.abort(new Error('the time to send them was over'));
      }, timeoutMs);
      await running;
      clearTimeout(giveUp);
      if (stopping.signal.aborted) stopping = new AbortController();
      endOfLosses('Reports never reached the error tracker');
    },
  };
}

/** The answer or why there is none, whatever the sender makes of the signal. */
async function withinLimit(
  stopping: AbortSignal,
  send: (signal: AbortSignal) => Promise<EnvelopeAnswer>,
): Promise<EnvelopeAnswer | Error> {
  const deadline = new AbortController();
  const stop = (): void => deadline.abort(stopping.reason);
  const timer = setTimeout(() => deadline.abort(new Error('it did not answer within 5 s')), TIME_LIMIT);
  const ended = new Promise<never>((_resolve, reject) => {
    deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason));
  });
  stopping.addEventListener('abort', stop);
  if (stopping.aborted) stop();
  try {
    return await Promise.race([send(deadline.signal), ended]);
  } catch (error) {
    return deadline.signal.aborted ? deadline.signal.reason : asError(error);
  } finally {
    clearTimeout(timer);
    stopping.removeEventListener('abort', stop);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('sending failed');
}

/** An error of the system by its code alone: its message may hold addresses. */
function reasonOf(error: Error): string {
  return 'code' in error ? String(error.code) : withoutSecretShapes(error.message);
}

/** Milliseconds in which nothing is sent. */
function pauseAfter({ status, headers }: EnvelopeAnswer): number {
  const given = headers.get('retry-after');
  if (given === null) return status === 429 ? WAIT : 0;
  const milliseconds = /^\d+$/.test(given) ? Number(given) * 1000 : Date.parse(given) - Date.now();
  return Number.isNaN(milliseconds) ? WAIT : Math.min(Math.max(milliseconds, 0), LONGEST_WAIT);
}

// ── What an event tells ────────────────────────────────────────────────────────────────────────────────────

interface Event {
  readonly id: string;
  readonly json: string;
}

/** Sentry takes 200 characters of a tag. */
const LONGEST_TAG = 200;
const LONGEST_MESSAGE = 4000;
const MOST_FRAMES = 50;
/** How many causes of causes are told. */
const DEEPEST_CAUSE = 5;

interface EventContext {
  readonly severity: 'info' | 'error';
  readonly operation: string;
  readonly requestId: string | null;
  readonly release: string;
  readonly environment: string;
}

/** Field by field: libraries hang whole requests and queries on their errors. */
function eventOf(error: unknown, context: EventContext): Event {
  const { severity, operation, requestId, release, environment } = context;
  const id = randomUUID().replaceAll('-', '');
  const event = {
    event_id: id,
    timestamp: new Date().toISOString(),
    platform: 'node',
    level: severity,
    release,
    environment,
    // The oldest first: a cause stands before what it caused.
    exception: { values: causesOf(error).map(exceptionOf).reverse() },
    tags: {
      operation: tag(operation),
      ...(requestId === null ? {} : { request_id: tag(requestId) }),
      release: tag(release),
    },
  };
  return { id, json: JSON.stringify(event) };
}

function tag(text: string): string {
  return withoutSecretShapes(text).replaceAll(/\s+/g, ' ').slice(0, LONGEST_TAG);
}

/** The error, its cause, the cause's cause and so on. */
function causesOf(error: unknown): readonly unknown[] {
  const chain = [error];
  for (let last = error; last instanceof Error && chain.length <= DEEPEST_CAUSE; ) {
    last = last.cause;
    if (last === undefined || chain.includes(last)) break;
    chain.push(last);
  }
  return chain;
}

function exceptionOf(error: unknown): object {
  if (!(error instanceof Error)) {
    const value = typeof error === 'string' ? error : 'something was thrown that is no error';
    return { type: typeof error, value: messageText(value) };
  }
  const frames = framesOf(error);
  return {
    type: messageText(error.name),
    value: messageText(error.message),
    ...(frames.length === 0 ? {} : { stacktrace: { frames } }),
  };
}

function messageText(text: string): string {
  return withoutSecretShapes(String(text)).slice(0, LONGEST_MESSAGE);
}

interface Frame {
  readonly function?: string;
  readonly filename?: string;
  readonly lineno?: number;
  readonly colno?: number;
  /** Whether it is a line of this product, and none of Node or a package. */
  readonly in_app: boolean;
}

/** The caller before the called, so that the last one is where the error was made. */
function framesOf({ stack, message }: Error): readonly Frame[] {
  if (typeof stack !== 'string') return [];
  // The stack repeats the message, and a message may hold lines that look like frames.
  const start = stack.includes(message) ? stack.indexOf(message) + message.length : 0;
  return stack
    .slice(start)
    .split('\n')
    .map(frameOf)
    .filter((frame) => frame !== null)
    .slice(0, MOST_FRAMES)
    .reverse();
}

/** A line as V8 writes it: `at name (place:line:column)`, without the name, or without the place. */
function frameOf(line: string): Frame | null {
  const [, text] = /^\s+at (?:async )?(.{1,1000})$/.exec(line) ?? [];
  if (text === undefined) return null;
  const [, name, inBrackets] = /^(.*?) \((.*)\)$/.exec(text) ?? [];
  const place = inBrackets ?? text;
  const named = name === undefined ? {} : { function: withoutSecretShapes(name) };
  const [, file, lineno, colno] = /^(.+?):(\d+):(\d+)$/.exec(place) ?? [];
  if (file === undefined) return name === undefined ? null : { ...named, in_app: false };
  const filename = fromRoot(file);
  const isOurs = !/^(?:node:|<anonymous>|eval at )|(?:^|\/)node_modules\//.test(filename);
  return { ...named, filename, lineno: Number(lineno), colno: Number(colno), in_app: isOurs };
}

/** Where the product is installed. */
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The path from there, so that it is the same wherever the product is installed. */
function fromRoot(file: string): string {
  const path = withoutSecretShapes(file.replace(/^file:\/\//, ''));
  return path.startsWith(root) ? path.slice(root.length) : path;
}
