import type { Dashboard } from '../dashboard.js';
import { Confirm } from '../design/parts.js';
import type { Page } from '../page.js';
import { inOrganization, showTo } from '../visit.js';
import { calendarPath, memberIn, seenFeed } from './create-calendar-feed.js';

/** Asks before a new calendar address replaces the old one. */
export function replaceCalendarFeed(dashboard: Dashboard): Page {
  return {
    path: '/organizations/:id/calendar/replace',
    get: inOrganization(dashboard, { role: 'member', section: 'my-meetings' }, async (visit) => {
      const feed = await dashboard.core.findCalendarFeed(memberIn(visit));
      const path = calendarPath(visit.organization.id);
      if (feed === null) return visit.response.redirect(303, path);
      showTo(visit, dashboard, {
        title: 'Create a new calendar address?',
        body: (
          <Confirm
            question="Create a new calendar address?"
            action={path}
            token={visit.signedIn.formToken}
            fields={seenFeed(feed)}
            yes="Create a new address"
            back={path}
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
