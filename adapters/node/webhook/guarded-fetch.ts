import type { ClientRequest } from 'node:http';
import {
  createGuard,
  DOES_NOT_RESOLVE,
  type Guard,
  type GuardSettings,
  limitInterimResponses,
  NO_HTTPS_URL,
  RESOLVES_TO_PRIVATE,
  readUrl,
  refusalOf,
} from './guard.js';
import { reasonOf, tlsRefusal } from './reasons.js';
import { vettedLookup } from './resolve-host.js';

export interface GuardedFetchSettings extends GuardSettings {
  /** For a whole request; 10 s by default. */
  readonly timeoutMs?: number;
}

/** The part of `fetch` that is needed. */
export interface GuardedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export type GuardedFetch = (url: string, request: GuardedRequest) => Promise<Response>;

/** Why there is no answer to read. `unreachable`: another attempt may get one. */
export class FetchFailure extends Error {
  readonly kind: 'unreachable' | 'invalid';

  constructor(kind: FetchFailure['kind'], reason: string) {
    super(reason);
    this.kind = kind;
  }
}

/** The maximum number of bytes of an answer. */
const MAX_FETCHED_BYTES = 100 * 1024;
const TIMEOUT_MS = 10_000;

/** Loaded with the first request. */
const loadClient = () => import('./client.js');

/**
 * Requests to addresses that others have chosen, as guarded as webhooks: https only, to public addresses or the operator's
 * networks, without redirects, at most 100 KB and 10 s. Throws a `FetchFailure` if there is no whole answer, or it says
 * that the server cannot answer now.
 */
export function guardedFetch({ timeoutMs = TIMEOUT_MS, ...settings }: GuardedFetchSettings): GuardedFetch {
  const guard = createGuard(settings);
  return async (text, request) => {
    const url = readUrl(text);
    const refusal = refusalOf(url, guard.isAllowed);
    if (url === null || refusal !== null) throw new FetchFailure('invalid', refusal ?? NO_HTTPS_URL);
    const response = await fetched(url, request, { guard, timeoutMs });
    const { status } = response;
    if (status === 429 || status >= 500) throw new FetchFailure('unreachable', `answered ${status}`);
    if (status >= 300 && status < 400)
      throw new FetchFailure('invalid', `answered ${status}: redirects are not followed`);
    return response;
  };
}

async function fetched(
  url: URL,
  { method, headers: given, body }: GuardedRequest,
  { guard, timeoutMs }: { readonly guard: Guard; readonly timeoutMs: number },
): Promise<Response> {
  const { client, httpsRequest } = await loadClient();
  const controller = new AbortController();
  const fixed = {
    headers: {
      ...given,
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      ...{ 'accept-encoding': 'identity', host: url.host, connection: 'close' },
    },
    secureContext: guard.secureContext(),
  };
  let vetting = 'vetted';
  const answer = client.stream(url, {
    method: method as 'GET' | 'POST',
    ...(body === undefined ? {} : { body }),
    dnsLookup: vettedLookup(
      (name) => guard.resolve(name, controller.signal),
      guard.isAllowed,
      (end) => {
        vetting = end;
      },
    ),
    request: (target, options, callback) => httpsRequest(target, { ...options, ...fixed }, callback),
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Response>((resolve, reject) => {
      const fail = (kind: FetchFailure['kind'], reason: string): void =>
        reject(new FetchFailure(kind, reason));
      timer = setTimeout(
        () => fail('unreachable', `no whole answer within ${timeoutMs / 1000} s`),
        timeoutMs,
      );
      answer.on('request', (sent: ClientRequest) => watch(sent, guard, fail));
      const parts: Buffer[] = [];
      let size = 0;
      let head: { readonly status: number; readonly headers: Headers } | null = null;
      answer.on('response', ({ statusCode, headers }) => {
        head = { status: statusCode, headers: headersOf(headers) };
      });
      answer.on('data', (part: Buffer) => {
        parts.push(part);
        size += part.length;
        if (size > MAX_FETCHED_BYTES) fail('invalid', 'an answer of more than 100 KB');
      });
      answer.on('upgrade', () => fail('invalid', 'answered 101'));
      answer.on('error', (error: Error) => {
        if (vetting === 'unknown') fail('unreachable', DOES_NOT_RESOLVE);
        else if (vetting === 'refused') fail('invalid', RESOLVES_TO_PRIVATE);
        else fail('unreachable', tlsRefusal(error) ?? reasonOf(error, head === null ? 'connect' : 'answer'));
      });
      answer.on('end', () => {
        if (head === null) return fail('unreachable', 'connection closed without an answer');
        const isEmpty = size === 0 || [204, 205, 304].includes(head.status);
        resolve(new Response(isEmpty ? null : Buffer.concat(parts), head));
      });
    });
  } finally {
    clearTimeout(timer);
    controller.abort();
    answer.destroy();
  }
}

function watch(
  request: ClientRequest,
  { isAllowed }: Guard,
  fail: (kind: FetchFailure['kind'], reason: string) => void,
): void {
  limitInterimResponses(request, () => fail('invalid', 'too many interim responses'));
  request.once('socket', (socket) =>
    socket.once('connect', () => {
      // Checks again, with the address to which the socket has really connected.
      if (isAllowed(socket.remoteAddress ?? '')) return;
      fail('invalid', 'private address');
      request.destroy();
    }),
  );
}

function headersOf(received: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received))
    for (const one of [value ?? []].flat()) headers.append(name, one);
  return headers;
}
