import { memberOfVisit } from '../calendar/create-calendar-feed.js';
import { Empty } from '../design/components.js';
import { Pagination, PastEnd } from '../design/list.js';
import { ZoneNote } from '../design/times.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { MeetingDays, MeetingFilters } from './meeting-days.js';

/** The meetings of one organization in which a member had a seat. */
export const listPastMeetings = memberPage({
  path: paths.pastMeetings(':id'),
  section: 'my-meetings',
  async get(visit) {
    const { core, organization, zone, request } = visit;
    const { page } = request.query;
    const meetings = await core.listPastMeetings({ ...memberOfVisit(visit), page });
    visit.show({
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
            <NoMeetings path={paths.meetings(organization.id)} isPastEnd={meetings.totalItems > 0} />
          ) : (
            <>
              <ZoneNote zone={zone} />
              <MeetingDays {...{ visit, meetings }} isPast />
            </>
          )}
          <Pagination current={meetings.currentPage} total={meetings.totalPages} />
        </>
      ),
    });
  },
});

function NoMeetings({ path, isPastEnd }: { readonly path: string; readonly isPastEnd: boolean }) {
  if (isPastEnd) return <PastEnd />;
  return (
    <Empty next={{ href: path, text: 'Upcoming meetings' }}>
      Meetings that you had a seat in appear here after they end.
    </Empty>
  );
}
