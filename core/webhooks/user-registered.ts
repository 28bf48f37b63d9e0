import type { NewEvent, Registered } from '../ports.js';
import { isSubscribed } from './webhook.js';

/**
 * The event that tells of a registration, or null where the webhook does not want it (decision 21). Its body
 * is made here once: these bytes are stored, signed and sent.
 */
export function userRegistered(
  { organization, member, webhook }: Registered,
  { id, at }: { readonly id: string; readonly at: Date },
): NewEvent | null {
  if (!isSubscribed(webhook, 'user.registered')) return null;

  const { user } = member;
  const payload = {
    event: 'user.registered',
    event_id: id,
    timestamp: at.toISOString(),
    organization: { id: organization.id, name: organization.name },
    user: {
      id: user.id,
      uuid: member.uuid,
      email: user.email,
      first_name: user.firstName,
      last_name: user.lastName,
      created_at: user.createdAt.toISOString(),
    },
  };
  return {
    id,
    name: 'user.registered',
    organizationId: organization.id,
    body: JSON.stringify(payload),
    createdAt: at,
  };
}
