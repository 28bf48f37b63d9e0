import type { ClientRequest } from 'node:http';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { SentAttempt, WebhookRequest, WebhookSender } from '@rollcall/core';
import type { Request } from 'got';
import { type AnswerRecord, createAnswerRecord } from './answer-record.js';
import { type AttemptTimer, startAttemptTimer } from './attempt-timer.js';
import {
  createGuard,
  DOES_NOT_RESOLVE,
  type Guard,
  type GuardSettings,
  hostOf,
  limitInterimResponses,
  NO_HTTPS_URL,
  RESOLVES_TO_PRIVATE,
  readUrl,
  refusalOf,
  refusalOfName,
} from './guard.js';
import { reasonOf, tlsRefusal } from './reasons.js';
import { vettedLookup } from './resolve-host.js';
import { TIME_LIMITS, type TimeLimits } from './time-limits.js';
import { traceSending } from './trace-sending.js';

/** The maximum number of bytes that are read of an answer. */
const MAX_ANSWER_BYTES = 64 * 1024;

export interface WebhookSenderSettings extends GuardSettings {
  readonly limits?: Partial<TimeLimits>;
}

/** Loaded with the first delivery, because most commands of the command line send nothing. */
const loadClient = () => import('./client.js');

interface Deps extends Guard, Awaited<ReturnType<typeof loadClient>> {}

/** Sends webhooks with got, each over a new connection. Throws if a network or an authority cannot be read. */
export function gotWebhookSender(settings: WebhookSenderSettings = {}): WebhookSender {
  const limits = { ...TIME_LIMITS, ...settings.limits };
  const guard = createGuard(settings);
  return {
    refusalOf(text) {
      const url = readUrl(text);
      const refusal = refusalOf(url, guard.isAllowed);
      return refusal ?? (settings.lookup === undefined ? refusalOfName(url, guard.isAllowed) : null);
    },
    send: (request) =>
      traceSending(request, async () => {
        const timer = startAttemptTimer(limits);
        return send(request, timer, { ...guard, ...(await loadClient()) });
      }),
  };
}

async function send(request: WebhookRequest, timer: AttemptTimer, deps: Deps): Promise<SentAttempt> {
  const url = readUrl(request.url);
  const refusal = refusalOf(url, deps.isAllowed);
  if (url === null || refusal !== null) return refuse(request, timer, refusal ?? NO_HTTPS_URL);

  timer.reach(isIP(hostOf(url)) === 0 ? 'lookup' : 'connect');
  return await post(url, request, timer, deps);
}

async function refuse(
  { url, headers }: WebhookRequest,
  timer: AttemptTimer,
  reason: string,
): Promise<SentAttempt> {
  timer.end(reason);
  return { ...(await timer.ending), request: { url, headers }, response: null };
}

async function post(
  url: URL,
  request: WebhookRequest,
  timer: AttemptTimer,
  deps: Deps,
): Promise<SentAttempt> {
  const body = Buffer.from(request.body, 'utf8');
  // All headers, so that Node adds none and the attempt records exactly those that are sent.
  const headers = {
    ...request.headers,
    'Content-Length': String(body.length),
    Host: url.host,
    Connection: 'close',
  };
  const record = createAnswerRecord();
  const fixed = { headers, secureContext: deps.secureContext() };
  const controller = new AbortController();
  const answer = deps.client.stream(url, {
    body,
    dnsLookup: lookupFor(timer, deps, controller.signal),
    // got would add its own headers and write ours in lower case, and it has no option for a secure context.
    request: (target, options, callback) => deps.httpsRequest(target, { ...options, ...fixed }, callback),
  });
  answer.on('request', (sent) => watchRequest(sent, timer, deps));
  watchAnswer(answer, timer, record);

  const ending = await timer.ending;
  // An answer that came too late to count is not recorded.
  const response = ending.status === null ? null : record.response();
  controller.abort();
  answer.destroy();
  return { ...ending, request: { url: request.url, headers }, response };
}

function lookupFor(timer: AttemptTimer, deps: Deps, ended: AbortSignal): LookupFunction {
  const resolve = (name: string) => deps.resolve(name, ended);
  return vettedLookup(resolve, deps.isAllowed, (end) => {
    if (end === 'vetted') timer.reach('connect');
    if (end === 'unknown') timer.end(DOES_NOT_RESOLVE);
    if (end === 'refused') timer.end(RESOLVES_TO_PRIVATE);
  });
}

function watchRequest(request: ClientRequest, timer: AttemptTimer, deps: Deps): void {
  request.once('socket', (socket) => watchSocket(socket, timer, deps));
  // `finish` also comes for a request that failed before TLS was ready.
  request.once('finish', () => timer.phase() === 'request' && timer.reach('answer'));
  request.on('error', (error) => endWith(error, timer));
  limitInterimResponses(request, () => {
    timer.reach('answer');
    timer.end('the receiver sent too many interim responses');
  });
}

function endWith(error: Error, timer: AttemptTimer): void {
  const { code } = error as NodeJS.ErrnoException;
  const refusal = tlsRefusal(error);
  if (refusal === null) timer.end(reasonOf(error, timer.phase()), { code });
  else timer.end(refusal, { code, phase: 'tls' });
}

function watchSocket(socket: Socket, timer: AttemptTimer, deps: Deps): void {
  socket.once('connect', () => {
    timer.reach('tls');
    // Checks again, with the address to which the socket has really connected.
    if (!deps.isAllowed(socket.remoteAddress ?? '')) timer.end('private address');
  });
  socket.once('secureConnect', () => timer.reach('request'));
}

function watchAnswer(answer: Request, timer: AttemptTimer, record: AnswerRecord): void {
  let read = 0;
  const end = (): void => timer.end('connection closed without an answer');
  answer.on('response', (response) => {
    record.begin(response);
    timer.answer(response.statusCode);
  });
  answer.on('upgrade', (response) => {
    record.begin(response);
    timer.answer(response.statusCode);
    end();
  });
  answer.on('data', (bytes: Buffer) => {
    record.add(bytes);
    read += bytes.length;
    if (read >= MAX_ANSWER_BYTES) end();
  });
  answer.on('error', (error) => endWith(error, timer));
  answer.on('end', end);
  answer.on('close', end);
}
