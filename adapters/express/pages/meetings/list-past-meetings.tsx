import type { OwnMeetings } from '@rollcall/core';
import { memberOfVisit } from '../calendar/create-calendar-feed.js';
import { Empty } from '../design/components.js';
import { noProblems } from '../design/form.js';
import { Pagination } from '../design/list.js';
import { ZoneNote } from '../design/times.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { MeetingDays, MeetingFilters } from './meeting-days.js';
import { foundBy, MeetingSearch, NothingFound, parametersOf, searchIn } from './meeting-search.js';

/** The meetings of one organization in which a member had a seat. */
export const listPastMeetings = memberPage({
  path: paths.pastMeetings(':id'),
  section: 'my-meetings',
  async get(visit) {
    const { core, organization, request } = visit;
    const { page } = request.query;
    const search = searchIn(request);
    const path = paths.pastMeetings(organization.id);
    const found = await foundBy(core.listPastMeetings({ ...memberOfVisit(visit), page, search }));
    visit.show({
      problems: 'meetings' in found ? noProblems : found,
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
          <MeetingSearch {...{ path, search, found }} />
          {'meetings' in found && <PastMeetings visit={visit} meetings={found} search={search} />}
        </>
      ),
    });
  },
});

interface PastMeetingsProps {
  readonly visit: MemberVisit;
  readonly meetings: OwnMeetings;
  readonly search: string;
}

/** More meetings than these are below their months. */
const MAX_MEETINGS_BY_DAY = 10;

function PastMeetings({ visit, meetings, search }: PastMeetingsProps) {
  const { organization, zone } = visit;
  const { totalItems, currentPage, totalPages } = meetings;
  if (totalItems === 0 && search === '') return <NoMeetings path={paths.meetings(organization.id)} />;
  if (meetings.meetings.length === 0)
    return <NothingFound path={paths.pastMeetings(organization.id)} found={meetings} search={search} />;
  return (
    <>
      <ZoneNote zone={zone} />
      <MeetingDays {...{ visit, meetings }} isPast byMonth={totalItems > MAX_MEETINGS_BY_DAY} />
      <Pagination current={currentPage} total={totalPages} query={parametersOf(search)} />
    </>
  );
}

function NoMeetings({ path }: { readonly path: string }) {
  return (
    <Empty next={{ href: path, text: 'Upcoming meetings' }}>
      Meetings that you had a seat in appear here after they end.
    </Empty>
  );
}
