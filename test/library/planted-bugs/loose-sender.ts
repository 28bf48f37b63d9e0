import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { AttemptPhase, SentAttempt, WebhookRequest, WebhookSender } from '@rollcall/core';
import type { LookupSenderSettings, SenderSettings } from '@rollcall/core/testing';
import { isPublicAddress } from '#adapters/node/webhook/addresses.js';
import { createAnswerRecord } from '#adapters/node/webhook/answer-record.js';
import { systemNames } from '#adapters/node/webhook/resolve-host.js';

/** What a sender can do wrong between the connection and the answer. Without any, it keeps its promises. */
export interface Flaws {
  readonly followsRedirects?: boolean;
  readonly trustsEveryAuthority?: boolean;
  readonly ignoresNamesInCertificates?: boolean;
  readonly hasNoTimeLimit?: boolean;
  /** The time limit starts again with each byte that arrives. */
  readonly limitsOnlySilence?: boolean;
  readonly takesInterimResponses?: boolean;
  /** The answer counts when its body has ended. */
  readonly waitsForBody?: boolean;
  readonly leavesConnectionsOpen?: boolean;
  readonly checksFirstAddressOnly?: boolean;
  /** Looks a name up to check its addresses, and again to connect. */
  readonly looksUpTwice?: boolean;
}

const MAX_INTERIM_RESPONSES = 10;
/** Enough to know that a body is longer than what is recorded. */
const MAX_BODY_BYTES = 8 * 1024;

type Lookup = LookupSenderSettings['lookup'];

/** A simple sender over Node's own client, with an attempt of at most `maxAttemptMs`. */
export function looseSender(
  settings: SenderSettings & { readonly lookup?: Lookup; readonly maxAttemptMs: number },
  flaws: Flaws = {},
): WebhookSender {
  const isAllowed = (address: string) =>
    isPublicAddress(address) || settings.allowedAddresses.includes(address);
  const resolve = settings.lookup ?? lookUp;
  const refusalOf = (text: string): string | null => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return 'the URL is refused';
    const host = url.hostname.replace(/^\[|\]$/g, '');
    return isIP(host) !== 0 && !isAllowed(host) ? 'the address is refused' : null;
  };
  return {
    refusalOf,
    async send(request) {
      const reason = refusalOf(request.url);
      if (reason !== null) return refused(request, reason);
      const url = new URL(request.url);
      const lookup = vettedLookup(resolve, isAllowed, flaws);
      return post(url, request, { ...settings, lookup }, flaws);
    },
  };
}

async function lookUp(name: string): Promise<readonly string[]> {
  const addresses = await systemNames()(name, new AbortController().signal);
  return addresses.map(({ address }) => address);
}

function refused({ url, headers }: WebhookRequest, reason: string): SentAttempt {
  const result = { duration: 0, outcome: 'failed', phase: 'address', status: null } as const;
  return { ...result, reason, request: { url, headers }, response: null };
}

function vettedLookup(
  resolve: Lookup,
  isAllowed: (address: string) => boolean,
  flaws: Flaws,
): LookupFunction {
  return async (name, options, done) => {
    const addresses = await resolve(name).catch(() => []);
    const checked = flaws.checksFirstAddressOnly ? addresses.slice(0, 1) : addresses;
    if (checked.length === 0 || !checked.every(isAllowed)) return done(new Error('refused'), '');
    const [first = ''] = flaws.looksUpTwice ? await resolve(name) : addresses;
    const family = isIP(first);
    if (options.all === true) done(null, [{ address: first, family }]);
    else done(null, first, family);
  };
}

interface PostSettings extends Pick<SenderSettings, 'authority'> {
  readonly lookup: LookupFunction;
  readonly maxAttemptMs: number;
}

function post(url: URL, request: WebhookRequest, settings: PostSettings, flaws: Flaws): Promise<SentAttempt> {
  const startedAt = performance.now();
  let phase: AttemptPhase = isIP(url.hostname) === 0 ? 'lookup' : 'connect';
  let interim = 0;
  const headers = {
    ...request.headers,
    'Content-Length': String(Buffer.byteLength(request.body)),
    Host: url.host,
    Connection: 'close',
  };
  const record = createAnswerRecord();
  let status: number | null = null;
  return new Promise((resolve) => {
    const end = (final: number | null): void => {
      clearTimeout(timer);
      if (!flaws.leavesConnectionsOpen) outgoing.destroy();
      const outcome = final !== null && final >= 200 && final < 300 ? 'delivered' : 'failed';
      const duration = Math.round(performance.now() - startedAt);
      resolve({
        duration,
        outcome,
        phase,
        status: final,
        reason: final === null ? 'no answer' : `status ${final}`,
        request: { url: request.url, headers },
        response: final === null ? null : record.response(),
      });
    };
    const answered = () => (flaws.waitsForBody ? null : status);
    const outgoing = httpsRequest(url, {
      method: 'POST',
      headers,
      ca: settings.authority,
      agent: false,
      lookup: settings.lookup,
      rejectUnauthorized: !flaws.trustsEveryAuthority,
      ...(flaws.ignoresNamesInCertificates && { checkServerIdentity: () => undefined }),
    });
    const timer = setTimeout(() => end(answered()), flaws.hasNoTimeLimit ? 2 ** 30 : settings.maxAttemptMs);
    timer.unref();
    outgoing.on('socket', (socket) => {
      socket.once('connect', () => {
        phase = 'tls';
      });
      socket.once('secureConnect', () => {
        phase = 'request';
      });
      if (flaws.limitsOnlySilence) socket.on('data', () => timer.refresh());
    });
    outgoing.on('finish', () => {
      if (phase === 'request') phase = 'answer';
    });
    outgoing.on('information', ({ statusCode }) => {
      interim += 1;
      if (flaws.takesInterimResponses) end(statusCode);
      else if (interim === MAX_INTERIM_RESPONSES) end(null);
    });
    outgoing.on('response', (response) => {
      phase = 'answer';
      const { statusCode = 0, headers } = response;
      status = statusCode;
      if (flaws.followsRedirects && headers.location !== undefined) {
        clearTimeout(timer);
        return resolve(post(new URL(headers.location), request, settings, flaws));
      }
      record.begin(response);
      let read = 0;
      response.on('data', (bytes: Buffer) => {
        record.add(bytes);
        read += bytes.length;
        if (read > MAX_BODY_BYTES && !flaws.waitsForBody) end(statusCode);
      });
      response.on('end', () => end(statusCode));
      response.on('error', () => end(answered()));
    });
    outgoing.on('error', () => end(answered()));
    outgoing.end(request.body);
  });
}
