import type { Attempt, Delivery } from '@rollcall/core';
import { type Claim, type Process, type Send, shortId, UNKNOWN_INSTANCE } from '../simulation/history.js';
import { cutsOff, type Disturbance, earliest, latest } from './disturbances.js';

/** A request as the receiver saw it. Times are in milliseconds of the run. */
export interface Received {
  readonly eventId: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly at: number;
  /** What the receiver answered; null: nothing. */
  status: number | null;
  /** When it had answered, or the sender had left. Infinity until then. */
  endedAt: number;
}

/** What the deliveries of one organization show of the processes that made them. */
export interface Observed {
  readonly claims: readonly Claim[];
  readonly sends: readonly Send[];
  /** What no behavior of a process explains. */
  readonly problems: readonly string[];
}

export interface Watched {
  readonly org: number;
  readonly deliveries: readonly Delivery[];
  readonly received: readonly Received[];
  readonly disturbances: readonly Disturbance[];
  /** The time of a date in the run. */
  readonly timeOf: (date: Date) => number;
  /** When everything was over. */
  readonly end: number;
  /** How late the timers of this process were, at most. */
  readonly slownessMs: number;
}

/** Between reading the webhook and sending, or between the answer and writing it, unless something is disturbed. */
const STEP_MS = 2_000;
/** The shortest time after which a sender gives up: to connect. */
const GIVES_UP_AFTER_MS = 4_900;
/** Times of the product are whole milliseconds, of another clock. */
const ROUNDING_MS = 5;

/**
 * Finds out which attempt of the log made which request that the receiver saw. Nobody sees inside of a real process, but
 * the log of a delivery names every attempt, with its time and its outcome: each request belongs to one attempt, and each
 * attempt that got an answer to one request. An attempt is interrupted only if a process was killed or frozen, or the
 * database crashed, while it was under way.
 */
export function observe(watched: Watched): Observed {
  const { deliveries, received } = watched;
  const observed = deliveries.map((delivery) =>
    observeDelivery(
      watched,
      delivery,
      received.filter(({ eventId }) => eventId === delivery.eventId),
    ),
  );
  const known = new Set(deliveries.map(({ eventId }) => eventId));
  const unknown = received.filter(({ eventId }) => !known.has(eventId));
  return {
    claims: observed.flatMap(({ claims }) => claims),
    sends: observed.flatMap(({ sends }) => sends).sort((one, other) => one.start - other.start),
    problems: [
      ...observed.flatMap(({ problems }) => problems),
      ...unknown.map(
        ({ eventId }) => `event ${shortId(eventId)} of organization ${watched.org} is not in the log`,
      ),
    ],
  };
}

