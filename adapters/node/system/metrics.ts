import type { RequestListener } from 'node:http';
import type { Attempt, Limits, MailReport, Observer, SecurityEvent, SecurityLog } from '@rollcall/core';
import {
  type DatabaseMetricsOptions,
  databaseMetrics,
  hearingMetric,
  type KeyMetricsOptions,
  keyMetrics,
  poolMetrics,
} from './database-metrics.js';
import { createMeters, type Meters } from './meters.js';
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
  const { collectDefaultMetrics, Registry } = promClient();
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const meters = createMeters(registry);
  meters.gauge('rollcall_build_info', ['version', 'revision']).set({ version, revision }, 1);
  const timeZoneData = { version: process.versions.tz ?? 'unknown' };
  meters.gauge('rollcall_time_zone_data_info', ['version']).set(timeZoneData, 1);
  const { observeRequest } = requestMetrics(meters);
  const deliveries = deliveryMetrics(meters);
  const { observeMail } = mailMetrics(meters);
  const { observeLimits, countRefusal } = limitMetrics(meters, database.refusedExports);
  const observer = olderKeyMetrics(meters);
  const { observeSecurity } = signOnMetrics(meters);
  const measureDatabase = databaseMetrics(meters, database);
  const measureKeys = keyMetrics(meters, database);
  poolMetrics(meters, database.pools);
  hearingMetric(meters, database.hears);
  clockMetrics(meters, clockAheadMs);
  passwordMetrics(meters, passwordQueue);
  historyMetrics(meters, history);

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

function requestMetrics({ counter, histogram }: Meters): Pick<Metrics, 'observeRequest'> {
  const requests = counter('rollcall_http_requests_total', ['method', 'route', 'status']);
  const durations = histogram(
    'rollcall_http_request_duration_seconds',
    [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    ['method', 'route'],
  );
  const exported = counter('rollcall_export_bytes_total');
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

function deliveryMetrics({ counter, histogram }: Meters): Pick<Metrics, 'observeDelivery' | 'observeClaim'> {
  const deliveries = counter('rollcall_deliveries_total', ['outcome']);
  for (const outcome of ['delivered', 'failed', 'skipped']) deliveries.inc({ outcome }, 0);
  const durations = histogram(
    'rollcall_delivery_duration_seconds',
    [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 16],
  );
  const claims = histogram(
    'rollcall_claim_duration_seconds',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  );
  return {
    observeClaim: ({ seconds }) => claims.observe(seconds),
    observeDelivery({ state, attempt }) {
      deliveries.inc({ outcome: state });
      if (attempt !== null && attempt.duration !== null) durations.observe(attempt.duration / 1000);
    },
  };
}

function mailMetrics({ counter }: Meters): Pick<Metrics, 'observeMail'> {
  const mails = counter('rollcall_mails_total', ['outcome']);
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
  { counter }: Meters,
  refusedExports: () => number = () => 0,
): Pick<Metrics, 'observeLimits'> & { readonly countRefusal: (limit: string) => void } {
  let countedExports = 0;
  const refused = counter('rollcall_limit_refusals_total', ['limit'], () => {
    const exports = refusedExports();
    refused.inc({ limit: 'exports' }, exports - countedExports);
    countedExports = exports;
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

function signOnMetrics({ counter }: Meters): Pick<Metrics, 'observeSecurity'> {
  const signOns = counter('rollcall_sign_ons_total', ['outcome']);
  const factors = counter('rollcall_second_factors_total', ['factor', 'outcome']);
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

function olderKeyMetrics({ counter }: Meters): Observer {
  const uses = counter('rollcall_older_access_key_uses_total', ['by']);
  for (const by of ['access-key', 'token']) uses.inc({ by }, 0);
  return { olderKeyUsed: ({ by }) => uses.inc({ by }) };
}

function passwordMetrics(
  { gauge }: Meters,
  passwordQueue: NonNullable<PrometheusOptions['passwordQueue']>,
): void {
  gauge('rollcall_passwords', ['state'], (passwords) => {
    const queue = passwordQueue();
    if (queue === null) return passwords.reset();
    passwords.set({ state: 'running' }, queue.running);
    passwords.set({ state: 'waiting' }, queue.waiting);
  });
}

function historyMetrics({ counter }: Meters, history: NonNullable<PrometheusOptions['history']>): void {
  const names = {
    promotions: 'rollcall_database_promotions_total',
    lostEvents: 'rollcall_lost_events_total',
  } as const;
  for (const key of ['promotions', 'lostEvents'] as const) {
    let told = 0;
    counter(names[key], [], (total) => {
      const now = history()[key];
      total.inc(now - told);
      told = now;
    });
  }
}

function clockMetrics({ gauge }: Meters, clockAheadMs: () => number | null): void {
  gauge('rollcall_clock_ahead_seconds', [], (clock) => {
    const ahead = clockAheadMs();
    if (ahead === null) clock.remove();
    else clock.set(ahead / 1000);
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
