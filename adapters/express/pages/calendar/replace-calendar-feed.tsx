import { Confirm } from '../design/components.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { requireMember, showPageTo } from '../visit.js';
import { calendarPath, feedField, memberOfVisit } from './create-calendar-feed.js';

/** Asks before a new calendar address replaces the old one. */
export function replaceCalendarFeed(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/calendar/replace',
    get: requireMember(deps, { role: 'member', section: 'my-meetings' }, async (visit) => {
      const feed = await deps.core.findCalendarFeed(memberOfVisit(visit));
      const path = calendarPath(visit.organization.id);
      if (feed === null) return visit.response.redirect(303, path);
      showPageTo(visit, deps, {
        title: 'Replace your calendar address?',
        body: (
          <Confirm
            question="Replace your calendar address?"
            action={path}
            token={visit.signedIn.formToken}
            fields={feedField(feed)}
            confirmLabel="Replace the address"
            cancelPath={path}
          >
            <p>
              Your current address stops working at once. Calendars that use it stop updating until you add
              the new one.
            </p>
          </Confirm>
        ),
      });
    }),
  };
}