function observeDelivery(watched: Watched, delivery: Delivery, received: readonly Received[]): Observed {
  const { org, disturbances, timeOf, end, slownessMs } = watched;
  const { attempts, eventId } = delivery;
  const what = `event ${shortId(eventId)} of organization ${org}`;
  const problems: string[] = [];
  const claims: Claim[] = [];
  const sends: Send[] = [];
  const usual = STEP_MS + slownessMs;
  const pairs = pairUp(received, attempts, (request, attempt) =>
    isPossible(request, attempt, { timeOf, slownessMs }),
  );
  const explained = new Set(pairs.values());
  for (const request of received)
    if (!explained.has(request))
      problems.push(
        `${what} was received ${received.length} times, which ${tellAttempts(attempts)} do not explain`,
      );

  for (const [index, attempt] of attempts.entries()) {
    const request = pairs.get(attempt) ?? null;
    const begun = timeOf(attempt.startedAt);
    const next = attempts[index + 1];
    const isInterrupted = attempt.outcome === 'interrupted';
    const process: Process = { instance: UNKNOWN_INSTANCE, diedAt: Number.POSITIVE_INFINITY, freezes: [] };
    const done = begun + (attempt.duration ?? 0);
    if (isInterrupted) {
      const before = next === undefined ? end : timeOf(next.startedAt);
      const reason = disturbances.find(
        (one) => cutsOff(one) && one.to >= begun - ROUNDING_MS && one.from <= before,
      );
      if (reason === undefined)
        problems.push(`${what} was interrupted although nothing happened to a process`);
      process.diedAt = reason?.from ?? begun;
    } else if (request === null && !isExplained(attempt)) {
      problems.push(`${what} has the attempt “${attempt.reason}”, of which the receiver knows nothing`);
    }
    claims.push({
      eventId,
      deliveryId: delivery.id,
      organizationId: org,
      claim: `${delivery.id}/${index}`,
      process,
      given: earliest(disturbances, begun, usual),
      finished: isInterrupted ? null : latest(disturbances, done, usual),
      finishedFrom: done,
      finishedAs: isInterrupted ? null : attempt.outcome,
    });
    if (request === null && isInterrupted) continue;
    const start = isInterrupted ? Math.max(begun, request?.at ?? begun) : begun + ROUNDING_MS;
    sends.push({
      eventId,
      url: request?.url ?? '',
      headers: request?.headers ?? {},
      body: request?.body ?? delivery.body,
      process,
      start,
      startedAt: start,
      arrived: request?.at ?? null,
      ended: isInterrupted ? (request?.endedAt ?? null) : done,
      isDelivered: isInterrupted ? isSuccess(request?.status ?? null) : attempt.outcome === 'delivered',
    });
  }
  const { state, finishedAt } = delivery;
  if (state === 'skipped' && finishedAt !== null) {
    const finished = timeOf(finishedAt);
    claims.push({
      eventId,
      deliveryId: delivery.id,
      organizationId: org,
      claim: `${delivery.id}/skipped`,
      process: { instance: UNKNOWN_INSTANCE, diedAt: Number.POSITIVE_INFINITY, freezes: [] },
      given: earliest(disturbances, finished, usual),
      finished,
      finishedAs: 'skipped',
    });
  }
  return { claims, sends, problems };
}

/** Whether the attempt can have made the request, by their times and outcomes. */
function isPossible(
  { at, status }: Received,
  { startedAt, duration, outcome, status: noted }: Attempt,
  { timeOf, slownessMs }: Pick<Watched, 'timeOf' | 'slownessMs'>,
): boolean {
  const begun = timeOf(startedAt);
  if (at < begun - ROUNDING_MS) return false;
  if (outcome === 'interrupted') return true;
  if (at > begun + (duration ?? 0) + slownessMs + ROUNDING_MS) return false;
  // Without an answer in time, the sender may have left before it, or have been frozen when it came.
  if (noted === null) return status === null || (duration ?? 0) >= GIVES_UP_AFTER_MS;
  return noted === status;
}

/** Whether an attempt can have ended without a request that arrived: the sender gave up before. */
function isExplained({ status, duration }: Attempt): boolean {
  return status === null && (duration ?? 0) >= GIVES_UP_AFTER_MS;
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

/**
 * As many pairs as possible. Each request and each attempt is in one of them at most. Attempts that got an answer come
 * first, and interrupted ones last: once an attempt has a request, it keeps one.
 */
function pairUp(
  received: readonly Received[],
  attempts: readonly Attempt[],
  isPair: (request: Received, attempt: Attempt) => boolean,
): ReadonlyMap<Attempt, Received> {
  const makers = new Map<Received, Attempt>();
  const find = (attempt: Attempt, tried: Set<Received>): boolean =>
    received.some((request) => {
      if (tried.has(request) || !isPair(request, attempt)) return false;
      tried.add(request);
      const other = makers.get(request);
      if (other !== undefined && !find(other, tried)) return false;
      makers.set(request, attempt);
      return true;
    });
  const rank = ({ status, outcome }: Attempt): number =>
    status !== null ? 0 : outcome === 'interrupted' ? 2 : 1;
  for (const attempt of [...attempts].sort((one, other) => rank(one) - rank(other))) find(attempt, new Set());
  return new Map([...makers].map(([request, attempt]) => [attempt, request]));
}

function tellAttempts(attempts: readonly Attempt[]): string {
  if (attempts.length === 0) return 'no attempts';
  return `the attempts ${attempts.map(({ outcome, status }) => status ?? outcome).join(', ')}`;
}
