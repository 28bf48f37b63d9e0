import { lookup } from 'node:dns';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { LookupFunction } from 'node:net';
import { BlockList, isIP } from 'node:net';
import type { Attempt, AttemptPhase, WebhookRequest, WebhookSender } from '@rollcall/core';

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
    async send(request) {
      const url = URL.canParse(request.url) ? new URL(request.url) : null;
      if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
        return failed(0, 'address', 'the URL cannot be used');
      const { hostname } = url;
      if (isIP(hostname) !== 0 && !isAllowed(hostname)) return failed(0, 'address', REFUSED);
      if (hostname.startsWith('[')) return failed(0, 'address', REFUSED);
      return post(request, { ...ca, lookup: allowedLookup(isAllowed), agent: false }, maxAttemptMs);
    },
  };
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

/** Sends one request, and ignores the body of the response. Never rejects. */
function post(
  { url, headers, body }: WebhookRequest,
  options: RequestOptions,
  maxAttemptMs: number,
): Promise<Omit<Attempt, 'startedAt'>> {
  const startedAt = performance.now();
  let phase: AttemptPhase = isIP(new URL(url).hostname) === 0 ? 'lookup' : 'connect';
  return new Promise((resolve) => {
    const end = (reason: string, status: number | null = null): void => {
      const duration = Math.round(performance.now() - startedAt);
      clearTimeout(timer);
      outgoing.destroy();
      resolve(status === null ? failed(duration, phase, reason) : answered(duration, status));
    };
    const outgoing = httpsRequest(url, { ...options, method: 'POST', headers }, ({ statusCode }) => {
      phase = 'answer';
      end('', statusCode ?? 0);
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

function answered(duration: number, status: number): Omit<Attempt, 'startedAt'> {
  const outcome = status >= 200 && status <= 299 ? 'delivered' : 'failed';
  return { duration, outcome, phase: 'answer', status, reason: `answered ${status}` };
}

function failed(duration: number, phase: AttemptPhase, reason: string): Omit<Attempt, 'startedAt'> {
  return { duration, outcome: 'failed', phase, status: null, reason };
}
