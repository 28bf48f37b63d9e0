import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresServer } from '../postgres-server.js';
import { startTcpProxy } from '../tcp-proxy.js';
import { until } from '../wait.js';
import type { FaultReport } from './audit.js';
import { type SentRequest, startTraffic } from './outage-traffic.js';
import {
  ageAbandonedClaims,
  type Instance,
  type PostgresSite,
  preparePostgresSite,
  untilFinal,
} from './postgres.js';
import { linesOf, type Running, registrations } from './process.js';

/** The time limit for refusing a request that cannot be served. */
const MAX_REFUSAL_MS = 6000;

/**
 * How long a request may take on this machine at the moment. The promise limits the wait for the database. The other
 * cost of a request is measured with requests that do not wait: `/healthz` at the same time, and all requests before
 * the outage. It counts three times: before a request waits, after it, and for the others that are refused in that moment.
 */
function maxRequestMs(sent: readonly SentRequest[], outageStartedAt: number): number {
  const withoutWaiting = sent.filter(
    ({ kind, at, tookMs }) => kind === 'liveness' || at + tookMs < outageStartedAt,
  );
  return Math.round(MAX_REFUSAL_MS + 3 * maxMsOf(withoutWaiting));
}

function maxMsOf(sent: readonly SentRequest[]): number {
  return Math.round(Math.max(0, ...sent.map(({ tookMs }) => tookMs)));
}

