import type { Organization } from '../access/ports/organizations.js';
import type { Member, Registered } from '../users/ports/members.js';
import type { User } from '../users/user.js';
import type { NewEvent, RegistrationEvent } from './ports/event-feed.js';
import { isSubscribed } from './webhook.js';

/**
 * The event for a registration, which is delivered if the webhook is subscribed to it. The body is encoded here only:
 * these bytes are stored, signed and sent.
 */
export function userRegistered(
  { organization, member, webhook }: Registered,
  { id, at }: { readonly id: string; readonly at: Date },
): RegistrationEvent {
  return {
    ...registered({ organization, member }, { id, at }),
    isDelivered: isSubscribed(webhook, 'user.registered'),
  };
}

/**
 * An event about a made-up user, for a test of the webhook. The address cannot exist; the id belongs to no user and
 * fits into a 32-bit column of the receiver.
 */
export function testRegistered(
  organization: Pick<Organization, 'id' | 'name'>,
  { id, at }: { readonly id: string; readonly at: Date },
): NewEvent {
  const user = {
    id: 2_147_483_647,
    email: 'webhook-test@example.invalid',
    firstName: 'Webhook',
    lastName: 'Test',
    createdAt: at,
  };
  const uuid = '00000000-0000-4000-8000-000000000000';
  return registered({ organization, member: { user, uuid } }, { id, at });
}

interface Registration {
  readonly organization: Pick<Organization, 'id' | 'name'>;
  readonly member: Pick<Member, 'uuid'> & { readonly user: Omit<User, 'uuid' | 'avatar'> };
}

function registered(
  { organization, member }: Registration,
  { id, at }: { readonly id: string; readonly at: Date },
): NewEvent {
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
