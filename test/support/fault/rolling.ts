import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresServer } from '../postgres-server.js';
import { type RoundRobin, startRoundRobin } from '../round-robin.js';
import type { FaultReport } from './audit.js';
import { type Instance, type PostgresSite, preparePostgresSite } from './postgres.js';
import { within } from './process.js';
import { until } from './service.js';

const INSTANCES = 3;
/** The promised time limit for a stop, whatever is under way. */
const MAX_STOP_MS = 20_000;

/**
 * Restarts three instances one by one, `rounds` times, while requests arrive through a proxy at a steady rate. Every
 * request must get 200.
 */
export async function restartInTurn({
  server,
  rounds,
  perSecond,
  pollsReadiness,
}: {
  readonly server: PostgresServer;
  readonly rounds: number;
  /** Requests per second. */
  readonly perSecond: number;
  /** Whether the proxy polls `/readyz`, or only tries the next instance when a connection is refused. */
  readonly pollsReadiness: boolean;
}): Promise<FaultReport> {
  const site = await preparePostgresSite({ server });
  let proxy: RoundRobin | null = null;
  try {
    const started = await Promise.all(Array.from({ length: INSTANCES }, () => site.serve()));
    proxy = await startRoundRobin({ ports: started.map(({ port }) => port), pollsReadiness });
    const traffic = await startTraffic(site, { url: proxy.url, perSecond });
    await pause(1500);
    const problems: string[] = [];
    const stops: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      for (const [index, instance] of started.entries()) {
        const { elapsedMs, code } = await stopInstance(instance);
        stops.push(elapsedMs);
        if (code !== 0) problems.push(`instance ${index + 1} ended with ${code}`);
        started[index] = await site.serve({ port: instance.port });
        const { isIn } = proxy;
        if (!(await until(() => isIn(instance.port), 5000)))
          problems.push(`${instance.port} never came back`);
        await pause(300);
      }
    }
    const { statuses, acknowledged } = await traffic.stop();
    const stored = await site.rows<{ email: string }>('SELECT email FROM invitations');
    const emails = new Set(stored.map(({ email }) => email));
    const lost = acknowledged.filter((email) => !emails.has(email));
    return {
      counts: {
        restarts: stops.length,
        'longest stop, ms': Math.max(...stops),
        requests: statuses.length,
        'status 200': statuses.filter((status) => status === '200').length,
        'handed to each': [...proxy.handed.values()].join(' '),
        invited: acknowledged.length,
      },
      problems: [
        ...problems,
        ...statuses.filter((status) => status !== '200').map((status) => `a request: ${status}`),
        ...proxy.failures.map((failure) => `the proxy: ${failure}`),
        ...lost.map((email) => `acknowledged and lost: ${email}`),
        ...(statuses.length > stops.length * perSecond ? [] : [`only ${statuses.length} requests`]),
      ],
    };
  } finally {
    await proxy?.stop();
    await site.remove();
  }
}

async function stopInstance({
  process,
}: Instance): Promise<{ readonly elapsedMs: number; readonly code: number | string | null }> {
  const startedAt = performance.now();
  process.child.kill('SIGTERM');
  const ended = await within(process.ended, MAX_STOP_MS);
  return {
    elapsedMs: Math.round(performance.now() - startedAt),
    code: ended === 'too late' ? ended : (ended.code ?? ended.signal),
  };
}

interface Traffic {
  /**
   * Waits for the requests under way. Returns the status or error of each request, and the acknowledged invitations.
   */
  stop(): Promise<{ readonly statuses: readonly string[]; readonly acknowledged: readonly string[] }>;
}

/** Sends reads and writes in turn, at a steady rate that does not depend on the responses. */
async function startTraffic(
  { organizations }: PostgresSite,
  { url, perSecond }: { readonly url: string; readonly perSecond: number },
): Promise<Traffic> {
  const [organization] = organizations;
  if (organization === undefined) throw new Error('the site has no organization');
  const { id, accessKey } = organization;
  const send = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    fetch(`${url}/api/v2${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const response = await send('POST', '/authenticate', {}, { access_key: accessKey });
  const { token } = (await response.json()) as { readonly token: string };
  const headers = { Authorization: `Bearer ${token}` };

  const statuses: string[] = [];
  const acknowledged: string[] = [];
  const invite = async (number: number): Promise<Response> => {
    const email = `guest-${number}@example.test`;
    const person = { email, first_name: 'Ada', last_name: 'Lovelace' };
    const invited = await send('POST', `/organizations/${id}/invite_user`, headers, person);
    if (invited.ok) acknowledged.push(email);
    return invited;
  };
  const kinds: readonly ((number: number) => Promise<Response>)[] = [
    invite,
    () => send('POST', '/authenticate', {}, { access_key: accessKey }),
    () => send('GET', `/organizations/${id}/webhook`, headers),
    () => send('GET', `/organizations/${id}/export_meetings`, headers),
  ];
  const one = async (number: number): Promise<void> => {
    try {
      const response = await kinds[number % kinds.length]?.(number);
      await response?.arrayBuffer();
      statuses.push(String(response?.status));
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
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
      return { statuses, acknowledged };
    },
  };
}
