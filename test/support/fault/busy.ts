import { setTimeout as pause } from 'node:timers/promises';
import { httpClient } from '../http/client.js';
import { pageClient } from '../page/client.js';
import { watchSlowness } from '../slowness.js';
import { until } from '../wait.js';
import { audit, type FaultReport } from './audit.js';
import { holdWriteLock, prepareSite, signIn, siteWithReceiver, unfinished } from './service.js';

/** Longer than any request waits for the write lock. */
const HOLD_MS = 7000;
/** The time limit for the refusal of a request that must write. */
const MAX_REFUSAL_MS = 6000;
/** The time limits of other requests. They are shorter than the wait for the lock, even on a slow machine. */
const MAX_QUICK_MS = 1000;
const MAX_QUICK_ON_SLOW_MACHINE_MS = 3500;

interface Timed {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string;
  readonly elapsedMs: number;
}

/**
 * Another process holds the write lock for 7 s, or for longer on a slow machine. Meanwhile the given number of clients write, others read, and one
 * continually checks that the server is alive.
 */
export async function holdTheDatabase({ writers }: { readonly writers: number }): Promise<FaultReport> {
  const site = await prepareSite();
  const client = httpClient(site.port);
  const { organization } = site;
  try {
    await site.register({ email: 'ada@example.test', idpId: 'idp-1' });
    const server = await site.serve();
    const caller = await signIn(site, organization);
    const headers = { Authorization: `Bearer ${caller.token}` };
    const api = `/api/v2/organizations/${organization.id}`;
    const timed = async (method: string, path: string, json?: unknown): Promise<Timed> => {
      const startedAt = performance.now();
      const sent = json === undefined ? { headers } : { headers, json };
      const { status, text, headers: responseHeaders } = await client.send(method, path, sent);
      return {
        status,
        text,
        retryAfter: responseHeaders['retry-after'] ?? '',
        elapsedMs: performance.now() - startedAt,
      };
    };
    const invite = (name: string) =>
      timed('POST', `${api}/invite_user`, { email: `${name}@example.test`, first_name: 'A', last_name: 'L' });
    const formPath = (await caller.invite('page@example.test')).path ?? '';

    const slowness = watchSlowness();
    const alive = watch(() => timed('GET', '/healthz'), 20);
    const lock = holdWriteLock(site.file);
    const heldSince = performance.now();
    const early = Promise.all([
      ...Array.from({ length: writers }, (_, index) => invite(`early-${index}`)),
      timed('POST', `${api}/webhook`, {
        webhook: { url: 'https://example.test/', enabled: false, events: [] },
      }),
    ]);
    const form = acceptTimed(site.url, formPath);
    const reads: Timed[] = [];
    for (let round = 0; round < 10; round += 1) {
      reads.push(
        await timed('POST', '/api/v2/authenticate', { access_key: organization.accessKey }),
        await timed('GET', `${api}/members/idp-1/upcoming_meetings`),
        await timed('GET', `${api}/export_meetings`),
        await timed('GET', '/readyz'),
      );
      await pause(250);
    }
    const [refused, accepted] = await Promise.all([early, form]);
    const late = Promise.all(Array.from({ length: writers }, (_, index) => invite(`late-${index}`)));
    await pause(Math.max(1000, HOLD_MS - (performance.now() - heldSince)));
    await lock.release();
    const waited = await late;
    const afterwards = [await invite('afterwards'), await timed('GET', '/readyz')];
    const alives = await alive.stop();
    const slow = slowness.stop();
    const maxRefusalMs = MAX_REFUSAL_MS + 3 * slow;
    const maxQuickMs = Math.min(MAX_QUICK_MS + 3 * slow, MAX_QUICK_ON_SLOW_MACHINE_MS);
    const { code } = await server.stop();

    const expected = '503 {"error":"Service Unavailable"}';
    const describe = ({ status, text }: Timed) => `${status} ${text}`;
    const longest = (all: readonly Timed[]) => Math.round(Math.max(...all.map(({ elapsedMs }) => elapsedMs)));
    return {
      counts: {
        'refused with 503': refused.length,
        'longest refusal': longest(refused),
        'waited and done': waited.length,
        'reads meanwhile': reads.length,
        'longest read': longest(reads),
        'checks that it is alive': alives.length,
        'longest check': longest(alives),
        'timers were late by, ms': slow,
      },
      problems: [
        ...refused.map(describe).filter((text) => text !== expected),
        ...(refused.every(({ retryAfter }) => /^[1-9]\d*$/.test(retryAfter)) ? [] : ['no Retry-After']),
        ...(longest(refused) <= maxRefusalMs ? [] : [`a refusal took ${longest(refused)} ms`]),
        ...(accepted.status === 503 ? [] : [`a form got the status ${accepted.status}`]),
        ...(accepted.elapsedMs <= maxRefusalMs ? [] : [`a form took ${Math.round(accepted.elapsedMs)} ms`]),
        ...[...reads, ...alives, ...waited, ...afterwards]
          .filter(({ status }) => status !== 200)
          .map((one) => `not 200: ${describe(one)}`),
        ...[...reads, ...alives]
          .filter(({ elapsedMs }) => elapsedMs > maxQuickMs)
          .map(({ elapsedMs }) => `a client that writes nothing waited ${Math.round(elapsedMs)} ms`),
        ...(alives.length > HOLD_MS / 500 ? [] : [`only ${alives.length} checks`]),
        ...(code === 0 ? [] : [`the server ended with ${code}`]),
      ],
    };
  } finally {
    client.close();
    await site.remove();
  }
}

