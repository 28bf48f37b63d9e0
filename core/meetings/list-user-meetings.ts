import type { Uses } from '../deps.js';
import { type MemberUuid, memberOf } from '../users/member-of.js';
import { clampPage } from '../values/page.js';
import { type UpcomingMeetings, upcomingOf } from './upcoming-meetings.js';

/** The request of `listUserMeetings`. */
export interface ListUserMeetings extends MemberUuid {
  /** From 1, which is the default; limited to its range and never refused. */
  readonly page?: unknown;
  /** The size of a page, from 1 to 100; 10 by default. Limited to its range and never refused. */
  readonly items?: unknown;
}

/**
 * Lists the same meetings as `listUpcomingMeetings`, for the member whom the organization knows under this UUID.
 *
 * @throws `Refusal`: `member-not-found`.
 */
export async function listUserMeetings(
  deps: Uses<
    | 'clock.now'
    | 'links.defaultAvatar'
    | 'meetings.details'
    | 'meetings.places'
    | 'members.byUuid'
    | 'settings.serviceName'
  >,
  { page, items, ...request }: ListUserMeetings,
): Promise<UpcomingMeetings> {
  const { organizationId, user } = await memberOf(deps, request);
  const requested = clampPage({ page, size: items, defaultSize: 10 });
  return upcomingOf(deps, { organizationId, userId: user.id, now: deps.clock.now(), page: requested });
}
