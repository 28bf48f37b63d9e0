import type { components } from '@rollcall/contracts';
import type { Attempt, Delivery, DeliveryState, DeliveryView, RecordedAttempt } from '@rollcall/core';
import { formatTimestamp } from './timestamp.js';

type Schemas = components['schemas'];

/** The states of the API, each with those of the core that it stands for. A held delivery waits, for the operator. */
export const statesOf: Readonly<Record<Schemas['DeliveryState'], readonly DeliveryState[]>> = {
  pending: ['pending', 'held'],
  sending: ['sending'],
  delivered: ['delivered'],
  failed: ['failed'],
  skipped: ['skipped'],
};

/** A delivery of a list. */
export function listedDeliveryAnswer(
  delivery: Delivery & Partial<Pick<DeliveryView, 'attemptCount'>>,
): Schemas['ListedDelivery'] {
  const { attempts, attemptCount = attempts.length, state } = delivery;
  const last = attempts.at(-1);
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    event: delivery.eventName,
    state: state === 'held' ? 'pending' : state,
    is_test: delivery.isTest,
    created_at: formatTimestamp(delivery.createdAt),
    attempt_count: attemptCount,
    last_attempt: last === undefined ? null : attemptAnswer(last, attemptCount),
  };
}

/** A delivery with what was sent and answered lately. */
export function deliveryAnswer(delivery: DeliveryView): Schemas['Delivery'] {
  const { attempts, body } = delivery;
  return {
    ...listedDeliveryAnswer(delivery),
    attempts: attempts.map((attempt) => recordedAttemptAnswer(attempt, body)),
  };
}

function attemptAnswer(
  { startedAt, duration, phase, status, reason }: Attempt,
  number: number,
): Schemas['Attempt'] {
  return {
    number,
    started_at: formatTimestamp(startedAt),
    duration_ms: duration === null ? null : Math.round(duration),
    phase,
    status,
    result: reason,
  };
}

function recordedAttemptAnswer(
  attempt: RecordedAttempt & { readonly number: number },
  body: string,
): Schemas['RecordedAttempt'] {
  const { number, status, request, response } = attempt;
  return {
    ...attemptAnswer(attempt, number),
    request: request === null ? null : { url: request.url, headers: request.headers, body },
    response:
      response === null || status === null
        ? null
        : { status, headers: response.headers, body: response.body, is_truncated: response.isTruncated },
  };
}

/** The id in a path; NaN, which is the id of no delivery, if it is not a number in its usual form. */
export function deliveryIn({ deliveryId = '' }: Readonly<Record<string, string>>): number {
  return /^[1-9]\d{0,15}$/.test(deliveryId) ? Number(deliveryId) : Number.NaN;
}
