import type { RequestListener } from 'node:http';
import type { Attempt, Limits, MailReport, Observer, SecurityEvent, SecurityLog } from '@rollcall/core';
import type { Registry } from 'prom-client';
import {
  type DatabaseMetricsOptions,
  databaseMetrics,
  hearingMetric,
  type KeyMetricsOptions,
  keyMetrics,
  poolMetrics,
} from './database-metrics.js';
import { promClient } from './prom-client.js';

/** The metrics for Prometheus. No label identifies an organization or a person, and each label has few values. */
export interface Metrics {
  observeRequest(request: MeasuredRequest): void;
  observeDelivery(delivery: MeasuredDelivery): void;
  /** Counts an attempt to send a mail. */
  observeMail(mail: Pick<MailReport, 'outcome'>): void;
  observeClaim(claim: { readonly seconds: number }): void;
  /** The same limits, which also count each refusal by the name of the limit. */
  observeLimits(limits: Limits): Limits;
  /** The same log, which also counts sign-ons and second factors by how they ended. */
  observeSecurity(log: SecurityLog): SecurityLog;
  readonly observer: Observer;
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
  /** The limit that was reached, unless `observeLimits` counts it. */
  readonly limit?: string | undefined;
}

export interface MeasuredDelivery {
  readonly state: 'delivered' | 'failed' | 'skipped';
  readonly attempt: Pick<Attempt, 'duration'> | null;
}

export interface PrometheusOptions extends DatabaseMetricsOptions, KeyMetricsOptions {
  /** The version of Rollcall. */
  readonly version: string;
  /** The commit that it was built from. */
  readonly revision?: string;
  /** How far this machine's clock is ahead of the database's; null: not known, or there is no clock to compare with. */
  readonly clockAheadMs?: () => number | null;
  /** What happened to the history of the database since the start. */
  readonly history?: () => { readonly promotions: number; readonly lostEvents: number };
  /** The passwords that are hashed now, and those that wait; null: not known. */
  readonly passwordQueue?: () => { readonly running: number; readonly waiting: number } | null;
}

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
  revision = 'unknown',
  clockAheadMs = () => null,
  passwordQueue = () => null,
  history = () => ({ promotions: 0, lostEvents: 0 }),
  ...database
}: PrometheusOptions): Metrics {
  const { collectDefaultMetrics, Gauge, Registry } = promClient();
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'rollcall_build_info',
    help: 'Always 1; the labels are the version that runs, and the commit that it was built from.',
    labelNames: ['version', 'revision'],
    registers,
  }).set({ version, revision }, 1);

  new Gauge({
    name: 'rollcall_time_zone_data_info',
    help: 'Always 1; the label is the version of the IANA time zone data that the process computes with.',
    labelNames: ['version'],
    registers,
  }).set({ version: process.versions.tz ?? 'unknown' }, 1);

  const { observeRequest } = requestMetrics(registers);
  const deliveries = deliveryMetrics(registers);
  const { observeMail } = mailMetrics(registers);
  const { observeLimits, countRefusal } = limitMetrics(registers, database.refusedExports);
  const observer = olderKeyMetrics(registers);
  const { observeSecurity } = signOnMetrics(registers);
  const measureDatabase = databaseMetrics(registers, database);
  const measureKeys = keyMetrics(registers, database);
  poolMetrics(registers, database.pools);
  hearingMetric(registers, database.hears);
  clockMetrics(registers, clockAheadMs);
  passwordMetrics(registers, passwordQueue);
  historyMetrics(registers, history);

  return {
    observeRequest(request) {
      observeRequest(request);
      if (request.limit !== undefined) countRefusal(request.limit);
    },
    ...deliveries,
    observeMail,
    observeLimits,
    observeSecurity,
    observer,
    handler: answerWith(registry.contentType, async () => {
      await Promise.all([measureDatabase(), measureKeys()]);
      return untypedTotals(await registry.metrics());
    }),
  };
}

/**
 * Dashboards for Node.js expect these gauges of prom-client by their names, and promtool allows `_total` only for
 * counters and for metrics without a type.
 */
