import type { Dashboard } from '../dashboard.js';
import { leaveNotice } from '../design/notice.js';
import { Confirm } from '../design/parts.js';
import type { Page } from '../page.js';
import { inOrganization, showTo } from '../visit.js';
import { calendarPath, isAsSeen, leaveUnchanged, memberIn, seenFeed } from './create-calendar-feed.js';

/** Ends a member's private calendar address, after asking. */
export function revokeCalendarFeed(dashboard: Dashboard): Page {
  const { core } = dashboard;
  return {
    path: '/organizations/:id/calendar/revoke',
    get: inOrganization(dashboard, { role: 'member', section: 'my-meetings' }, async (visit) => {
      const feed = await core.findCalendarFeed(memberIn(visit));
      const path = calendarPath(visit.organization.id);
      if (feed === null) return visit.response.redirect(303, path);
      showTo(visit, dashboard, {
        title: 'Revoke your calendar address?',
        body: (
          <Confirm
            question="Revoke your calendar address?"
            action={`${path}/revoke`}
            token={visit.signedIn.formToken}
            fields={seenFeed(feed)}
            yes="Revoke the address"
            back={path}
          >
            <p>
              It stops working at once, and calendars that use it stop updating. You can create a new address
              at any time.
            </p>
          </Confirm>
        ),
      });
    }),
    post: inOrganization(dashboard, { role: 'member', section: 'my-meetings' }, async (visit) => {
      if (!(await isAsSeen(dashboard, visit))) return leaveUnchanged(dashboard, visit);
      await core.revokeCalendarFeed(memberIn(visit));
      leaveNotice(dashboard, visit.response, 'calendar-revoked');
      visit.response.redirect(303, calendarPath(visit.organization.id));
    }),
  };
}
