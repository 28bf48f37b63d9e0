import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { Attempt } from '@rollcall/core';
import type { Registry } from 'prom-client';

const requireHere = createRequire(import.meta.url);

/** Loaded with the first metric, because commands of the command line have no metrics. */
function promClient(): typeof import('prom-client') {
  return requireHere('prom-client');
}

/** The metrics for Prometheus. No label identifies an organization or a person, and each label has few values. */
export interface Metrics {
  observeRequest(request: MeasuredRequest): void;
  observeDelivery(delivery: MeasuredDelivery): void;
  /** Answers `GET /metrics` and nothing else. */
  readonly handler: RequestListener;
}

export interface MeasuredRequest {
  readonly method: string;
  /** The pattern of the path, or null if none matches. */
  readonly route: string | null;
  readonly status: number;
  readonly seconds: number;
  readonly streamedBytes: number;
}

export interface MeasuredDelivery {
  readonly state: 'delivered' | 'failed' | 'skipped';
  readonly attempt: Pick<Attempt, 'duration'> | null;
}

/** The state of the outbox when metrics are read. */
export interface MeasuredBacklog {
  readonly pending: number;
  readonly sending: number;
  readonly held: number;
  readonly oldestPending: Date | null;
}

export interface MeasuredPool {
  readonly role: string;
  readonly used: number;
  readonly free: number;
  readonly waiting: number;
}

/** The numbers of stored records that one secret key is needed for. */
export interface MeasuredKey {
  readonly keyId: string;
  readonly role: string;
  readonly stored: Readonly<Record<string, number>>;
  /** When the last token of this key expires; null: not known. */
  readonly tokensUntil: Date | null;
}

export interface PrometheusOptions {
  /** The version of Rollcall. */
  readonly version: string;
  /** Rejects, or never resolves, while the database cannot be reached. */
  readonly backlog: () => Promise<MeasuredBacklog>;
  readonly pools: () => readonly MeasuredPool[];
  /** May reject, as `backlog` may. */
  readonly secretKeys?: () => Promise<readonly MeasuredKey[]>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How far this machine's clock is ahead of the database's; null: not known, or there is no clock to compare with. */
  readonly clockAheadMs?: () => number | null;
}

/** The maximum time for which a request for metrics waits for the database. */
const DATABASE_DEADLINE_MS = 2_000;
/** The minimum time for which an answer of the database is used again. */
const MIN_FRESH_MS = 5_000;
/** A slow query (because of an old snapshot, for example) takes at most a twentieth of the time. */
const FRESH_SHARE = 20;

const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
]);

