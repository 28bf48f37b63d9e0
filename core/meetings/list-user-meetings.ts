import type { Uses } from '../deps.js';
import { type MemberUuid, memberOf, refuseInvited } from '../users/members/member-of.js';
import type { Member } from '../users/ports/members.js';
import { isId, isUuid } from '../values/ids.js';
import { clampPage } from '../values/page.js';
import type { ListUpcomingMeetings } from './list-upcoming-meetings.js';
import { type OwnMeetings, upcomingOf } from './upcoming-meetings.js';

/** The request of `listUserMeetings`. */
export interface ListUserMeetings
  extends MemberUuid,
    Pick<ListUpcomingMeetings, 'page' | 'items' | 'beforeLongTexts'> {}

/**
 * Lists the same meetings as `listUpcomingMeetings`, for the member whom the organization knows under this UUID.
 *
 * @throws `Refusal`: `member-not-found`; `invitation-pending` if the person has not accepted yet.
 */
export async function listUserMeetings(
  deps: Uses<typeof joinedMember | typeof upcomingOf>,
  { page, items, beforeLongTexts, ...request }: ListUserMeetings,
): Promise<OwnMeetings> {
  const { organizationId, user } = await joinedMember(deps, request);
  const requested = clampPage({ page, size: items, defaultSize: 10 });
  const now = deps.clock.now();
  const member = { organizationId, userId: user.id, now };
  return { ...(await upcomingOf(deps, { ...member, page: requested, beforeLongTexts })), asOf: now };
}

async function joinedMember(
  deps: Uses<typeof memberOf | typeof refuseInvited>,
  request: MemberUuid,
): Promise<Member> {
  try {
    return await memberOf(deps, request);
  } catch (error) {
    const { organization, uuid } = request;
    if (isId(organization.id) && isUuid(uuid))
      await refuseInvited(deps, { organizationId: organization.id, uuid: uuid.toLowerCase() });
    throw error;
  }
}
