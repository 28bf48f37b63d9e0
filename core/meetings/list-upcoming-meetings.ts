import type { OfOrganization } from '../access/of-organization.js';
import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { checkText, mayBeId } from '../values/ids.js';
import { clampPage, pageOffset } from '../values/page.js';
import { isStorable } from '../values/text.js';
import { mergePlaces } from './merge-places.js';
import type { BeforeLongTexts } from './ports/meetings.js';
import { type UpcomingMeetings, upcomingPage } from './upcoming-meetings.js';

/** The request of `listUpcomingMeetings`. */
export interface ListUpcomingMeetings extends OfOrganization {
  /** The id under which the organization's identity provider knows the member. */
  readonly idpId: string;
  /** From 1, which is the default; limited to its range and never refused. */
  readonly page?: unknown;
  /** The size of a page, from 1 to 100; 10 by default. Limited to its range and never refused. */
  readonly items?: unknown;
  /** Called before long descriptions are read, for a server that limits how many long answers it makes at once. */
  readonly beforeLongTexts?: BeforeLongTexts | undefined;
}

/**
 * Lists the upcoming meetings in which a member has a seat or waits for one, one page at a time.
 *
 * @throws `Refusal`: `member-not-found`.
 */
export async function listUpcomingMeetings(
  deps: Uses<'clock.now' | 'links.defaultAvatar' | 'meetings.placesOf' | 'settings.serviceName'>,
  { organization, idpId, page, items, beforeLongTexts }: ListUpcomingMeetings,
): Promise<UpcomingMeetings> {
  checkText('idpId', idpId);
  const requested = clampPage({ page, size: items, defaultSize: 10 });
  const isPossible = mayBeId('organization.id', organization.id) && isStorable(idpId);
  const found = isPossible
    ? await deps.meetings.placesOf({
        ...{ organizationId: organization.id, idpId, now: deps.clock.now() },
        page: { offset: pageOffset(requested), limit: requested.size },
        beforeLongTexts,
      })
    : null;
  if (found === null) throw new Refusal('member-not-found', `User not found on ${deps.settings.serviceName}`);
  const { registered, waiting, details, total } = found;
  return upcomingPage(deps, { places: mergePlaces(registered, waiting), details, total, page: requested });
}
