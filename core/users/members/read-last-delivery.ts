import type { Uses } from '../../deps.js';
import type { Delivery } from '../../webhooks/ports/deliveries.js';
import { type ReadMember, readMember } from './read-member.js';

/** The request of `readLastDelivery`. */
export type ReadLastDelivery = ReadMember;

/**
 * The delivery of the newest event about a member, or null: there was none, or it is no longer kept. Events tell of a
 * member at the moment of joining, so the index by time finds it among any number of others.
 *
 * @throws `Refusal`: `member-not-found`.
 */
export async function readLastDelivery(
  deps: Uses<'deliveries.list' | 'members.byUserId'>,
  { organization, userId }: ReadLastDelivery,
): Promise<Delivery | null> {
  const { organizationId, joinedAt: since } = await readMember(deps, { organization, userId });
  const until = new Date(since.getTime() + 1);
  const [last = null] = await deps.deliveries.list({ organizationId, userId, since, until, limit: 1 });
  return last;
}
