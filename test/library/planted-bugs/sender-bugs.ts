import net from 'node:net';
import tls from 'node:tls';
import type { AttemptResponse, WebhookSender } from '@rollcall/core';
import {
  type ContractTest,
  type LookupSenderSettings,
  type SenderSettings,
  webhookSenderLookupSuite,
  webhookSenderSuite,
} from '@rollcall/core/testing';
import { systemClock } from '#adapters/node/system/clock.js';
import { slowness } from '../../support/slowness.js';
import { type Flaws, looseSender } from './loose-sender.js';
import type { PlantedBug } from './planted-bug.js';

/** Far more than an attempt takes, also beside the other test files. */
const maxAttemptMs = 3_000 * Math.round(slowness());
const options = { net, tls, clock: systemClock, maxAttemptMs };

type Change = (right: WebhookSender, settings: SenderSettings) => Partial<WebhookSender>;

/** Both suites for a sender that is changed. */
export function senderSuites(flaws: Flaws = {}, change: Change = () => ({})): readonly ContractTest[] {
  const start = async (settings: SenderSettings & Partial<LookupSenderSettings>) => {
    const right = looseSender({ ...settings, maxAttemptMs }, flaws);
    return { ...right, ...change(right, settings) };
  };
  return [...webhookSenderSuite({ ...options, start }), ...webhookSenderLookupSuite({ ...options, start })];
}

/** `at` is part of the name of the test that must notice the bug. The others are not run, to save time. */
function senderBug(bug: string, at: string, broken: Flaws | Change): PlantedBug {
  const suite = typeof broken === 'function' ? senderSuites({}, broken) : senderSuites(broken);
  return { bug: `WebhookSender: ${bug}`, suite: suite.filter(({ name }) => name.includes(at)) };
}

/** The sender as it is started where 127.0.0.1 is allowed. */
const allowing = (settings: SenderSettings, ...addresses: readonly string[]) =>
  looseSender({ ...settings, allowedAddresses: addresses, maxAttemptMs });

/** A sender that records another response than the one that came. */
function responseBug(bug: string, at: string, change: (right: AttemptResponse) => Partial<AttemptResponse>) {
  return senderBug(bug, at, ({ send }) => ({
    async send(request) {
      const result = await send(request);
      const { response } = result;
      return { ...result, response: response === null ? null : { ...response, ...change(response) } };
    },
  }));
}

const responseBugs: readonly PlantedBug[] = [
  responseBug(
    'names of headers are in lower case',
    'headers and the body of the response',
    ({ headers }) => ({
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
    }),
  ),
  responseBug('only the last of repeated headers is kept', 'headers and the body', ({ headers }) => ({
    headers: { ...headers, 'Set-Cookie': 'b=2' },
  })),
  responseBug('spaces around a body are left out', 'headers and the body', ({ body }) => ({
    body: body.trim(),
  })),
  responseBug('the body of a response without one is unknown', 'without a body', () => ({ body: 'none' })),
  responseBug('bytes that are not UTF-8 are read as Latin-1', 'are not UTF-8', ({ body }) => ({
    body: body.replaceAll('\ufffd', '\u00ff'),
  })),
  responseBug('a body is cut too early', '8 KiB of a body', ({ body }) => ({ body: body.slice(0, 8_191) })),
  responseBug('a long body is not marked as truncated', '8 KiB of a body', () => ({ isTruncated: false })),
  responseBug('a body of exactly 8 KiB is marked as truncated', '8 KiB of a body', ({ body }) => ({
    isTruncated: body.length === 8_192,
  })),
  responseBug('half a character stays at the end', 'that the limit cuts', ({ body }) => ({
    body: `${body}\ufffd`,
  })),
  responseBug('a body that breaks off counts as whole', 'breaks off', () => ({ isTruncated: false })),
];