function untypedTotals(text: string): string {
  return text.replace(/^(# TYPE nodejs_active_\w+_total) gauge$/gm, '$1 untyped');
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

function deliveryMetrics(registers: Registry[]): Pick<Metrics, 'observeDelivery' | 'observeClaim'> {
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
  const claims = new Histogram({
    name: 'rollcall_claim_duration_seconds',
    help: 'Searches of the outbox for deliveries to send, at least one a second.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  return {
    observeClaim: ({ seconds }) => claims.observe(seconds),
    observeDelivery({ state, attempt }) {
      deliveries.inc({ outcome: state });
      if (attempt !== null && attempt.duration !== null) durations.observe(attempt.duration / 1000);
    },
  };
}

function mailMetrics(registers: Registry[]): Pick<Metrics, 'observeMail'> {
  const { Counter } = promClient();
  const mails = new Counter({
    name: 'rollcall_mails_total',
    help: 'Attempts to send a mail, by how they ended. Postponed mails are tried again.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ['sent', 'dropped', 'postponed', 'failed']) mails.inc({ outcome }, 0);
  return { observeMail: ({ outcome }) => mails.inc({ outcome }) };
}

/** The limits of Rollcall, so that their counts begin with 0. Others are added when they are first reached. */
const LIMITS = [
  'access-key-mail-organization',
  'access-key-mail-recipient',
  'answers',
  'authenticate',
  'directory',
  'directory-requests',
  'exports',
  'feeds',
  'idempotency-keys',
  'invitation-mail-organization',
  'invitation-mail-recipient',
  'mail-organization',
  'mail-recipient',
  'pages',
  'passkey-challenge',
  'password-reset-account',
  'password-reset-address',
  'requests',
  'second-factor-account',
  'setup-link',
  'sign-in-account',
  'sign-in-address',
  'sign-on-code',
  'sign-on-code-mail',
  'unknown-feeds',
  'webhook-test',
];

function limitMetrics(
  registers: Registry[],
  refusedExports: () => number = () => 0,
): Pick<Metrics, 'observeLimits'> & { readonly countRefusal: (limit: string) => void } {
  const { Counter } = promClient();
  let countedExports = 0;
  const refused = new Counter({
    name: 'rollcall_limit_refusals_total',
    help: 'Requests refused with 429, by the limit that was reached.',
    labelNames: ['limit'],
    registers,
    collect() {
      const exports = refusedExports();
      this.inc({ limit: 'exports' }, exports - countedExports);
      countedExports = exports;
    },
  });
  for (const limit of LIMITS) refused.inc({ limit }, 0);
  return {
    countRefusal: (limit) => refused.inc({ limit }),
    observeLimits(limits) {
      const counted = (limit: string, seconds: number): number => {
        if (seconds > 0) refused.inc({ limit });
        return seconds;
      };
      return {
        waitFor: async (limit, subject) => counted(limit.name, await limits.waitFor(limit, subject)),
        consume: async (limit, subject) => counted(limit.name, await limits.consume(limit, subject)),
        forgive: (limit, subject) => limits.forgive(limit, subject),
        clear: (limit, subject) => limits.clear(limit, subject),
      };
    },
  };
}

function signOnMetrics(registers: Registry[]): Pick<Metrics, 'observeSecurity'> {
  const { Counter } = promClient();
  const signOns = new Counter({
    name: 'rollcall_sign_ons_total',
    help: 'Sign-ons at identity providers that have ended, by how.',
    labelNames: ['outcome'],
    registers,
  });
  const factors = new Counter({
    name: 'rollcall_second_factors_total',
    help: 'Second factors that were given at a sign-in or before a change, by what they were and how it ended.',
    labelNames: ['factor', 'outcome'],
    registers,
  });
  for (const factor of ['passkey', 'code', 'recovery-code'])
    for (const outcome of ['right', 'wrong', 'refused']) factors.inc({ factor, outcome }, 0);
  for (const outcome of ['signed-in', 'unreachable', 'refused', 'not-asked', 'invalid', 'not-admitted'])
    signOns.inc({ outcome }, 0);
  return {
    observeSecurity: (log) => ({
      record(event) {
        if (event.kind === 'sign-on-failed') signOns.inc({ outcome: event.outcome });
        if (event.kind === 'signed-in' && event.by === 'sign-on') signOns.inc({ outcome: 'signed-in' });
        const outcome = factorOutcomes[event.kind];
        if (outcome !== undefined && 'factor' in event && event.factor !== undefined)
          factors.inc({ factor: event.factor, outcome });
        log.record(event);
      },
    }),
  };
}

const factorOutcomes: Readonly<Partial<Record<SecurityEvent['kind'], string>>> = {
  'second-factor-used': 'right',
  'sign-in-failed': 'wrong',
  'sign-in-refused': 'refused',
};

function olderKeyMetrics(registers: Registry[]): Observer {
  const { Counter } = promClient();
  const uses = new Counter({
    name: 'rollcall_older_access_key_uses_total',
    help: 'Accepted access keys that were replaced and are still kept, and accepted tokens of them.',
    labelNames: ['by'],
    registers,
  });
  for (const by of ['access-key', 'token']) uses.inc({ by }, 0);
  return { olderKeyUsed: ({ by }) => uses.inc({ by }) };
}

function passwordMetrics(
  registers: Registry[],
  passwordQueue: NonNullable<PrometheusOptions['passwordQueue']>,
): void {
  const { Gauge } = promClient();
  new Gauge({
    name: 'rollcall_passwords',
    help: 'Passwords that are hashed or verified now, and those that wait; with 200 waiting, further ones get 503.',
    labelNames: ['state'],
    registers,
    collect() {
      const queue = passwordQueue();
      if (queue === null) return this.reset();
      this.set({ state: 'running' }, queue.running);
      this.set({ state: 'waiting' }, queue.waiting);
    },
  });
}

function historyMetrics(registers: Registry[], history: NonNullable<PrometheusOptions['history']>): void {
  const { Counter } = promClient();
  const told = { promotions: 0, lostEvents: 0 };
  const counter = (name: string, help: string, key: keyof typeof told) =>
    new Counter({
      ...{ name, help, registers },
      collect() {
        const now = history()[key];
        this.inc(now - told[key]);
        told[key] = now;
      },
    });
  counter(
    'rollcall_database_promotions_total',
    'Standbys that have become the primary of the database.',
    'promotions',
  );
  counter(
    'rollcall_lost_events_total',
    'Events that this process has sent and that the new primary does not have.',
    'lostEvents',
  );
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
