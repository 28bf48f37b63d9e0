import type { OwnMeetings } from '@rollcall/core';
import type { ComponentChildren, VNode } from 'preact';
import { memberOfVisit } from '../calendar/create-calendar-feed.js';
import { Empty, Filters, Icon } from '../design/components.js';
import { noProblems } from '../design/form.js';
import {
  counted,
  foundBy,
  ListCount,
  Pagination,
  PastEnd,
  SearchField,
  SearchForm,
  searchIn,
} from '../design/list.js';
import type { NoticeView } from '../design/notice.js';
import { ZoneNote } from '../design/times.js';
import { memberPage, type Page } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { MeetingDays, NextMeeting } from './meeting-days.js';

/** Fewer meetings are quickly read. */
const MIN_SEARCHED_MEETINGS = 10;

/** More past meetings than these are below their months. */
const MAX_MEETINGS_BY_DAY = 10;

/** What a search for meetings looks at. */
export const SEARCH_HELP = 'Part of a name, topic or host.';

type Asked = Parameters<MemberVisit['core']['listOwnMeetings']>[0];

const lists = {
  upcoming: {
    title: 'Upcoming',
    path: paths.meetings,
    find: ({ core }: MemberVisit, asked: Asked) => core.listOwnMeetings(asked),
  },
  past: {
    title: 'Past',
    path: paths.pastMeetings,
    find: ({ core }: MemberVisit, asked: Asked) => core.listPastMeetings(asked),
  },
} as const;

/** What only one of the two lists has. */
interface OwnList {
  readonly title: string;
  readonly notice?: NoticeView | null;
  readonly head: ComponentChildren;
  /** What stands above the search. */
  readonly above?: ComponentChildren;
  readonly rows: (list: OwnMeetings) => VNode;
  /** Shown if there are no meetings at all. */
  readonly none: VNode;
}

/** A member's own upcoming meetings with one organization. */
export const listUpcomingMeetings = ownMeetings('upcoming', (visit, found, search) => {
  const { organization, session, zone } = visit;
  const isStart = found?.currentPage === 1 && search === '';
  const next = isStart ? found.meetings.find(({ registeredAt }) => registeredAt !== null) : undefined;
  const notice = visit.consumeNotice();
  const joined = (
    <>
      You have joined <bdi>{organization.name}</bdi>. Next time, sign in with <bdi>{session.user.email}</bdi>{' '}
      and your password.
    </>
  );
  return {
    title: `Your meetings with ${organization.name}`,
    notice: notice?.name === 'joined' ? { ...notice, text: joined } : notice,
    head: (
      <>
        <h1>
          Hello, <bdi>{session.user.firstName}</bdi>
        </h1>
        <p>
          {found?.totalItems === 0 ? 'Your meetings with ' : 'Your upcoming meetings with '}
          <bdi>{organization.name}</bdi>
        </p>
      </>
    ),
    above: found && next && <NextMeeting {...{ visit, next }} list={found} />,
    rows: (list) => (
      <>
        <div class="above-list">
          <a href={paths.calendar(organization.id)} class="with-icon">
            <Icon name="calendar" />
            Add all to your calendar
          </a>
          <ZoneNote zone={zone} />
        </div>
        <MeetingDays {...{ visit, list, next }} />
      </>
    ),
    none: (
      <Empty next={{ href: paths.calendar(organization.id), text: 'Set up your calendar' }}>
        You have no upcoming meetings. When you are registered or waitlisted for one, it appears here, and in
        your calendar if you like.
      </Empty>
    ),
  };
});

/** The meetings of one organization in which a member had a seat. */
export const listPastMeetings = ownMeetings('past', (visit) => {
  const { organization, zone } = visit;
  return {
    title: `Your past meetings with ${organization.name}`,
    head: (
      <>
        <h1>Past meetings</h1>
        <p>
          The meetings with <bdi>{organization.name}</bdi> in which you had a seat, the latest first
        </p>
      </>
    ),
    rows: (list) => (
      <>
        <ZoneNote zone={zone} />
        <MeetingDays {...{ visit, list }} isPast hasDay={list.totalItems > MAX_MEETINGS_BY_DAY} />
      </>
    ),
    none: (
      <Empty next={{ href: paths.meetings(organization.id), text: 'Upcoming meetings' }}>
        Meetings that you had a seat in appear here after they end.
      </Empty>
    ),
  };
});

/** The page of one of the two lists, with a search if it is long. `found` is null if the search has a problem. */
function ownMeetings(
  chosen: keyof typeof lists,
  listOf: (visit: MemberVisit, found: OwnMeetings | null, search: string) => OwnList,
): Page {
  const { path: pathOf, find } = lists[chosen];
  return memberPage({
    path: pathOf(':id'),
    async get(visit) {
      const { organization, request } = visit;
      const { id } = organization;
      const search = searchIn(request);
      const asked = { ...memberOfVisit(visit), page: request.query.page, search };
      const answer = await foundBy(find(visit, asked));
      const [found, problems] = 'meetings' in answer ? [answer, noProblems] : [null, answer];
      const { head, above, rows, none, ...view } = listOf(visit, found, search);
      const path = pathOf(id);
      const choices = Object.entries(lists).map(([name, list]) => ({ ...list, name, href: list.path(id) }));
      const hasSearch = search !== '' || found === null || found.totalItems >= MIN_SEARCHED_MEETINGS;
      visit.show(
        { ...view, problems },
        <hgroup>{head}</hgroup>,
        <Filters label="Your meetings" {...{ choices, chosen }} />,
        above,
        hasSearch && (
          <SearchForm path={path} showAll={search !== '' && { href: path, text: 'Show all' }}>
            <SearchField
              label="Search your meetings"
              value={search}
              help={SEARCH_HELP}
              problem={problems.fields.search}
            />
          </SearchForm>
        ),
        search !== '' && found !== null && (
          <ListCount isNarrowed>
            {counted(found.totalItems, { one: 'meeting', several: 'meetings' })} with “<bdi>{search}</bdi>”
          </ListCount>
        ),
        found !== null && <Rows {...{ found, search, path, rows, none }} />,
      );
    },
  });
}

type RowsProps = Pick<OwnList, 'rows' | 'none'> &
  Readonly<{ found: OwnMeetings; search: string; path: string }>;

function Rows({ found, search, path, rows, none }: RowsProps) {
  const { meetings, totalItems, currentPage, totalPages } = found;
  if (totalItems === 0 && search === '') return none;
  if (totalItems === 0)
    return <Empty next={{ href: path, text: 'Show all' }}>No meeting matches. Try a shorter search.</Empty>;
  const parameters: Readonly<Record<string, string>> = search === '' ? {} : { search };
  if (meetings.length === 0) return <PastEnd parameters={parameters} />;
  return (
    <>
      {rows(found)}
      <Pagination current={currentPage} total={totalPages} query={parameters} />
    </>
  );
}
