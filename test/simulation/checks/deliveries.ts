import type { Delivery, RecordedEvent } from '@rollcall/core';
import type { Evidence } from '../checker.js';
import { type History, type Op, ofKind, type Send, shortId } from '../history.js';
import { claimOf } from './claim-of.js';
import { configurationsOf, possible } from './configurations.js';
import { count, mayBeErased, mayHaveHappened, mayHaveJoined, mergeRepeated } from './may.js';
import { emailIn } from './told-event.js';

const MAX_AT_ONCE = 4;

/**
 * Every event ends in a final state that tells what happened. A repeat only where a crash or a freeze cut an attempt off,
 * or where somebody asked for it; always with the same bytes. An event is delivered if the webhook was on when it happened.
 */
export function checkDeliveries({ history, finals }: Evidence): readonly string[] {
  const broken: string[] = [];
  for (const { org, events, deliveries } of finals) {
    const configurations = configurationsOf(history, org);
    const bodies = new Map(events.map(({ id, body }) => [id, body]));
    const seen = new Set<string>();
    for (const delivery of deliveries) {
      const what = `event ${shortId(delivery.eventId)} of organization ${org}`;
      if (seen.has(delivery.eventId)) broken.push(`${what} has two deliveries`);
      seen.add(delivery.eventId);
      if (!delivery.isTest && bodies.get(delivery.eventId) !== delivery.body)
        broken.push(`${what} is not in the feed with the same body`);
      broken.push(
        ...checkDelivery(history, { org, delivery, configurations }).map((text) => `${what} ${text}`),
      );
    }
    const sentElsewhere = history.sends.find(
      ({ eventId, url }) => url.includes(`org-${org}.`) && !seen.has(eventId),
    );
    if (sentElsewhere !== undefined) broken.push(`organization ${org} was sent an event of another one`);
    broken.push(...checkQueued(history, { org, events, deliveries, configurations }));
    broken.push(
      ...checkAtOnce(
        history.sends.filter(({ url }) => url.includes(`org-${org}.`)),
        org,
      ),
    );
  }
  return broken;
}

function checkDelivery(
  history: History,
  {
    org,
    delivery: { eventId, body, state, attempts, isTest },
    configurations,
  }: {
    readonly org: number;
    readonly delivery: Delivery;
    readonly configurations: readonly Op<'configure'>[];
  },
): readonly string[] {
  const broken: string[] = [];
  const sends = history.sends.filter((send) => send.eventId === eventId);
  const claims = history.claims.filter((claim) => claim.eventId === eventId);
  const isErased = emailIn(body) === null;
  const bytes = isErased ? sends[0]?.body : body;
  if (sends.some((send) => send.body !== bytes)) broken.push('was sent with other bytes');
  if (!['delivered', 'failed', 'skipped'].includes(state)) broken.push(`stays ${state}`);

  const askedFor = [
    ...mergeRepeated(
      history,
      ofKind(history, 'redeliver').filter((op) => op.eventId === eventId),
    ),
    ...ofKind(history, 'redeliverFailed').filter((op) => op.org === org && !isTest),
  ].filter(mayHaveHappened);
  const needed: (readonly Op[])[] = [];
  for (const [index, send] of sends.entries()) {
    const before = sends[index - 1];
    if (before === undefined || isCut(history, before, send)) continue;
    if (before.ended === null && before.process.diedAt > send.start) broken.push('was sent twice at once');
    const wasDelivered = before.isDelivered && isFinished(history, before);
    needed.push(
      askedFor.filter(
        ({ did, start, end }) =>
          start < send.start && end > before.start && (did === 'redeliver' || !wasDelivered),
      ),
    );
  }
  if (!canAssign(needed))
    broken.push('was sent again, although nothing cut the attempt before off and nobody asked for it');

  const completed = sends.filter((send) => isFinished(history, send));
  const recorded = attempts.filter(({ outcome }) => outcome !== 'interrupted');
  if (recorded.length !== completed.length)
    broken.push(`has ${recorded.length} recorded attempts of ${completed.length} that ended`);
  if (
    count(recorded, ({ outcome }) => outcome === 'delivered') !==
    count(completed, ({ isDelivered }) => isDelivered)
  )
    broken.push('has an attempt with another outcome than the receiver gave');
  const interrupted = attempts.length - recorded.length;
  const cutOff = count(claims, ({ finished }) => finished === null);
  if (interrupted !== cutOff) broken.push(`has ${interrupted} interrupted attempts of ${cutOff}`);
  const last = attempts.at(-1);
  if (state === 'delivered' && last?.outcome !== 'delivered') broken.push('is delivered without a delivery');
  if (state === 'failed' && last?.outcome === 'delivered') broken.push('is failed after a delivery');
  if (state === 'failed' && last?.outcome === 'interrupted' && interrupted < 3)
    broken.push(`was given up after ${interrupted} interrupted attempts`);
  if (interrupted > 3 * (1 + askedFor.length)) broken.push(`was interrupted ${interrupted} times`);
  if (state === 'skipped') {
    const skipped = claims.filter(({ finishedAs }) => finishedAs === 'skipped').at(-1);
    const mayBeOff = possible(configurations, skipped?.given ?? 0, skipped?.finished ?? 0).some(
      (op) => op === undefined || !op.enabled,
    );
    if (!isErased && (!mayBeOff || isTest)) broken.push('was skipped while the webhook was on');
  }
  for (const asked of askedFor) {
    if (asked.did !== 'redeliver' || asked.outcome !== 'ok' || state === 'skipped' || isErased) continue;
    const isMade = claims.some(({ finished }) => (finished ?? Number.POSITIVE_INFINITY) > asked.start);
    if (!isMade) broken.push('was not sent again, although that was acknowledged');
  }
  return broken;
}