export function prometheusMetrics({
  version,
  backlog,
  pools,
  secretKeys = async () => [],
  now,
  clockAheadMs = () => null,
}: PrometheusOptions): Metrics {
  const { collectDefaultMetrics, Gauge, Registry } = promClient();
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'rollcall_' });
  new Gauge({
    name: 'rollcall_build_info',
    help: 'Always 1; the label is the version that runs.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);

  const { observeRequest } = requestMetrics(registers);
  const { observeDelivery } = deliveryMetrics(registers);
  const measureDatabase = databaseMetrics(registers, { backlog, now });
  const measureKeys = keyMetrics(registers, secretKeys);
  poolMetrics(registers, pools);
  clockMetrics(registers, clockAheadMs);

  return {
    observeRequest,
    observeDelivery,
    handler: answerWith(registry.contentType, async () => {
      await Promise.all([measureDatabase(), measureKeys()]);
      return registry.metrics();
    }),
  };
}

function requestMetrics(registers: Registry[]): Pick<Metrics, 'observeRequest'> {
  const { Counter, Histogram } = promClient();
  const requests = new Counter({
    name: 'rollcall_http_requests_total',
    help: 'Requests that have ended, by the pattern of their path.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'rollcall_http_request_duration_seconds',
    help: 'From the head of a request to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers,
  });
  const exported = new Counter({
    name: 'rollcall_export_bytes_total',
    help: 'Bytes of exports that were sent, before any compression by a proxy.',
    registers,
  });
  return {
    observeRequest({ method: requestMethod, route: pattern, status, seconds, streamedBytes }) {
      const method = METHODS.has(requestMethod) ? requestMethod : 'other';
      const route = pattern ?? 'unknown';
      requests.labels(method, route, String(status)).inc();
      durations.labels(method, route).observe(seconds);
      if (streamedBytes > 0) exported.inc(streamedBytes);
    },
  };
}

function deliveryMetrics(registers: Registry[]): Pick<Metrics, 'observeDelivery'> {
  const { Counter, Histogram } = promClient();
  const deliveries = new Counter({
    name: 'rollcall_deliveries_total',
    help: 'Webhook deliveries that have ended, by how.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ['delivered', 'failed', 'skipped']) deliveries.inc({ outcome }, 0);
  const durations = new Histogram({
    name: 'rollcall_delivery_duration_seconds',
    help: 'From the start of a sending to its outcome.',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 16],
    registers,
  });
  return {
    observeDelivery({ state, attempt }) {
      deliveries.inc({ outcome: state });
      if (attempt !== null && attempt.duration !== null) durations.observe(attempt.duration / 1000);
    },
  };
}

/** Queries the database when metrics are read: one query at a time, and none while the last result is fresh. */
function databaseMetrics(
  registers: Registry[],
  { backlog, now }: Pick<PrometheusOptions, 'backlog' | 'now'>,
): () => Promise<void> {
  const { Gauge } = promClient();
  const up = new Gauge({
    name: 'rollcall_database_up',
    help: 'Whether the database answers within 2 s: 1 or 0.',
    registers,
  });
  const deliveries = new Gauge({
    name: 'rollcall_outbox_deliveries',
    help: 'Deliveries that have not ended, in the whole database; of pending and of held ones 100000 are counted.',
    labelNames: ['state'],
    registers,
  });
  const age = new Gauge({
    name: 'rollcall_outbox_oldest_pending_age_seconds',
    help: 'Since the oldest event that waits to be sent; 0 where none waits.',
    registers,
  });
  let running: Promise<MeasuredBacklog | null> | null = null;
  let last = { at: Number.NEGATIVE_INFINITY, durationMs: 0, found: null as MeasuredBacklog | null };

  async function query(): Promise<MeasuredBacklog | null> {
    const start = performance.now();
    const found = await backlog().catch(() => null);
    const at = performance.now();
    last = { at, durationMs: found === null ? 0 : at - start, found };
    running = null;
    return found;
  }

  return async () => {
    const freshMs = Math.max(MIN_FRESH_MS, FRESH_SHARE * last.durationMs);
    const isFresh = running === null && performance.now() - last.at < freshMs;
    if (!isFresh) running ??= query();
    const found = isFresh ? last.found : await within(DATABASE_DEADLINE_MS, running);
    up.set(found === null ? 0 : 1);
    deliveries.reset();
    age.remove();
    if (found === null) return;
    deliveries.set({ state: 'pending' }, found.pending);
    deliveries.set({ state: 'sending' }, found.sending);
    deliveries.set({ state: 'held' }, found.held);
    const { oldestPending } = found;
    age.set(oldestPending === null ? 0 : Math.max(0, now() - oldestPending.getTime()) / 1000);
  };
}

/** The minimum time between two counts of the data that needs each key, because a count reads all stored data. */
const KEYS_FRESH_MS = 5 * 60_000;

/** The numbers of records that still need each secret key; absent until the first count. */
function keyMetrics(
  registers: Registry[],
  secretKeys: () => Promise<readonly MeasuredKey[]>,
): () => Promise<void> {
  const { Gauge } = promClient();
  const needed = new Gauge({
    name: 'rollcall_secret_key_needed',
    help: 'What is stored under a secret key, by its id; counted every 5 minutes.',
    labelNames: ['key', 'role', 'kind'],
    registers,
  });
  const until = new Gauge({
    name: 'rollcall_secret_key_tokens_until_timestamp_seconds',
    help: 'When tokens made with a previous key are over: until then it must stay configured.',
    labelNames: ['key'],
    registers,
  });
  let countedAt = Number.NEGATIVE_INFINITY;
  let counting: Promise<void> | null = null;

  async function count(): Promise<void> {
    try {
      const keys = await secretKeys();
      countedAt = performance.now();
      needed.reset();
      until.reset();
      for (const { keyId, role, stored, tokensUntil } of keys) {
        for (const [kind, number] of Object.entries(stored)) needed.set({ key: keyId, role, kind }, number);
        if (tokensUntil !== null) until.set({ key: keyId }, tokensUntil.getTime() / 1000);
      }
    } catch {
      // The next request for metrics tries again.
    } finally {
      counting = null;
    }
  }

  return async () => {
    if (performance.now() - countedAt < KEYS_FRESH_MS) return;
    counting ??= count();
    await within(DATABASE_DEADLINE_MS, counting);
  };
}

/** Returns the answer, or null if it takes longer than this. */
async function within<T>(milliseconds: number, answer: Promise<T> | null): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), milliseconds);
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function poolMetrics(registers: Registry[], pools: PrometheusOptions['pools']): void {
  const { Gauge } = promClient();
  new Gauge({
    name: 'rollcall_database_connections',
    help: 'Connections of this process to the database, by what they are for.',
    labelNames: ['role', 'state'],
    registers,
    collect() {
      for (const pool of pools()) {
        this.set({ role: pool.role, state: 'used' }, pool.used);
        this.set({ role: pool.role, state: 'free' }, pool.free);
      }
    },
  });
  new Gauge({
    name: 'rollcall_database_waiting_requests',
    help: 'Callers who wait for a connection, by what it is for.',
    labelNames: ['role'],
    registers,
    collect() {
      for (const { role, waiting } of pools()) this.set({ role }, waiting);
    },
  });
}

function clockMetrics(registers: Registry[], clockAheadMs: () => number | null): void {
  const { Gauge } = promClient();
  new Gauge({
    name: 'rollcall_clock_ahead_seconds',
    help: "By how much this machine's clock is ahead of PostgreSQL's, whose time is used; negative: behind.",
    registers,
    collect() {
      const ahead = clockAheadMs();
      if (ahead === null) this.remove();
      else this.set(ahead / 1000);
    },
  });
}

function answerWith(contentType: string, text: () => Promise<string>): RequestListener {
  return (request, response) => {
    const [path] = (request.url ?? '').split('?', 1);
    if (request.method !== 'GET' || path !== '/metrics') {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Not Found\n');
      return;
    }
    text().then(
      (body) => response.writeHead(200, { 'Content-Type': contentType }).end(body),
      () => response.writeHead(500, { 'Content-Type': 'text/plain' }).end('Internal Server Error\n'),
    );
  };
}
