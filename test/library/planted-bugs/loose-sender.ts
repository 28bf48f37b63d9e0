import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Attempt, AttemptPhase, WebhookRequest, WebhookSender } from '@rollcall/core';
import type { LookupSenderSettings, SenderSettings } from '@rollcall/core/testing';
import { isPublicAddress } from '#adapters/node/webhook/addresses.js';
import { systemNames } from '#adapters/node/webhook/names.js';

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

type Result = Omit<Attempt, 'startedAt'>;
type Lookup = LookupSenderSettings['lookup'];

/** A simple sender over Node's own client, with an attempt of at most `maxAttemptMs`. */
export function looseSender(
  settings: SenderSettings & { readonly lookup?: Lookup; readonly maxAttemptMs: number },
  flaws: Flaws = {},
): WebhookSender {
  const isAllowed = (address: string) =>
    isPublicAddress(address) || settings.allowedAddresses.includes(address);
  const resolve = settings.lookup ?? lookUp;
  return {
    async send(request) {
      const url = URL.canParse(request.url) ? new URL(request.url) : null;
      if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return refused('the URL');
      const host = url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) !== 0 && !isAllowed(host)) return refused('the address');
      const lookup = vettedLookup(resolve, isAllowed, flaws);
      return post(url, request, { ...settings, lookup }, flaws);
    },
  };
}

async function lookUp(name: string): Promise<readonly string[]> {
  const addresses = await systemNames()(name, new AbortController().signal);
  return addresses.map(({ address }) => address);
}

function refused(what: string): Result {
  return { duration: 0, outcome: 'failed', phase: 'address', status: null, reason: `${what} is refused` };
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

function post(url: URL, request: WebhookRequest, settings: PostSettings, flaws: Flaws): Promise<Result> {
  const startedAt = performance.now();
  let phase: AttemptPhase = isIP(url.hostname) === 0 ? 'lookup' : 'connect';
  let interim = 0;
  return new Promise((resolve) => {
    const end = (status: number | null): void => {
      clearTimeout(timer);
      if (!flaws.leavesConnectionsOpen) outgoing.destroy();
      const outcome = status !== null && status >= 200 && status < 300 ? 'delivered' : 'failed';
      const duration = Math.round(performance.now() - startedAt);
      resolve({
        duration,
        outcome,
        phase,
        status,
        reason: status === null ? 'no answer' : `status ${status}`,
      });
    };
    const outgoing = httpsRequest(url, {
      method: 'POST',
      headers: request.headers,
      ca: settings.authority,
      agent: false,
      lookup: settings.lookup,
      rejectUnauthorized: !flaws.trustsEveryAuthority,
      ...(flaws.ignoresNamesInCertificates && { checkServerIdentity: () => undefined }),
    });
    const timer = setTimeout(() => end(null), flaws.hasNoTimeLimit ? 2 ** 30 : settings.maxAttemptMs);
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
      response.on('error', () => end(null));
      if (flaws.followsRedirects && headers.location !== undefined) {
        clearTimeout(timer);
        return resolve(post(new URL(headers.location), request, settings, flaws));
      }
      if (!flaws.waitsForBody) return end(statusCode);
      response.resume();
      response.on('end', () => end(statusCode));
    });
    outgoing.on('error', () => end(null));
    outgoing.end(request.body);
  });
}