/** Requests must be refused in time and as JSON, and there must be no other errors. */
function answerProblems(sent: readonly SentRequest[], maxMs: number): readonly string[] {
  return [
    ...sent
      .filter(({ status }) => status !== 200 && status !== 503)
      .map(({ kind, status, text }) => `${kind}: ${status} ${text}`),
    ...sent
      .filter(({ tookMs }) => tookMs > maxMs)
      .map(({ kind, tookMs, status }) => `${kind}: ${status} after ${Math.round(tookMs)} ms`),
    ...sent
      .filter(({ status, text }) => status === 503 && !/^{"error":"Service Unavailable[^"]*"[,}]/.test(text))
      .map(({ kind, text }) => `${kind}: 503 ${text}`),
    ...sent
      .filter(({ status, retryAfter }) => status === 503 && !/^[1-9]\d*$/.test(retryAfter))
      .map(({ kind }) => `${kind}: 503 without Retry-After`),
  ];
}

/** Acknowledged invitations that are not in the database. */
async function lostInvitations(
  site: PostgresSite,
  acknowledged: readonly string[],
): Promise<readonly string[]> {
  const rows = await site.rows<{ email: string }>('SELECT email FROM invitations');
  const stored = new Set(rows.map(({ email }) => email));
  return acknowledged.filter((email) => !stored.has(email)).map((email) => `invited and lost: ${email}`);
}

/** Messages that the log repeats for each request, delivery or start. */
const REPEATED_MESSAGES = new Set(['request', 'Delivered', 'Starting', 'Migrations applied', 'Listening']);
const LOST_DATABASE = 'The database is away: deliveries wait';
const FOUND_DATABASE = 'The database is back: deliveries go on';

/**
 * The log may have one line when an outage starts and one when it ends, but no stack trace, unexpected error or
 * repetition.
 */
function logProblems({ stdout, stderr }: Running, outages: number): readonly string[] {
  const lines = linesOf(stdout()).filter((line) => line.startsWith('{'));
  const messages = new Map<string, number>();
  for (const line of lines) {
    const { msg } = JSON.parse(line) as { readonly msg: string };
    messages.set(msg, (messages.get(msg) ?? 0) + 1);
  }
  const repeated = [...messages].filter(([msg, times]) => !REPEATED_MESSAGES.has(msg) && times > outages + 1);
  return [
    ...[LOST_DATABASE, FOUND_DATABASE]
      .filter((msg) => (messages.get(msg) ?? 0) > outages)
      .map((msg) => `${messages.get(msg)} times in the log: ${msg}`),
    ...repeated.map(([msg, times]) => `${times} times in the log: ${msg}`),
    ...lines.filter((line) => /"level":(50|60)|\\n\s+at /.test(line)).map((line) => `in the log: ${line}`),
    ...(stderr() === '' ? [] : [`on standard error: ${stderr()}`]),
  ];
}

const ORGANIZATIONS = 4;
/** The time limit until every delivery has an outcome. */
const MAX_END_MS = 75_000;
const MEMBER = { email: 'member@example.test', idpId: 'idp-1' };

/** How the database fails: its server stops like in a crash, or the network between it and an instance freezes. */
export type OutageKind = 'crash' | 'hang';

export interface Outage {
  readonly kind: OutageKind;
  readonly ms: number;
}

/**
 * Lets the database fail under load, once for each outage. One instance reaches it directly, the other through a proxy,
 * which is what hangs. `waits` decides whether to wait until abandoned claims are stale, or to make them older.
 */
export async function failTheDatabase({
  server,
  outages,
  waits,
}: {
  readonly server: PostgresServer;
  readonly outages: readonly Outage[];
  readonly waits: boolean;
}): Promise<FaultReport> {
  const site = await prepareSlowSite(server);
  const proxy = await startTcpProxy(server.port);
  try {
    const through = new URL(site.databaseUrl);
    through.port = String(proxy.port);
    const instances = await Promise.all(
      [site.databaseUrl, through.href].map((DATABASE_URL, index) =>
        site.serve({
          env: { DATABASE_URL },
          registering: { prefix: `instance-${index + 1}`, people: 1_000_000, atOnce: 2, pauseMs: 150 },
        }),
      ),
    );
    const kinds: Record<OutageKind, Kind> = {
      crash: { begin: () => server.stop('immediate'), end: () => server.start(), hit: instances },
      hang: { begin: async () => proxy.freeze(), end: async () => proxy.thaw(), hit: instances.slice(1) },
    };
    const steps = outages.map(({ kind, ms }) => ({ ...kinds[kind], ms }));
    return await withOutages(site, { instances, outages: steps, waits });
  } finally {
    await site.remove();
    await proxy.stop();
  }
}

interface Kind {
  begin(): Promise<void>;
  end(): Promise<void>;
  /** The instances that notice it. */
  readonly hit: readonly Instance[];
}

/** Locks a table that most requests write to, so that every connection of an instance soon waits for the lock. */
export async function fillThePool({
  server,
  heldMs,
}: {
  readonly server: PostgresServer;
  readonly heldMs: number;
}): Promise<FaultReport> {
  const site = await preparePostgresSite({ server });
  const client = new pg.Client({ connectionString: site.databaseUrl });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await site.register(MEMBER);
    const instance = await site.serve();
    const traffic = await startTraffic(site, { instances: [instance], inviting: 40 });
    await pause(1000);
    await client.query('BEGIN; LOCK TABLE invitations IN ACCESS EXCLUSIVE MODE');
    const startedAt = performance.now();
    await pause(heldMs);
    // A busy machine takes longer to send as many requests as there are connections.
    const isFull = await until(
      () => traffic.refused(startedAt).some(({ kind }) => kind !== 'invite'),
      30_000,
    );
    await client.query('ROLLBACK');
    const releasedAt = performance.now();
    const healed = await traffic.healed(releasedAt);
    const { sent, acknowledged } = await traffic.stop();
    const maxMs = maxRequestMs(sent, startedAt);
    const ended = endedProblems([instance]);
    return {
      counts: {
        requests: sent.length,
        'refused with 503': traffic.refused(startedAt).length,
        'longest request, ms': maxMsOf(sent),
        'healed after, ms': healed ?? 'never',
        'allowed on this machine, ms': maxMs,
      },
      problems: [
        ...answerProblems(sent, maxMs),
        ...(isFull ? [] : ['the pool was never full']),
        ...(healed === null ? ['it did not work again in time'] : []),
        ...(await lostInvitations(site, acknowledged)),
        ...logProblems(instance.process, 1),
        ...ended,
      ],
    };
  } finally {
    await client.end().catch(() => undefined);
    await site.remove();
  }
}

