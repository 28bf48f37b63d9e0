import type { OwnMeetings } from '@rollcall/core';
import type { Request } from 'express';
import { Empty, SearchButton } from '../design/components.js';
import { Field, type FormProblems, problemsOf } from '../design/form.js';
import { counted, ListCount, PastEnd } from '../design/list.js';

/** Fewer meetings are quickly read. */
const MIN_SEARCHED_MEETINGS = 10;

/** The search in the address of a member's list. */
export function searchIn({ query: { search } }: Request): string {
  return typeof search === 'string' ? search.trim() : '';
}

/** The meetings that are found, or the problem of the search. */
export type FoundMeetings = OwnMeetings | FormProblems;

export function foundBy(work: Promise<OwnMeetings>): Promise<FoundMeetings> {
  return work.catch((error: unknown) => problemsOf(error, { search: 'Search' }));
}

interface MeetingSearchProps {
  readonly path: string;
  readonly search: string;
  readonly found: FoundMeetings;
}

/** Searches a long list of a member, and says how much was found. */
export function MeetingSearch({ path, search, found }: MeetingSearchProps) {
  const isFound = 'meetings' in found;
  if (search === '' && isFound && found.totalItems < MIN_SEARCHED_MEETINGS) return null;
  return (
    <>
      <search>
        <form class="search-form" method="get" action={path} noValidate>
          <Field
            isRequired={false}
            name="search"
            label="Search your meetings"
            autocomplete="off"
            value={search}
            help="Part of a name, topic or host."
            problem={isFound ? undefined : found.fields.search}
          />
          <div class="actions">
            <SearchButton />
            {search !== '' && <a href={path}>Show all</a>}
          </div>
        </form>
      </search>
      {search !== '' && isFound && (
        <ListCount isNarrowed>
          {counted(found.totalItems, { one: 'meeting', several: 'meetings' })} with “<bdi>{search}</bdi>”
        </ListCount>
      )}
    </>
  );
}

/** Shown instead of a list that is empty because of the address. Null: there are no meetings at all. */
export function NothingFound({ path, search, found }: MeetingSearchProps & { readonly found: OwnMeetings }) {
  if (found.totalItems > 0) return <PastEnd parameters={parametersOf(search)} />;
  return <Empty next={{ href: path, text: 'Show all' }}>No meeting matches. Try a shorter search.</Empty>;
}

/** The parameters of the list's address. */
export function parametersOf(search: string): Readonly<Record<string, string>> {
  return search === '' ? {} : { search };
}
