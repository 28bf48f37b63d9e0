import {
  type BaseTransportOptions,
  createStackParser,
  createTransport,
  type EventDropReason,
  linkedErrorsIntegration,
  Scope,
  type StackParser,
  type Transport,
  type TransportMakeRequestResponse,
  type TransportRequest,
} from '@sentry/core';
import { nodeStackLineParser, ServerRuntimeClient } from '@sentry/core/server';
import pLimit from 'p-limit';
import { withoutSecretShapes } from './log.js';
import { allowedEvent } from './sentry-event.js';

export interface SentryClientOptions {
  readonly dsn: string;
  readonly release: string;
  readonly environment: string;
  readonly fetch: typeof fetch;
  /** Called for each event that does not reach Sentry. */
  onLost(reason: string): void;
  /** Called for each event that reached Sentry. */
  onSent(): void;
}

export interface SentryReport {
  readonly severity: 'info' | 'error';
  readonly tags: Readonly<Record<string, string>>;
}

export interface SentryClient {
  /** Throws if the error cannot be read. The same object is sent once, even if it is captured several times. */
  capture(error: unknown, report: SentryReport): void;
  /** Resolves when all events are sent, or after `timeoutMs`. Events that still wait then are lost. */
  flush(timeoutMs: number): Promise<void>;
}

/** The maximum time for one event, from the lookup of the host name to the head of the answer. */
const POST_TIMEOUT_MS = 5000;
const MAX_WAITING_EVENTS = 100;
/** Further events are only logged: an error in every request must not use up the quota of the project. */
const MAX_EVENTS_PER_MINUTE = 300;
const MAX_CAUSES = 5;
/** Node's default is 10. */
const MAX_STACK_LINES = 50;

/**
 * Creates Sentry's own client without its instrumentation: it patches nothing global and adds no global listeners. It
 * sends only the errors that `capture` gets, reduced to the allow-list. Events are posted one at a time, and once.
 */
export function createSentryClient(options: SentryClientOptions): SentryClient {
  const { dsn, release, environment } = options;
  const sender = createSender(options);
  const client = new ServerRuntimeClient({
    dsn,
    release,
    environment,
    platform: 'node',
    integrations: [linkedErrorsIntegration({ limit: MAX_CAUSES })],
    traceLifecycle: 'static',
    sendClientReports: false,
    stackParser: framesAlone(createStackParser(nodeStackLineParser())),
    transport: sender.transport,
    beforeSend(event, hint) {
      hint.attachments = [];
      return allowedEvent(event);
    },
  });
  client.init();
  return {
    capture(error, { severity, tags }) {
      const scope = new Scope();
      scope.setLevel(severity);
      scope.setTags(tags);
      const exception = error instanceof Error ? error : notAnError(error);
      client.captureException(exception, { originalException: exception }, scope);
    },
    flush: sender.flush,
  };
}

/** The client would serialize the whole value, so only a text is passed on. */
function notAnError(value: unknown): Error {
  const error = new Error(typeof value === 'string' ? value : 'a value that is not an error was thrown');
  error.name = typeof value;
  error.stack = '';
  return error;
}

/** Keeps only the lines of frames, because the stack also repeats the message, which may be long. */
function framesAlone(parse: StackParser): StackParser {
  return (stack) => {
    const lines = stack.split('\n').filter((line) => /^ {4}at /.test(line));
    return parse(lines.slice(-MAX_STACK_LINES).join('\n'));
  };
}

function createSender({ fetch, onLost, onSent }: SentryClientOptions) {
  const oneAtATime = pLimit(1);
  const isWithinRate = createRate();
  let stopping = new AbortController();

  async function post(url: string, { body }: TransportRequest): Promise<TransportMakeRequestResponse> {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(POST_TIMEOUT_MS)]);
    const headers = { 'Content-Type': 'application/x-sentry-envelope', 'User-Agent': 'rollcall' };
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body: Buffer.from(body),
      redirect: 'manual',
      signal,
    });
    await answer.body?.cancel();
    if (answer.ok) onSent();
    else onLost(`it answered ${answer.status}`);
    const limits = answer.headers.get('x-sentry-rate-limits');
    return {
      statusCode: answer.status,
      headers: { 'x-sentry-rate-limits': limits, 'retry-after': answer.headers.get('retry-after') },
    };
  }

  function lost(error: unknown): TransportMakeRequestResponse {
    onLost(reasonOf(error));
    return {};
  }

  /** Reports events that the client itself drops. The results of posts are reported by `post`. */
  function recordDroppedEvent(reason: EventDropReason): void {
    if (reason === 'ratelimit_backoff') onLost('it asked for a pause');
  }

  return {
    transport(options: BaseTransportOptions & { readonly url: string }): Transport {
      const transport = createTransport({ ...options, recordDroppedEvent }, (request) =>
        post(options.url, request).catch(lost),
      );
      return {
        async send(envelope) {
          if (oneAtATime.pendingCount >= MAX_WAITING_EVENTS) onLost('too many wait to be sent');
          else if (!isWithinRate()) onLost('too many were sent in this minute');
          else return oneAtATime(() => transport.send(envelope));
          return {};
        },
        flush: transport.flush,
      };
    },
    async flush(timeoutMs: number): Promise<void> {
      const timer = setTimeout(() => stopping.abort(new Error('the time to send them was over')), timeoutMs);
      await oneAtATime(() => undefined);
      clearTimeout(timer);
      if (stopping.signal.aborted) stopping = new AbortController();
    },
  };
}

/** Returns a function that tells whether one more event may be sent in this minute. */
function createRate(): () => boolean {
  let minuteStart = Number.NEGATIVE_INFINITY;
  let events = 0;
  return () => {
    const now = performance.now();
    if (now - minuteStart >= 60_000) {
      minuteStart = now;
      events = 0;
    }
    events += 1;
    return events <= MAX_EVENTS_PER_MINUTE;
  };
}

/** For a system error, returns only its code, because its message may contain addresses. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'sending failed';
  if (error.name === 'TimeoutError') return `it did not answer within ${POST_TIMEOUT_MS / 1000} s`;
  // The reason of the error `fetch failed` is its cause.
  const reason = error.cause instanceof Error ? error.cause : error;
  return 'code' in reason ? String(reason.code) : withoutSecretShapes(reason.message);
}
