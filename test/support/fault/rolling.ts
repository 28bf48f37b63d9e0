import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { authenticate, postJson, tokenOf } from '../api.js';
import { endServer, listen } from '../listen.js';
import type { PostgresServer } from '../postgres-server.js';
import { until, within } from '../wait.js';
import type { FaultReport } from './audit.js';
import { type Instance, type PostgresSite, preparePostgresSite } from './postgres.js';

const POLL_INTERVAL_MS = 200;
/** After so many polls without success, an instance gets no requests, as with HAProxy: one slow answer is no failure. */
const FAILED_POLLS = 3;
const REQUEST_TIMEOUT_MS = 20_000;
/**
 * How long the proxy keeps an idle connection. It must be shorter than the 5 s of the service (see `operating.md`), so
 * that no request is sent on a connection that the service is closing.
 */
const IDLE_TIMEOUT_MS = 2_000;

/**
 * A proxy that distributes requests to several instances in turn and keeps its connections to them, like nginx and
 * Caddy. Either it polls `/readyz` and never repeats a request, or it does not poll, and tries the next instance if a
 * connection is refused. A request is never repeated once a part of it has been sent.
 */
async function startRoundRobin({
  ports,
  pollsReadiness,
}: {
  readonly ports: readonly number[];
  /** Whether the proxy polls `/readyz`. */
  readonly pollsReadiness: boolean;
}) {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 16, timeout: IDLE_TIMEOUT_MS });
  const ready = new Set(ports);
  const failures: string[] = [];
  const handed = new Map<number, number>();
  let turn = 0;

  const next = (tried: readonly number[]): number | undefined => {
    const candidates = ports.filter((port) => ready.has(port) && !tried.includes(port));
    turn += 1;
    return candidates[turn % candidates.length];
  };

  const forward = (incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): void => {
    const attempt = (tried: readonly number[]): void => {
      const port = next(tried);
      if (port === undefined) {
        fail(outgoing, `no instance is left after trying ${tried.join()}`);
        return;
      }
      handed.set(port, (handed.get(port) ?? 0) + 1);
      const { method, url: path, headers } = incoming;
      const forwarded = request({
        agent,
        host: '127.0.0.1',
        port,
        method,
        path,
        headers,
        timeout: REQUEST_TIMEOUT_MS,
      });
      forwarded.on('response', (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, endToEnd(answer.headers));
        answer.on('error', () => outgoing.destroy()).pipe(outgoing);
      });
      forwarded.on('timeout', () => forwarded.destroy(new Error('timeout')));
      forwarded.on('error', (error: NodeJS.ErrnoException) => {
        const connection = forwarded.reusedSocket ? 'kept' : 'new';
        // Refused, or reset before it was accepted, as what waits is when a server stops to listen. Nothing was sent.
        if (!pollsReadiness && error.syscall === 'connect') attempt([...tried, port]);
        else fail(outgoing, `${port}: ${error.message} on a ${connection} connection`);
      });
      forwarded.end(body);
    };
    attempt([]);
  };
  const fail = (outgoing: ServerResponse, reason: string): void => {
    failures.push(reason);
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end();
  };

  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray().catch(() => []));
    forward(incoming, outgoing, body);
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const stopped = new AbortController();
  if (pollsReadiness) for (const port of ports) void pollReadiness({ port, ready, signal: stopped.signal });
  return {
    url,
    /** Whether the instance on this port gets requests. */
    isIn: (port: number) => ready.has(port),
    /** The reasons for responses with 502, each with the port. */
    failures: failures as readonly string[],
    /** The number of requests to each port. */
    handed: handed as ReadonlyMap<number, number>,
    async stop(): Promise<void> {
      stopped.abort();
      agent.destroy();
      await endServer(server);
    },
  };
}

/** The headers without those that belong to one connection. */
function endToEnd(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const { connection: _connection, 'keep-alive': _keepAlive, ...others } = headers;
  return others;
}

