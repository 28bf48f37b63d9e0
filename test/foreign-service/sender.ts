import { lookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { LookupFunction } from 'node:net';
import { BlockList, isIP } from 'node:net';
import type {
  AttemptPhase,
  AttemptResponse,
  SentAttempt,
  WebhookRequest,
  WebhookSender,
} from '@rollcall/core';

/** The time limit of a whole attempt. The port allows 16 s. */
const MAX_ATTEMPT_MS = 10_000;

/** Networks that are not public, so that no webhook can reach the internal network. */
const internal = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  internal.addSubnet(net, bits);
}

/** IPv4 only. The list of special IPv6 networks is too long for an example. */
export function isPublic(address: string): boolean {
  return isIP(address) === 4 && !internal.check(address);
}

class InternalAddress extends Error {}

/** For tests: the addresses that a webhook may use, a certificate authority to trust, and a shorter time limit. */
interface SenderOptions {
  readonly isAllowed?: (address: string) => boolean;
  readonly ca?: string;
  readonly maxAttemptMs?: number;
}

export function httpsSender(options: SenderOptions = {}): WebhookSender {
  const { isAllowed = isPublic, maxAttemptMs = MAX_ATTEMPT_MS } = options;
  const ca = options.ca === undefined ? {} : { ca: options.ca };
  return {
    refusalOf: (url) => refusalOf(url, isAllowed),
    async send(request) {
      const refused = refusalOf(request.url, isAllowed);
      if (refused !== null) {
        const { url, headers } = request;
        return { ...failed(0, 'address', refused), request: { url, headers }, response: null };
      }
      return post(request, { ...ca, lookup: allowedLookup(isAllowed), agent: false }, maxAttemptMs);
    },
  };
}

function refusalOf(text: string, isAllowed: (address: string) => boolean): string | null {
  if (!URL.canParse(text)) return 'the URL cannot be used';
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol !== 'https:' || username !== '' || password !== '') return 'the URL cannot be used';
  if (hostname.startsWith('[')) return REFUSED;
  return isIP(hostname) !== 0 && !isAllowed(hostname) ? REFUSED : null;
}

const REFUSED = 'the address is not public';

/** Resolves names to allowed addresses only. The connection uses the checked address. */
function allowedLookup(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { family: 4, all: true }, (error, addresses) => {
      if (error !== null) return done(error, '');
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) {
        return done(new InternalAddress(REFUSED), '');
      }
      if (options.all === true) done(null, [first]);
      else done(null, first.address, first.family);
    });
  };
}

/** Sends one request. Never rejects. */
function post(
  { url, headers: given, body }: WebhookRequest,
  options: RequestOptions,
  maxAttemptMs: number,
): Promise<SentAttempt> {
  const startedAt = performance.now();
  let phase: AttemptPhase = isIP(new URL(url).hostname) === 0 ? 'lookup' : 'connect';
  // All of them, so that the attempt can record exactly what was sent.
  const headers = {
    ...given,
    'Content-Length': String(Buffer.byteLength(body)),
    Host: new URL(url).host,
    Connection: 'close',
  };
  return new Promise((resolve) => {
    let received: { readonly answer: IncomingMessage; readonly body: Buffer[] } | null = null;
    const end = (reason: string): void => {
      const duration = Math.round(performance.now() - startedAt);
      clearTimeout(timer);
      outgoing.destroy();
      const status = received?.answer.statusCode;
      resolve({
        ...(status === undefined ? failed(duration, phase, reason) : answered(duration, status)),
        request: { url, headers },
        response: received === null ? null : responseOf(received.answer, Buffer.concat(received.body)),
      });
    };
    const outgoing = httpsRequest(url, { ...options, method: 'POST', headers }, (answer) => {
      phase = 'answer';
      const chunks: Buffer[] = [];
      received = { answer, body: chunks };
      let size = 0;
      answer.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > MAX_BODY_BYTES) end('');
      });
      for (const event of ['end', 'error', 'close']) answer.on(event, () => end(''));
    });
    const timer = setTimeout(() => end('no response in time'), maxAttemptMs);
    outgoing.on('socket', (socket) => {
      socket.once('lookup', (error) => {
        phase = error === null ? 'connect' : 'lookup';
      });
      socket.once('connect', () => {
        phase = 'tls';
      });
      socket.once('secureConnect', () => {
        phase = 'request';
      });
    });
    outgoing.on('finish', () => {
      if (phase === 'request') phase = 'answer';
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // The code, because the message can contain an address.
      end(error instanceof InternalAddress ? REFUSED : `failed with ${error.code ?? 'an error'}`);
    });
    outgoing.end(body);
  });
}

const MAX_BODY_BYTES = 8 * 1024;

/** Node reads at most 16 KiB of headers, which is the limit of the port, too. */
function responseOf({ rawHeaders, complete }: IncomingMessage, body: Buffer): AttemptResponse {
  const headers = new Map<string, [name: string, value: string]>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    const first = headers.get(name.toLowerCase());
    if (first === undefined) headers.set(name.toLowerCase(), [name, value]);
    else first[1] += `, ${value}`;
  }
  const isTruncated = !complete || body.length > MAX_BODY_BYTES;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return {
    headers: Object.fromEntries(headers.values()),
    body: decoder.decode(body.subarray(0, MAX_BODY_BYTES), { stream: isTruncated }),
    isTruncated,
  };
}

type Result = Omit<SentAttempt, 'request' | 'response'>;

function answered(duration: number, status: number): Result {
  const outcome = status >= 200 && status <= 299 ? 'delivered' : 'failed';
  return { duration, outcome, phase: 'answer', status, reason: `answered ${status}` };
}

function failed(duration: number, phase: AttemptPhase, reason: string): Result {
  return { duration, outcome: 'failed', phase, status: null, reason };
}
