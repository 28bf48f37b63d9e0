import { Confirm } from '../design/components.js';
import { setNotice } from '../design/notice.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { requireMember, showPageTo } from '../visit.js';
import {
  calendarPath,
  feedField,
  isUnchanged,
  memberOfVisit,
  redirectUnchanged,
} from './create-calendar-feed.js';

/** Ends a member's private calendar address, after asking. */
export function revokeCalendarFeed(deps: PageDeps): Page {
  const { core } = deps;
  return {
    path: '/organizations/:id/calendar/revoke',
    get: requireMember(deps, { role: 'member', section: 'my-meetings' }, async (visit) => {
      const feed = await core.findCalendarFeed(memberOfVisit(visit));
      const path = calendarPath(visit.organization.id);
      if (feed === null) return visit.response.redirect(303, path);
      showPageTo(visit, deps, {
        title: 'Revoke your calendar address?',
        body: (
          <Confirm
            question="Revoke your calendar address?"
            action={`${path}/revoke`}
            token={visit.signedIn.formToken}
            fields={feedField(feed)}
            confirmLabel="Revoke the address"
            cancelPath={path}
          >
            <p>
              It stops working at once, and calendars that use it stop updating. You can create a new address
              at any time.
            </p>
          </Confirm>
        ),
      });
    }),
    post: requireMember(deps, { role: 'member', section: 'my-meetings' }, async (visit) => {
      if (!(await isUnchanged(deps, visit))) return redirectUnchanged(deps, visit);
      await core.revokeCalendarFeed(memberOfVisit(visit));
      setNotice(deps, visit.response, 'calendar-revoked');
      visit.response.redirect(303, calendarPath(visit.organization.id));
    }),
  };
}
