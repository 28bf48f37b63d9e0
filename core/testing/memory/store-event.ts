import type { NewEvent } from '../../webhooks/events.js';
import { isSubscribed } from '../../webhooks/webhook.js';
import { nextId, type State, type StoredDelivery } from './state.js';

/** Records the event, with its delivery if the webhook is subscribed. */
export function storeEvent(state: State, event: NewEvent): void {
  recordEvent(state, event);
  if (isSubscribed(state.webhooks.get(event.organizationId) ?? null, event.name)) addDelivery(state, event);
}

export function recordEvent(state: State, event: NewEvent): void {
  const all = state.events.get(event.organizationId) ?? [];
  all.push({ ...event, position: all.length + 1 });
  state.events.set(event.organizationId, all);
}

export function addDelivery(
  state: State,
  { id, name, organizationId, body, createdAt, about }: NewEvent,
  isTest = false,
): StoredDelivery {
  const delivery: StoredDelivery = {
    id: nextId(state),
    organizationId,
    eventId: id,
    eventName: name,
    body,
    isTest,
    createdAt,
    about,
    state: 'pending',
    finishedAt: null,
    isDropped: false,
    isErased: false,
    claim: null,
    claimedAt: null,
    claims: 0,
    attempts: [],
  };
  state.deliveries.set(delivery.id, delivery);
  return delivery;
}