async function acceptTimed(
  url: string,
  path: string,
): Promise<{ readonly status: number; readonly elapsedMs: number }> {
  const visitor = pageClient({ url, origin: url });
  const startedAt = performance.now();
  const { status } = await visitor.fillIn(path, { password: 'long enough' });
  return { status, elapsedMs: performance.now() - startedAt };
}

/** Repeats a request, with a pause in between. */
function watch(request: () => Promise<Timed>, pauseMs: number): { stop(): Promise<readonly Timed[]> } {
  const results: Timed[] = [];
  let isStopped = false;
  const requesting = (async () => {
    while (!isStopped) {
      results.push(await request());
      await pause(pauseMs);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await requesting;
      return results;
    },
  };
}

/**
 * When the receiver responds, another process takes the write lock for longer than any deadline. The known outcome must
 * be written afterwards, without a second request.
 */
export async function holdTheOutcome(): Promise<FaultReport> {
  const locks: ReturnType<typeof holdWriteLock>[] = [];
  const { site, receiver, remove } = await siteWithReceiver((_request, response) => {
    locks.push(holdWriteLock(site.file));
    response.end('ok');
  });
  try {
    const server = await site.serve();
    const email = 'ada@example.test';
    await site.register({ email });
    const isSent = await until(() => locks.length === 1, 5000);
    await pause(HOLD_MS);
    const waiting = unfinished(site.file);
    const startedAt = performance.now();
    for (const lock of locks) lock.release();
    const isWritten = await until(() => unfinished(site.file) === 0, 10_000);
    const elapsedMs = Math.round(performance.now() - startedAt);
    await pause(1500);
    const { code } = await server.stop();
    const registered = new Set([email]);
    const { counts, problems } = await audit(site.file, {
      attempted: registered,
      acknowledged: registered,
      requests: receiver.requests,
    });
    return {
      counts: { 'written after the lock, ms': elapsedMs, ...counts },
      problems: [
        ...(isSent ? [] : ['nothing was sent']),
        ...(waiting === 1 ? [] : ['the outcome was written despite the lock']),
        ...(isWritten ? [] : ['the outcome was never written']),
        ...(receiver.requests.length === 1 ? [] : [`received ${receiver.requests.length} times`]),
        ...(counts['attempts cut off'] === 0 ? [] : ['an attempt counts as cut off']),
        ...(code === 0 ? [] : [`the server ended with ${code}`]),
        ...problems,
      ],
    };
  } finally {
    for (const lock of locks) lock.release();
    await remove();
  }
}
