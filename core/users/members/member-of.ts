import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { Refusal } from '../../errors.js';
import { mayBeId, mayBeUuid } from '../../values/ids.js';
import { isPendingAt } from '../invitations/invitation.js';
import type { Member } from '../ports/members.js';

/** Names a member by the UUID that the organization knows. */
export interface MemberUuid extends OfOrganization {
  /** The UUID as in `Member.uuid`, in any case. */
  readonly uuid: string;
}

type Needs = Uses<'members.byUuid' | 'settings.serviceName'>;

/** Finds the member. Malformed UUIDs and those of other organizations are refused like unknown ones. */
export async function memberOf(deps: Needs, { organization, uuid }: MemberUuid): Promise<Member> {
  if (!mayBeId('organization.id', organization.id) || !mayBeUuid('uuid', uuid)) throw unknownMember(deps);
  const member = await deps.members.byUuid({ organizationId: organization.id, uuid: uuid.toLowerCase() });
  if (member === null) throw unknownMember(deps);
  return member;
}

/** Refuses the UUID of a person who was invited and has not accepted yet. Other UUIDs are not refused here. */
export async function refuseInvited(
  { invitations, clock }: Uses<'clock.now' | 'invitations.byUserUuid'>,
  key: { readonly organizationId: number; readonly uuid: string },
): Promise<void> {
  const invitation = await invitations.byUserUuid(key);
  if (invitation === null || !isPendingAt(invitation, clock.now())) return;
  throw new Refusal('invitation-pending', 'The user has not accepted the invitation yet');
}

export function unknownMember({ settings }: Uses<'settings.serviceName'>): Refusal {
  return new Refusal('member-not-found', `User not found on ${settings.serviceName}`);
}
