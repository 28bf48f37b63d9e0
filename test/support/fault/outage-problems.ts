import type { SentRequest } from './outage-traffic.js';
import type { PostgresSite } from './postgres.js';
import { linesOf, type Running } from './process.js';

/** The time limit for refusing a request that cannot be served. */
const MAX_REFUSAL_MS = 6000;

/**
 * How long a request may take on this machine at the moment. The promise limits the wait for the database. The other
 * cost of a request is measured with requests that do not wait: `/healthz` at the same time, and all requests before
 * the outage. It counts twice, because a request that waits takes a turn before it and another one after it.
 */
export function maxRequestMs(sent: readonly SentRequest[], outageStartedAt: number): number {
  const withoutWaiting = sent.filter(
    ({ kind, at, tookMs }) => kind === 'liveness' || at + tookMs < outageStartedAt,
  );
  return Math.round(MAX_REFUSAL_MS + 2 * maxMsOf(withoutWaiting));
}

export function maxMsOf(sent: readonly SentRequest[]): number {
  return Math.round(Math.max(0, ...sent.map(({ tookMs }) => tookMs)));
}

/** Requests must be refused in time and as JSON, and there must be no other errors. */
export function answerProblems(sent: readonly SentRequest[], maxMs: number): readonly string[] {
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
export async function lostInvitations(
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
export function logProblems({ stdout, stderr }: Running, outages: number): readonly string[] {
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
