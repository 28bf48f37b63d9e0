import type { WebhookHealth, Webhooks } from '../../webhooks/ports/webhooks.js';
import { writeJournal } from './journal.js';
import { nextId, type State, type StoredDelivery } from './state.js';

export function memoryWebhooks(state: State): Webhooks {
  return {
    async of(organizationId) {
      return state.webhooks.get(organizationId) ?? null;
    },
    async configure(organizationId, decide, journal) {
      const current = state.webhooks.get(organizationId) ?? null;
      const settings = decide(current);
      if (!state.organizations.has(organizationId)) return null;
      const webhook = { id: current?.id ?? nextId(state), organizationId, ...settings };
      writeJournal(state, journal?.(webhook));
      state.webhooks.set(organizationId, webhook);
      return webhook;
    },
    async health(organizationId) {
      const { noticed, ...health } = healthOf(state, organizationId);
      return health;
    },
    async takeFailureNotice({ organizationId, steps }, journal) {
      const { noticed, ...health } = healthOf(state, organizationId);
      const step = Math.max(0, ...steps.filter((one) => one <= health.failuresInRow));
      if (step <= noticed) return null;
      writeJournal(state, journal?.(health));
      state.healths.set(organizationId, { ...health, noticed: step });
      return health;
    },
  };
}

function healthOf(state: State, organizationId: number): WebhookHealth & { readonly noticed: number } {
  const none = { failuresInRow: 0, failingSince: null, lastDeliveredAt: null, noticed: 0 };
  return state.healths.get(organizationId) ?? none;
}

/** Updates the health. Only an organization with a webhook has one. True: failures that were noticed have ended. */
export function countOutcome(
  state: State,
  { organizationId, isTest, state: outcome }: StoredDelivery,
  at: Date,
): boolean {
  if (isTest || outcome === 'skipped' || !state.webhooks.has(organizationId)) return false;
  const before = healthOf(state, organizationId);
  const after =
    outcome === 'delivered'
      ? { failuresInRow: 0, failingSince: null, lastDeliveredAt: at, noticed: 0 }
      : { ...before, failuresInRow: before.failuresInRow + 1, failingSince: before.failingSince ?? at };
  state.healths.set(organizationId, after);
  return before.noticed > after.noticed;
}
