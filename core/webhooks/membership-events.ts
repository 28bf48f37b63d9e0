import type { Organization } from '../access/ports/organizations.js';
import type { Uses } from '../deps.js';
import type { Member, MembershipFacts } from '../users/ports/members.js';
import type { User } from '../users/user.js';
import type { EventName, NewEvent } from './events.js';

/** When an event happened, and its id. */
export interface EventMoment {
  /** A UUID. */
  readonly id: string;
  /** The time by the core's clock. */
  readonly at: Date;
}

/** Builds an event that tells of a membership. */
type TellOf = (facts: MembershipFacts, moment: EventMoment) => NewEvent;

/**
 * The events that tell that somebody has registered, and those that tell that a membership has ended. Pages, the API,
 * commands, imports and erasures all take them from here.
 */
export const membershipEvents: {
  readonly registered: readonly TellOf[];
  /** None so far. The event of an erasure must not name the person: see `PersonalData.erase`. */
  readonly ended: readonly TellOf[];
} = { registered: [userRegistered], ended: [] };

/** Builds the events that tell of these memberships. */
export function tellOf(
  moment: keyof typeof membershipEvents,
  { facts, at, ids }: Uses<'ids.uuid'> & { readonly facts: readonly MembershipFacts[]; readonly at: Date },
): readonly NewEvent[] {
  return facts.flatMap((one) => membershipEvents[moment].map((tell) => tell(one, { id: ids.uuid(), at })));
}

/** The event of a registration. */
export function userRegistered({ organization, member }: MembershipFacts, moment: EventMoment): NewEvent {
  const { uuid, user } = member;
  const event = encoded('user.registered', { ...moment, organization, about: { user: userOf(member) } });
  return { ...event, about: { id: user.id, uuid, email: user.email } };
}

/** The event that a test sends. */
export const testEventName: EventName = 'user.registered';

/**
 * An event about a made-up user, for a test of the webhook. The address cannot exist; the id belongs to no user and
 * fits into a 32-bit column of the receiver.
 */
export function testRegistered(
  organization: Pick<Organization, 'id' | 'name'>,
  moment: EventMoment,
): NewEvent {
  const user = {
    id: 2_147_483_647,
    email: 'webhook-test@example.invalid',
    firstName: 'Webhook',
    lastName: 'Test',
    createdAt: moment.at,
  };
  const made = userOf({ user, uuid: '00000000-0000-4000-8000-000000000000' });
  return encoded(testEventName, { ...moment, organization, about: { user: made } });
}

function userOf({ user, uuid }: Pick<Member, 'uuid'> & { readonly user: Omit<User, 'uuid' | 'avatar'> }) {
  return {
    id: user.id,
    uuid,
    email: user.email,
    first_name: user.firstName,
    last_name: user.lastName,
    created_at: user.createdAt.toISOString(),
  };
}

/** A body is encoded here only: these bytes are stored, signed and sent. */
function encoded(
  name: EventName,
  {
    id,
    at,
    organization,
    about,
  }: EventMoment & { readonly organization: Pick<Organization, 'id' | 'name'>; readonly about: object },
): NewEvent {
  const body = JSON.stringify({
    event: name,
    event_id: id,
    timestamp: at.toISOString(),
    organization: { id: organization.id, name: organization.name },
    ...about,
  });
  return { id, name, organizationId: organization.id, body, createdAt: at };
}
