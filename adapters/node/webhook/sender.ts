import type { ClientRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { SentAttempt, WebhookRequest, WebhookSender } from '@rollcall/core';
import type { Got, Request } from 'got';
import { inAllowedNetworks, isPublicAddress, readNetworks } from './addresses.js';
import { type AnswerRecord, createAnswerRecord } from './answer-record.js';
import { type AttemptTimer, startAttemptTimer } from './attempt-timer.js';
import { trustedAuthorities } from './authorities.js';
import { reasonOf, tlsRefusal } from './reasons.js';
import { type Resolve, systemNames, vettedLookup } from './resolve-host.js';
import { TIME_LIMITS, type TimeLimits } from './time-limits.js';
import { traceSending } from './trace-sending.js';

/** The maximum number of bytes that are read of an answer. */
const MAX_ANSWER_BYTES = 64 * 1024;

export interface WebhookSenderSettings {
  /** Networks in CIDR notation that may receive webhooks although they are not public. None by default. */
  readonly allowedNetworks?: readonly string[] | undefined;
  /**
   * PEM texts of certificate authorities to trust in addition to the runtime's own. A function is called for each delivery:
   * it returns the same array until they have changed.
   */
  readonly certificateAuthorities?: readonly string[] | (() => readonly string[]) | undefined;
  /** Looks up the addresses of a name instead of the hosts file and the name servers. */
  readonly lookup?: Resolve;
  readonly limits?: Partial<TimeLimits>;
}

/** An attempt ends with this many interim responses (100, 102, 103 …). */
const MAX_INTERIM_RESPONSES = 10;

/** Loaded with the first delivery, because most commands of the command line send nothing. */
const loadClient = () => import('./client.js');

interface Deps {
  readonly client: Got;
  readonly isAllowed: (address: string) => boolean;
  readonly resolve: Resolve;
  readonly secureContext: () => SecureContext;
}

/** Sends webhooks with got, each over a new connection. Throws if a network or an authority cannot be read. */
export function gotWebhookSender(settings: WebhookSenderSettings = {}): WebhookSender {
  const limits = { ...TIME_LIMITS, ...settings.limits };
  const { certificateAuthorities = [] } = settings;
  const authorities =
    typeof certificateAuthorities === 'function' ? certificateAuthorities : () => certificateAuthorities;
  if (typeof certificateAuthorities !== 'function') trustedAuthorities(certificateAuthorities);
  let trusted: readonly string[] | undefined;
  let secureContext: SecureContext | undefined;
  const deps: Omit<Deps, 'client'> = {
    isAllowed: allowedAddresses(settings.allowedNetworks ?? []),
    resolve: settings.lookup ?? systemNames(),
    // Created with the first delivery and when the authorities change, because reading the runtime's own is slow.
    secureContext() {
      const current = authorities();
      if (current !== trusted) secureContext = undefined;
      trusted = current;
      secureContext ??= createSecureContext(trustedAuthorities(current));
      return secureContext;
    },
  };
  return {
    refusalOf(text) {
      const url = readUrl(text);
      const refusal = refusalOf(url, deps.isAllowed);
      return refusal ?? (settings.lookup === undefined ? refusalOfName(url, deps.isAllowed) : null);
    },
    send: (request) =>
      traceSending(request, async () => {
        const timer = startAttemptTimer(limits);
        const { client } = await loadClient();
        return send(request, timer, { ...deps, client });
      }),
  };
}

function allowedAddresses(allowedNetworks: readonly string[]): Deps['isAllowed'] {
  const networks = readNetworks(allowedNetworks);
  return (address) => isPublicAddress(address) || inAllowedNetworks(address, networks);
}

async function send(request: WebhookRequest, timer: AttemptTimer, deps: Deps): Promise<SentAttempt> {
  const url = readUrl(request.url);
  const refusal = refusalOf(url, deps.isAllowed);
  if (url === null || refusal !== null) return refuse(request, timer, refusal ?? NO_HTTPS_URL);

  timer.reach(isIP(hostOf(url)) === 0 ? 'lookup' : 'connect');
  return await post(url, request, timer, deps);
}

const NO_HTTPS_URL = 'not an https URL';
const DOES_NOT_RESOLVE = 'the name does not resolve';
const RESOLVES_TO_PRIVATE = 'resolves to a private address';

function refusalOf(url: URL | null, isAllowed: Deps['isAllowed']): string | null {
  if (url?.protocol !== 'https:') return NO_HTTPS_URL;
  if (url.username !== '' || url.password !== '') return 'the URL holds credentials';
  // got reads this name as the path of a local socket.
  if (url.hostname === 'unix' || url.port === '0') return 'the URL cannot be used';
  const host = hostOf(url);
  return isIP(host) !== 0 && !isAllowed(host) ? 'private address' : null;
}

/** Why the lookup of the URL's name will fail, whatever the name servers answer; null: that is not known. */
function refusalOfName(url: URL | null, isAllowed: Deps['isAllowed']): string | null {
  const name = url?.hostname.replace(/\.$/, '') ?? '';
  if (/(?:^|\.)localhost$/.test(name) && !isAllowed('127.0.0.1')) return RESOLVES_TO_PRIVATE;
  return /(?:^|\.)(?:alt|invalid|onion)$/.test(name) ? DOES_NOT_RESOLVE : null;
}

function readUrl(url: string): URL | null {
  return URL.canParse(url) ? new URL(url) : null;
}

/** The host name, or the IP address without brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
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
    request: (target, options, callback) => httpsRequest(target, { ...options, ...fixed }, callback),
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
  limitInterimResponses(request, timer);
}

function endWith(error: Error, timer: AttemptTimer): void {
  const { code } = error as NodeJS.ErrnoException;
  const refusal = tlsRefusal(error);
  if (refusal === null) timer.end(reasonOf(error, timer.phase()), { code });
  else timer.end(refusal, { code, phase: 'tls' });
}

/** A receiver that sends interim responses without end would otherwise keep the process busy with parsing. */
function limitInterimResponses(request: ClientRequest, timer: AttemptTimer): void {
  let count = 0;
  request.on('information', () => {
    count += 1;
    if (count !== MAX_INTERIM_RESPONSES) return;
    timer.reach('answer');
    timer.end('the receiver sent too many interim responses');
    // Destroyed here and not only after the timer has ended, so that no further ones are read.
    request.destroy();
  });
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
