import { Empty } from '../design/components.js';
import { Pagination } from '../design/pagination.js';
import { ZoneNote } from '../design/times.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { myMeetingsPath } from '../session.js';
import { requireMember, showPageTo } from '../visit.js';
import { MeetingDays, MeetingFilters } from './meeting-days.js';

/** The meetings of one organization in which a member had a seat. */
export function listPastMeetings(deps: PageDeps): Page {
  const { core, address, serviceName } = deps;
  return {
    path: '/organizations/:id/meetings/past',
    get: requireMember(deps, { role: 'member', section: 'my-meetings' }, async (visit) => {
      const { organization, zone, session, request } = visit;
      const { page } = request.query;
      const member = { organizationId: organization.id, userId: session.user.id };
      const meetings = await core.listPastMeetings({ ...member, page });
      showPageTo(visit, deps, {
        title: `Your past meetings with ${organization.name}`,
        body: (
          <>
            <hgroup>
              <h1>Past meetings</h1>
              <p>
                Your meetings with <bdi>{organization.name}</bdi>, the latest first
              </p>
            </hgroup>
            <MeetingFilters organization={organization} chosen="past" />
            {meetings.meetings.length === 0 ? (
              <NoMeetings path={myMeetingsPath(organization.id)} isPastEnd={meetings.totalItems > 0} />
            ) : (
              <>
                <ZoneNote zone={zone} />
                <MeetingDays {...{ organization, meetings, zone, address, serviceName }} isPast />
              </>
            )}
            <Pagination current={meetings.currentPage} total={meetings.totalPages} />
          </>
        ),
      });
    }),
  };
}

function NoMeetings({ path, isPastEnd }: { readonly path: string; readonly isPastEnd: boolean }) {
  if (isPastEnd)
    return <Empty next={{ href: '?page=1', text: 'Go to the first page' }}>This page is empty.</Empty>;
  return (
    <Empty next={{ href: path, text: 'Upcoming meetings' }}>
      Meetings that you had a seat in appear here after they end.
    </Empty>
  );
}
