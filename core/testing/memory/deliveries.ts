import type { Journal } from '../../access/ports/journal.js';
import { maxRecordedAttempts } from '../../webhooks/max-recorded-attempts.js';
import type {
  Deliveries,
  Delivery,
  DeliveryHour,
  DeliverySelection,
  DeliveryState,
  RecordedDelivery,
} from '../../webhooks/ports/deliveries.js';
import { writeJournal } from './journal.js';
import { toMember } from './memberships.js';
import { contains } from './people-search.js';
import type { State, StoredDelivery } from './state.js';

export function memoryDeliveries(state: State): Deliveries {
  const withoutTexts = (delivery: RecordedDelivery): Delivery => ({
    ...delivery,
    attempts: delivery.attempts.map(({ request, response, ...attempt }) => attempt),
  });
  const ofOrganization = (organizationId: number | null): readonly StoredDelivery[] =>
    [...state.deliveries.values()].filter(
      (delivery) => organizationId === null || delivery.organizationId === organizationId,
    );
  const find = (organizationId: number | null, deliveryId: number): StoredDelivery | null =>
    ofOrganization(organizationId).find(({ id }) => id === deliveryId) ?? null;
  const again = { state: 'pending', finishedAt: null, claims: 0, isDropped: false } as const;
  const matching = (selection: DeliverySelection): readonly StoredDelivery[] =>
    ofOrganization(selection.organizationId).filter((delivery) => isMatching(delivery, selection));
  const changeAll = (
    changed: readonly StoredDelivery[],
    change: Partial<StoredDelivery>,
    journal: Journal<{ readonly organizationId: number; readonly count: number }> | undefined,
  ): number => {
    const organizations = new Set(changed.map((delivery) => delivery.organizationId));
    const entries = [...organizations].flatMap((id) => {
      const count = changed.filter((delivery) => delivery.organizationId === id).length;
      return journal?.({ organizationId: id, count }) ?? [];
    });
    writeJournal(state, entries, () => {
      for (const delivery of changed) Object.assign(delivery, change);
    });
    return changed.length;
  };
  return {
    async find({ organizationId, deliveryId, onlyLastAttempt = false }) {
      const delivery = find(organizationId, deliveryId);
      if (delivery === null) return null;
      const { attempts } = delivery;
      return {
        ...recordedDelivery(delivery),
        attemptCount: attempts.length,
        attempts: attempts.slice(onlyLastAttempt ? -1 : -maxRecordedAttempts),
      };
    },
    async list({
      organizationId,
      state: requestedState,
      since,
      until,
      eventId,
      isTest,
      userId,
      personWords = [],
      olderThan,
      limit,
    }) {
      const isWanted = contains(personWords);
      const isOfWanted = (organizationId: number, userId: number | undefined) =>
        state.memberships
          .filter(
            (membership) => membership.organizationId === organizationId && membership.userId === userId,
          )
          .map((membership) => toMember(state, membership))
          .some(({ user, idpId }) => isWanted({ ...user, idpId }));
      return ofOrganization(organizationId)
        .filter((delivery) => requestedState === undefined || delivery.state === requestedState)
        .filter(({ createdAt }) => since === undefined || createdAt >= since)
        .filter(({ createdAt }) => until === undefined || createdAt < until)
        .filter((delivery) => eventId === undefined || delivery.eventId === eventId)
        .filter((delivery) => isTest === undefined || delivery.isTest === isTest)
        .filter(({ about }) => userId === undefined || about?.id === userId)
        .filter(
          (delivery) => personWords.length === 0 || isOfWanted(delivery.organizationId, delivery.about?.id),
        )
        .filter((delivery) => olderThan === undefined || newestFirst(olderThan, delivery) < 0)
        .sort(newestFirst)
        .slice(0, limit)
        .map(recordedDelivery)
        .map(withoutTexts);
    },
    async redeliver({ organizationId, deliveryId }, journal) {
      const delivery = find(organizationId, deliveryId);
      if (delivery === null) return false;
      if (delivery.isErased) return 'erased';
      const isChanged = delivery.state !== 'pending' && delivery.state !== 'sending';
      writeJournal(state, journal?.({ ...delivery, userId: delivery.about?.id ?? null, isChanged }));
      if (isChanged) Object.assign(delivery, again);
      return true;
    },
    async count(selection) {
      return matching(selection).length;
    },
    async redeliverMatching(selection, journal) {
      return changeAll(matching(selection), again, journal);
    },
    async drop({ at, ...selection }, journal) {
      const dropped = { state: 'skipped', finishedAt: at, isDropped: true } as const;
      return changeAll(matching(selection), dropped, journal);
    },
    async summarize({ organizationId, newest, since }) {
      const all = ofOrganization(organizationId).toSorted(newestFirst);
      const latest = all.slice(0, newest);
      const isIn = (wanted: DeliveryState) => (delivery: StoredDelivery) => delivery.state === wanted;
      return {
        pending: all.filter(isIn('pending')).length,
        failed: all.filter(isIn('failed')).length,
        held: all.filter(isIn('held')).length,
        tests: all.filter(({ isTest }) => isTest).length,
        delivered: latest.filter(isIn('delivered')).length,
        skipped: latest.filter(isIn('skipped')).length,
        hasOlder: all.length > newest,
        hours: hoursOf(latest.filter(({ createdAt, isTest }) => !isTest && createdAt >= since)),
      };
    },
    async neighbors({ organizationId, deliveryId }) {
      const all = ofOrganization(organizationId).toSorted(newestFirst);
      const at = all.findIndex(({ id }) => id === deliveryId);
      const idAt = (index: number): number | null => (at < 0 ? null : (all[index]?.id ?? null));
      return { newer: idAt(at - 1), older: idAt(at + 1) };
    },
  };
}