/** Whether each need can have one of its candidates that no other need has. */
function canAssign<Candidate>(needs: readonly (readonly Candidate[])[]): boolean {
  const takenBy = new Map<Candidate, number>();
  const assign = (need: number, tried: Set<Candidate>): boolean =>
    (needs[need] ?? []).some((candidate) => {
      if (tried.has(candidate)) return false;
      tried.add(candidate);
      const other = takenBy.get(candidate);
      if (other !== undefined && !assign(other, tried)) return false;
      takenBy.set(candidate, need);
      return true;
    });
  return needs.every((_, need) => assign(need, new Set()));
}

/** Whether the process crashed, or was frozen, before it had recorded the outcome. */
function isCut(history: History, send: Send, next: Send): boolean {
  const { diedAt, freezes } = send.process;
  const isFrozen = freezes.some(({ from, to }) => from < next.startedAt && to > send.startedAt);
  return (diedAt < next.start || isFrozen) && !isFinished(history, send);
}

function isFinished(history: History, send: Send): boolean {
  return (claimOf(history, send)?.finished ?? null) !== null;
}

/** What is queued was on at the moment of the registration; what is not queued was not. */
function checkQueued(
  history: History,
  {
    org,
    events,
    deliveries,
    configurations,
  }: {
    readonly org: number;
    readonly events: readonly RecordedEvent[];
    readonly deliveries: readonly Delivery[];
    readonly configurations: readonly Op<'configure'>[];
  },
): readonly string[] {
  const broken: string[] = [];
  const joins = ofKind(history, 'join').filter((join) => join.org === org);
  for (const email of new Set(joins.map((join) => join.email))) {
    if (mayBeErased(history, email)) continue;
    const own = joins.filter((join) => join.email === email);
    const states = (join: Op<'join'>) => possible(configurations, join.start, join.end);
    const possibly = own.filter(mayHaveJoined);
    const isOn = (op: Op<'configure'> | undefined): boolean => op?.enabled === true;
    const told = count(events, ({ body }) => emailIn(body) === email);
    const most = count(possibly, (join) => states(join).some(isOn));
    const sure = count(own, (join) => join.outcome === 'ok' && states(join).every(isOn));
    // Whichever of them happened, the webhook was on.
    const least = possibly.every((join) => states(join).every(isOn)) ? told : sure;
    const queued = count(deliveries, ({ body, isTest }) => !isTest && emailIn(body) === email);
    if (queued < least || queued > most)
      broken.push(`${email} in organization ${org}: ${queued} events queued, not ${least} to ${most}`);
  }
  for (const test of ofKind(history, 'test')) {
    if (test.org !== org || test.outcome !== 'ok') continue;
    const delivery = deliveries.find(({ eventId }) => eventId === test.eventId);
    const isKnown = delivery?.attempts.some(({ outcome }) => outcome === test.state);
    const isAsked = ofKind(history, 'redeliver').some((op) => op.eventId === test.eventId);
    if (delivery === undefined) broken.push(`a test of organization ${org} is not in the log`);
    // A result that could not be written at once can be lost by a crash.
    else if (
      isKnown !== true &&
      !isAsked &&
      !delivery.attempts.some(({ outcome }) => outcome === 'interrupted')
    )
      broken.push(`a test of organization ${org} has another outcome in the log`);
  }
  return broken;
}

/** At most four requests of one organization are under way. Tests, which people wait for, do not count. */
function checkAtOnce(sends: readonly Send[], org: number): readonly string[] {
  const counted = sends.filter(({ headers }) => headers['X-Service-Test'] === undefined);
  // What a frozen process has sent is not under way for ever.
  const frozen = ({ start, process }: Send): number =>
    process.freezes.find((freeze) => freeze.start > start)?.start ?? Number.POSITIVE_INFINITY;
  const end = (send: Send): number =>
    Math.min(send.ended ?? Number.POSITIVE_INFINITY, send.process.diedAt, frozen(send));
  const most = Math.max(
    0,
    ...counted.map((one) => count(counted, (other) => other.start <= one.start && end(other) > one.start)),
  );
  return most > MAX_AT_ONCE ? [`organization ${org} had ${most} requests under way at once`] : [];
}