export const senderBugs: readonly PlantedBug[] = [
  senderBug('redirects are followed', 'redirects are not followed', { followsRedirects: true }),
  senderBug('a redirect counts as delivered', 'only a 2xx', ({ send }) => ({
    async send(request) {
      const result = await send(request);
      return result.status !== null && result.status < 400 ? { ...result, outcome: 'delivered' } : result;
    },
  })),
  senderBug('a server error is answered with another request', 'only a 2xx', ({ send }) => ({
    async send(request) {
      const result = await send(request);
      return (result.status ?? 0) >= 500 ? send(request) : result;
    },
  })),
  senderBug('an interim response counts as the answer', 'interim responses', { takesInterimResponses: true }),
  senderBug('every certificate is trusted', 'valid certificate', { trustsEveryAuthority: true }),
  senderBug('a certificate may be for another name', 'valid certificate', {
    ignoresNamesInCertificates: true,
  }),
  senderBug('there is no time limit', 'however the receiver stalls', { hasNoTimeLimit: true }),
  senderBug('the time limit starts again with each byte', 'however the receiver stalls', {
    limitsOnlySilence: true,
  }),
  senderBug('a connection stays open after the time limit', 'however the receiver stalls', {
    leavesConnectionsOpen: true,
  }),
  senderBug('an answer counts only with its whole body', 'even if its body', { waitsForBody: true }),
  senderBug(
    'loopback addresses are recognised by their usual spelling only',
    'however it is written',
    (right, settings) => ({
      send(request) {
        const isRefused = /^https:\/\/(127\.0\.0\.1[:/]|\[::1\])/.test(request.url);
        return (isRefused ? right : allowing(settings, '127.0.0.1')).send(request);
      },
    }),
  ),
  senderBug(
    'IPv4 addresses that are written as IPv6 are not checked',
    'however it is written',
    (right, settings) => ({
      send(request) {
        const isMapped = /\[::ffff:/i.test(request.url);
        return (isMapped ? allowing(settings, '::ffff:7f00:1') : right).send(request);
      },
    }),
  ),
  senderBug('names are not checked', 'a name that resolves', (_right, settings) =>
    allowing(settings, '127.0.0.1', '::1'),
  ),
  senderBug('an allowed address opens its neighbours', 'those beside it', (_right, settings) =>
    allowing(settings, '127.0.0.1', '127.0.0.2'),
  ),
  senderBug('an http URL is sent to over https', 'not an https URL', ({ send }) => ({
    send: (request) => send({ ...request, url: request.url.replace('http:', 'https:') }),
  })),
  senderBug('credentials in a URL are dropped', 'not an https URL', ({ send }) => ({
    send: (request) => send({ ...request, url: request.url.replace(/\/\/[^/]*@/, '//') }),
  })),
  senderBug('an unreachable receiver is an error', 'without TLS', ({ send }) => ({
    async send(request) {
      const result = await send(request);
      if (result.phase === 'connect') throw new Error('connect ECONNREFUSED');
      return result;
    },
  })),
  senderBug('the reason contains the address', 'without TLS', ({ send }) => ({
    async send(request) {
      return { ...(await send(request)), reason: `no answer from ${new URL(request.url).host}` };
    },
  })),
  senderBug('the phase is always the last one', 'without TLS', ({ send }) => ({
    send: async (request) => ({ ...(await send(request)), phase: 'answer' }),
  })),
  senderBug('the duration is in seconds', 'milliseconds', ({ send }) => ({
    async send(request) {
      const result = await send(request);
      return { ...result, duration: Math.round((result.duration ?? 0) / 1000) };
    },
  })),
  senderBug('the body is written anew as JSON', 'exactly the bytes', ({ send }) => ({
    send: (request) => send({ ...request, body: JSON.stringify(JSON.parse(request.body)) }),
  })),
  senderBug('characters beyond Latin-1 are lost', 'exactly the bytes', ({ send }) => ({
    send: (request) => send({ ...request, body: request.body.replace(/[\u0100-\u{10ffff}]/gu, '?') }),
  })),
  senderBug('a header is left out', 'exactly the bytes', ({ send }) => ({
    send({ headers: { 'X-Service-Signature': _, ...headers }, ...request }) {
      return send({ ...request, headers });
    },
  })),
  senderBug('the headers that the sender adds are not recorded', 'exactly the headers', ({ send }) => ({
    async send(request) {
      return { ...(await send(request)), request: { url: request.url, headers: request.headers } };
    },
  })),
  senderBug('a failed connection has no request', 'without a connection', ({ send }) => ({
    async send(request) {
      const result = await send(request);
      const { url } = request;
      return result.phase === 'connect' ? { ...result, request: { url, headers: {} } } : result;
    },
  })),
  ...responseBugs,
  senderBug('attempts wait for each other', 'do not wait', ({ send }) => {
    let last: Promise<unknown> = Promise.resolve();
    return {
      send(request) {
        const result = last.then(() => send(request));
        last = result;
        return result;
      },
    };
  }),
  senderBug('only the first address of a name is checked', 'one of its addresses', {
    checksFirstAddressOnly: true,
  }),
  senderBug('a name is looked up again to connect', 'those that were checked are used', {
    looksUpTwice: true,
  }),
];
