import { interruptedAttempt } from '../../webhooks/interrupted-attempt.js';
import { maxRecordedAttempts } from '../../webhooks/max-recorded-attempts.js';
import type { RecordedAttempt } from '../../webhooks/ports/deliveries.js';
import type { ClaimedDelivery, Outbox } from '../../webhooks/ports/outbox.js';
import { writeJournal } from './journal.js';
import type { State, StoredDelivery } from './state.js';
import { addDelivery } from './store-event.js';
import { countOutcome } from './webhooks.js';

export function memoryOutbox(state: State): Outbox {
  const inState = (wanted: StoredDelivery['state']): readonly StoredDelivery[] => {
    const found: StoredDelivery[] = [];
    for (const delivery of state.deliveries.values()) if (delivery.state === wanted) found.push(delivery);
    return found.sort((one, other) => one.id - other.id);
  };
  /** The number of the last turn of each organization. */
  const turns = new Map<number, number>();
  let turn = 0;
  return {
    async claim({ limit, perOrganization, claim, at }) {
      const waiting = inState('pending');
      if (waiting.length === 0) return [];
      const underWay = new Map<number, number>();
      for (const { organizationId } of inState('sending')) {
        underWay.set(organizationId, (underWay.get(organizationId) ?? 0) + 1);
      }
      const pending = new Map<number, StoredDelivery[]>();
      for (const delivery of waiting) {
        const ofOrganization = pending.get(delivery.organizationId);
        if (ofOrganization === undefined) pending.set(delivery.organizationId, [delivery]);
        else ofOrganization.push(delivery);
      }
      const claimed: StoredDelivery[] = [];
      while (claimed.length < limit) {
        const [next] = [...pending.keys()]
          .filter((id) => (underWay.get(id) ?? 0) < perOrganization)
          .sort((one, other) => (turns.get(one) ?? 0) - (turns.get(other) ?? 0));
        const delivery = next === undefined ? undefined : pending.get(next)?.shift();
        if (next === undefined || delivery === undefined) break;
        if (pending.get(next)?.length === 0) pending.delete(next);
        turn += 1;
        turns.set(next, turn);
        underWay.set(next, (underWay.get(next) ?? 0) + 1);
        Object.assign(delivery, { state: 'sending', claim, claimedAt: at, claims: delivery.claims + 1 });
        claimed.push(delivery);
      }
      claimed.sort((one, other) => one.id - other.id);
      return claimed.map((delivery) => toClaimedDelivery(delivery, claim));
    },
    async startTest({ event, claim, at }, journal) {
      const isBusy = inState('sending').some(
        ({ organizationId, isTest }) => organizationId === event.organizationId && isTest,
      );
      if (isBusy) return null;
      const delivery = addDelivery(state, event, true);
      Object.assign(delivery, { state: 'sending', claim, claimedAt: at, claims: 1 });
      writeJournal(state, journal?.(toClaimedDelivery(delivery, claim)));
      return toClaimedDelivery(delivery, claim);
    },
    async renew({ deliveryId, claim, at }) {
      const delivery = state.deliveries.get(deliveryId);
      if (delivery?.state !== 'sending' || delivery.claim !== claim) return false;
      delivery.claimedAt = at;
      return true;
    },
    async finish({ deliveryId, claim, state: final, attempt, at }, journal) {
      const delivery = state.deliveries.get(deliveryId);
      if (delivery?.state !== 'sending' || delivery.claim !== claim) return false;
      const stored = attempt === null || !delivery.isErased ? attempt : withoutPerson(attempt);
      const attempts = stored === null ? delivery.attempts : withAttempt(delivery.attempts, stored);
      Object.assign(delivery, { state: final, claim: null, claimedAt: null, finishedAt: at, attempts });
      const { organizationId } = delivery;
      if (countOutcome(state, delivery, at)) writeJournal(state, journal?.({ organizationId }));
      return true;
    },
    async recoverStale({ olderThanMs, maxClaims, at }) {
      const isOld = (claimedAt: Date): boolean =>
        olderThanMs === null || at.getTime() - claimedAt.getTime() > olderThanMs;
      const cutOff = inState('sending').filter(({ claimedAt }) => claimedAt !== null && isOld(claimedAt));
      const isLast = ({ claims }: StoredDelivery): boolean => claims >= maxClaims;
      const ended = cutOff.filter((delivery) => isLast(delivery) && !delivery.isErased);
      const erased = cutOff.filter(({ isErased }) => isErased);
      for (const delivery of cutOff) {
        const attempts = [
          ...delivery.attempts,
          { ...interruptedAttempt, startedAt: delivery.claimedAt ?? at },
        ];
        const end = delivery.isErased
          ? { state: 'skipped', finishedAt: at, isDropped: true }
          : isLast(delivery)
            ? { state: 'failed', finishedAt: at }
            : { state: 'pending', finishedAt: null };
        Object.assign(delivery, { ...end, claim: null, claimedAt: null, attempts });
      }
      return { again: cutOff.length - ended.length - erased.length, failed: ended.length };
    },
    async hold() {
      const sending = inState('sending').filter(({ isErased }) => !isErased);
      const waiting = [...inState('pending'), ...sending];
      for (const delivery of waiting)
        Object.assign(delivery, { state: 'held', claim: null, claimedAt: null, finishedAt: null });
      return waiting.length;
    },
  };
}

/** An attempt to send an event about a person who has been erased meanwhile. */
export function withoutPerson(attempt: RecordedAttempt): RecordedAttempt {
  return { ...attempt, request: null, response: null };
}

/** Only the newest attempts keep their texts. */
function withAttempt(
  attempts: readonly RecordedAttempt[],
  attempt: RecordedAttempt,
): readonly RecordedAttempt[] {
  const earlier = attempts.length + 1 - maxRecordedAttempts;
  const kept = attempts.map((stored, index) =>
    index < earlier ? { ...stored, request: null, response: null } : stored,
  );
  return [...kept, attempt];
}

function toClaimedDelivery(delivery: StoredDelivery, claim: string): ClaimedDelivery {
  const { id, organizationId, eventId, eventName, body, isTest } = delivery;
  return { deliveryId: id, claim, organizationId, eventId, eventName, body, isTest };
}
