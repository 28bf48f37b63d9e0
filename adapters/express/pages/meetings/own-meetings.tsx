import type { OwnMeetings } from '@rollcall/core';
import type { ComponentChildren, VNode } from 'preact';
import { Empty, Filters } from '../design/components.js';
import { type FormProblems, noProblems } from '../design/form.js';
import { counted, ListCount, Pagination, PastEnd, SearchField, SearchForm } from '../design/list.js';
import type { NoticeView } from '../design/notice.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';

/** Fewer meetings are quickly read. */
const MIN_SEARCHED_MEETINGS = 10;

/** What a search for meetings looks at. */
export const SEARCH_HELP = 'Part of a name, topic or host.';

/** The meetings that are found, or the problem of the search. */
type FoundMeetings = OwnMeetings | FormProblems;

interface OwnList {
  readonly chosen: 'upcoming' | 'past';
  readonly search: string;
  readonly found: FoundMeetings;
  readonly title: string;
  readonly notice?: NoticeView | null;
  readonly head: ComponentChildren;
  /** What stands above the search. */
  readonly above?: ComponentChildren;
  readonly rows: (meetings: OwnMeetings) => VNode;
  /** Shown if there are no meetings at all. */
  readonly none: VNode;
}

/** Shows one of the two lists of a member's own meetings. */
export function showOwnMeetings(visit: MemberVisit, list: OwnList): void {
  const { chosen, search, found, title, notice = null, head, above } = list;
  const { id } = visit.organization;
  const choices = [
    { name: 'upcoming', title: 'Upcoming', href: paths.meetings(id) },
    { name: 'past', title: 'Past', href: paths.pastMeetings(id) },
  ] as const;
  const path = choices[chosen === 'past' ? 1 : 0].href;
  const isFound = 'meetings' in found;
  visit.show({
    problems: isFound ? noProblems : found,
    title,
    notice,
    body: (
      <>
        <hgroup>{head}</hgroup>
        <Filters label="Your meetings" {...{ choices, chosen }} />
        {above}
        <Search {...{ path, search, found }} />
        {isFound && <Rows {...list} {...{ path, found }} />}
      </>
    ),
  });
}

interface SearchProps extends Pick<OwnList, 'search' | 'found'> {
  readonly path: string;
}

/** Searches a long list, and says how much was found. */
function Search({ path, search, found }: SearchProps) {
  const isFound = 'meetings' in found;
  if (search === '' && isFound && found.totalItems < MIN_SEARCHED_MEETINGS) return null;
  return (
    <>
      <SearchForm path={path} showAll={search !== '' && { href: path, text: 'Show all' }}>
        <SearchField
          label="Search your meetings"
          value={search}
          help={SEARCH_HELP}
          problem={isFound ? undefined : found.fields.search}
        />
      </SearchForm>
      {search !== '' && isFound && (
        <ListCount isNarrowed>
          {counted(found.totalItems, { one: 'meeting', several: 'meetings' })} with “<bdi>{search}</bdi>”
        </ListCount>
      )}
    </>
  );
}

interface RowsProps extends Pick<OwnList, 'search' | 'rows' | 'none'> {
  readonly path: string;
  readonly found: OwnMeetings;
}

function Rows({ path, search, found, rows, none }: RowsProps) {
  const { meetings, totalItems, currentPage, totalPages } = found;
  const parameters: Readonly<Record<string, string>> = search === '' ? {} : { search };
  if (totalItems === 0 && search === '') return none;
  if (totalItems === 0)
    return <Empty next={{ href: path, text: 'Show all' }}>No meeting matches. Try a shorter search.</Empty>;
  if (meetings.length === 0) return <PastEnd parameters={parameters} />;
  return (
    <>
      {rows(found)}
      <Pagination current={currentPage} total={totalPages} query={parameters} />
    </>
  );
}
