import { parseInstant } from '@rollcall/core/rules';
import { listedDeliveryAnswer, statesOf } from '../delivery-answer.js';
import { securedOperation } from '../operation.js';

/** Lists what happened to each event. */
export const listDeliveries = securedOperation('listDeliveries', async ({ core, organization, input }) => {
  const { state, event_id: eventId, since, until, limit, after } = input;
  const { items, next } = await core.listDeliveryLog({
    organization,
    states: state && statesOf[state],
    eventId,
    since: instantOf(since),
    until: instantOf(until),
    limit,
    after,
  });
  return { success: true as const, deliveries: items.map(listedDeliveryAnswer), next };
});

function instantOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : (parseInstant(text) ?? undefined);
}