async function pollReadiness({
  port,
  ready,
  signal,
}: {
  readonly port: number;
  readonly ready: Set<number>;
  readonly signal: AbortSignal;
}): Promise<void> {
  let failed = 0;
  while (!signal.aborted) {
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`, {
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    }).then(
      ({ ok }) => ok,
      () => false,
    );
    failed = isReady ? 0 : failed + 1;
    if (isReady) ready.add(port);
    else if (failed >= FAILED_POLLS) ready.delete(port);
    await pause(POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** The promised time limit for a stop, whatever is under way. */
const MAX_STOP_MS = 20_000;

/**
 * Restarts instances one by one, `rounds` times, while requests arrive through two proxies at a steady rate: one
 * polls `/readyz`, the other tries the next instance when a connection is refused. Every request must get 200.
 */
export async function restartInTurn({
  server,
  instances,
  rounds,
  perSecond,
}: {
  readonly server: PostgresServer;
  readonly instances: number;
  readonly rounds: number;
  /** Requests per second through each proxy. */
  readonly perSecond: number;
}): Promise<FaultReport> {
  const site = await preparePostgresSite({ server });
  const proxies: Awaited<ReturnType<typeof startRoundRobin>>[] = [];
  try {
    const started = await Promise.all(Array.from({ length: instances }, () => site.serve()));
    const ports = started.map(({ port }) => port);
    for (const pollsReadiness of [true, false])
      proxies.push(await startRoundRobin({ ports, pollsReadiness }));
    const traffic = await Promise.all(
      proxies.map(({ url }, index) => startTraffic(site, { url, perSecond, name: `guest-${index + 1}` })),
    );
    await pause(1500);
    const problems: string[] = [];
    const stops: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      for (const [index, instance] of started.entries()) {
        const { elapsedMs, code } = await stopInstance(instance);
        stops.push(elapsedMs);
        if (code !== 0) problems.push(`instance ${index + 1} ended with ${code}`);
        started[index] = await site.serve({ port: instance.port });
        if (!(await until(() => proxies.every(({ isIn }) => isIn(instance.port)), 60_000)))
          problems.push(`${instance.port} never came back`);
        await pause(300);
      }
    }
    const ended = await Promise.all(traffic.map(({ stop }) => stop()));
    const statuses = ended.flatMap((one) => one.statuses);
    const acknowledged = ended.flatMap((one) => one.acknowledged);
    const stored = await site.rows<{ email: string }>('SELECT email FROM invitations');
    const emails = new Set(stored.map(({ email }) => email));
    const lost = acknowledged.filter((email) => !emails.has(email));
    return {
      counts: {
        restarts: stops.length,
        'longest stop, ms': Math.max(...stops),
        requests: statuses.length,
        'status 200': statuses.filter((status) => status === '200').length,
        'handed to each': proxies.map(({ handed }) => [...handed.values()].join(' ')).join(', '),
        invited: acknowledged.length,
      },
      problems: [
        ...problems,
        ...statuses.filter((status) => status !== '200').map((status) => `a request: ${status}`),
        ...proxies.flatMap(({ failures }) => failures.map((failure) => `a proxy: ${failure}`)),
        ...lost.map((email) => `acknowledged and lost: ${email}`),
        ...ended
          .filter((one) => one.statuses.length <= stops.length * perSecond)
          .map((one) => `only ${one.statuses.length} requests through a proxy`),
      ],
    };
  } finally {
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    await site.remove();
  }
}

async function stopInstance({ process }: Instance) {
  const startedAt = performance.now();
  process.child.kill('SIGTERM');
  const ended = await within(process.ended, MAX_STOP_MS);
  return {
    elapsedMs: Math.round(performance.now() - startedAt),
    code: ended === 'too late' ? ended : (ended.code ?? ended.signal),
  };
}

/** For so long the service works on a request: after that, 503 says that the machine is busy, and a client tries again. */
const GIVEN_UP_MS = 5_000;

/** Sends reads and writes in turn, at a steady rate that does not depend on the responses. */
async function startTraffic(
  { organization: { id, accessKey } }: PostgresSite,
  { url, perSecond, name }: { readonly url: string; readonly perSecond: number; readonly name: string },
) {
  const own = `${url}/api/v2/organizations/${id}`;
  const token = await tokenOf(url, accessKey);
  const get = (path: string) => fetch(`${own}${path}`, { headers: { Authorization: `Bearer ${token}` } });

  const statuses: string[] = [];
  const acknowledged: string[] = [];
  const invite = async (number: number): Promise<Response> => {
    const email = `${name}-${number}@example.test`;
    const person = { email, first_name: 'Ada', last_name: 'Lovelace' };
    const invited = await postJson(`${own}/invite_user`, person, token);
    if (invited.ok) acknowledged.push(email);
    return invited;
  };
  const kinds: readonly ((number: number) => Promise<Response>)[] = [
    invite,
    () => authenticate(url, accessKey),
    () => get('/webhook'),
    () => get('/export_meetings'),
  ];
  const attempt = async (
    number: number,
  ): Promise<{ readonly response: Response | undefined; readonly isGivenUp: boolean }> => {
    const sentAt = performance.now();
    const response = await kinds[number % kinds.length]?.(number);
    return { response, isGivenUp: response?.status === 503 && performance.now() - sentAt >= GIVEN_UP_MS };
  };
  const one = async (number: number): Promise<void> => {
    try {
      const first = await attempt(number);
      const { response } = first.isGivenUp ? await attempt(number) : first;
      const text = await response?.text();
      statuses.push(response?.ok ? '200' : `${response?.status} ${text}`);
    } catch (error) {
      statuses.push(String(error));
    }
  };

  const underWay = new Set<Promise<void>>();
  let number = 0;
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * perSecond;
    for (; number < due; number += 1) {
      const request = one(number).finally(() => underWay.delete(request));
      underWay.add(request);
    }
  }, 10);
  return {
    /** Waits for the requests under way. Returns the status or error of each request, and the acknowledged invitations. */
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
      return { statuses, acknowledged };
    },
  };
}