const HOUR_MS = 3_600_000;

function hoursOf(deliveries: readonly StoredDelivery[]): readonly DeliveryHour[] {
  const ended = deliveries.filter(({ state }) => state === 'delivered' || state === 'failed');
  const starts = new Set(ended.map(({ createdAt }) => Math.floor(createdAt.getTime() / HOUR_MS) * HOUR_MS));
  return [...starts].sort().map((start) => {
    const count = (wanted: DeliveryState): number =>
      ended.filter(({ state, createdAt }) => {
        const after = createdAt.getTime() - start;
        return state === wanted && after >= 0 && after < HOUR_MS;
      }).length;
    return { from: new Date(start), delivered: count('delivered'), failed: count('failed') };
  });
}

export function recordedDelivery({
  claim,
  claimedAt,
  claims,
  isErased,
  about,
  ...delivery
}: StoredDelivery): RecordedDelivery {
  return delivery;
}

function isMatching(
  { id, state, isTest, isErased, createdAt, attempts }: StoredDelivery,
  { states, deliveryId, since, until, phase, status, reason }: DeliverySelection,
): boolean {
  const last = attempts.at(-1);
  const has = (text: string | undefined): boolean =>
    text !== undefined && reason !== undefined && inAsciiLowerCase(text).includes(inAsciiLowerCase(reason));
  return (
    !isTest &&
    !isErased &&
    states.some((one) => one === state) &&
    (deliveryId === undefined || id === deliveryId) &&
    (since === undefined || createdAt >= since) &&
    (until === undefined || createdAt < until) &&
    (phase === undefined || last?.phase === phase) &&
    (status === undefined || last?.status === status) &&
    (reason === undefined || has(last?.outcome) || has(last?.reason))
  );
}

function inAsciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

type Position = Pick<Delivery, 'id' | 'createdAt'>;

function newestFirst(one: Position, other: Position): number {
  return other.createdAt.getTime() - one.createdAt.getTime() || other.id - one.id;
}