/** The instances that have ended, as they do after an uncaught error. */
function endedProblems(instances: readonly Instance[]): readonly string[] {
  return instances
    .filter(({ process: { child } }) => child.exitCode !== null || child.signalCode !== null)
    .map(({ process: { child } }) => `an instance ended with ${child.exitCode ?? child.signalCode}`);
}

interface SlowSite extends PostgresSite {
  /** The number of requests to which the receiver has not responded yet. */
  underWay(): number;
}

/** A site whose receiver is so slow that some requests are always under way. */
async function prepareSlowSite(server: PostgresServer): Promise<SlowSite> {
  let underWay = 0;
  const site = await preparePostgresSite({
    server,
    organizations: ORGANIZATIONS,
    answer(_request, response) {
      underWay += 1;
      setTimeout(
        () => {
          underWay -= 1;
          response.end('ok');
        },
        300 + Math.random() * 400,
      );
    },
  });
  return { ...site, underWay: () => underWay };
}

async function withOutages(
  site: SlowSite,
  {
    instances,
    outages,
    waits,
  }: {
    readonly instances: readonly Instance[];
    readonly outages: readonly (Kind & { readonly ms: number })[];
    readonly waits: boolean;
  },
): Promise<FaultReport> {
  await site.register(MEMBER);
  const traffic = await startTraffic(site, { instances, inviting: 2 });
  const problems: string[] = [];
  const healings: number[] = [];
  let underWayAtStart = 0;
  let firstOutage = Number.POSITIVE_INFINITY;
  for (const { begin, end, hit, ms } of outages) {
    await pause(1000);
    await until(() => site.underWay() > 0, 10_000);
    // Counted before: stopping the server takes longer than a delivery on a busy machine.
    underWayAtStart += site.underWay();
    await begin();
    const startedAt = performance.now();
    firstOutage = Math.min(firstOutage, startedAt);
    await pause(ms);
    const endedAt = performance.now();
    await end();
    const healed = await traffic.healed(performance.now());
    if (healed === null) problems.push('not everything worked again in time');
    else healings.push(healed);
    problems.push(...traffic.readinessProblems(hit, { startedAt, ended: endedAt }));
  }
  const { sent, acknowledged } = await traffic.stop();
  const maxMs = maxRequestMs(sent, firstOutage);
  for (const { process } of instances) process.child.kill('SIGUSR2');
  if (!waits) await ageAbandonedClaims(site);
  const final = await untilFinal(site, MAX_END_MS);
  const ended = endedProblems(instances);
  const people = registrations(instances.map(({ process }) => process));
  const report = await site.audit({
    attempted: new Set([...people.attempted, MEMBER.email]),
    acknowledged: new Set([...people.acknowledged, MEMBER.email]),
  });
  return {
    counts: {
      outages: outages.length,
      requests: sent.length,
      'refused with 503': sent.filter(({ status }) => status === 503).length,
      'longest request, ms': maxMsOf(sent),
      'longest healing, ms': healings.length === 0 ? 'never' : Math.max(...healings),
      'deliveries under way when it failed': underWayAtStart,
      ...report.counts,
      'allowed on this machine, ms': maxMs,
    },
    problems: [
      ...problems,
      ...answerProblems(sent, maxMs),
      ...(await lostInvitations(site, acknowledged)),
      ...report.problems,
      ...(final === null ? [`${await site.unfinished()} deliveries have no outcome`] : []),
      ...(underWayAtStart > 0 ? [] : ['no delivery was under way']),
      ...(report.counts['received again'] === 0 ? [] : ['a request was repeated']),
      ...instances.flatMap(({ process }) => logProblems(process, outages.length)),
      ...ended,
    ],
  };
}
