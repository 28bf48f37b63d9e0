import { Confirm } from '../design/components.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { feedField, isUnchanged, memberOfVisit } from './create-calendar-feed.js';

/** Ends a member's private calendar address, after asking. */
export const revokeCalendarFeed = memberPage({
  path: paths.revokeCalendar(':id'),
  role: 'member',
  section: 'my-meetings',
  async get(visit) {
    const feed = await visit.core.findCalendarFeed(memberOfVisit(visit));
    const path = paths.calendar(visit.organization.id);
    if (feed === null) return visit.leadTo(path);
    visit.show({
      title: 'Revoke your calendar address?',
      body: (
        <Confirm
          question="Revoke your calendar address?"
          action={paths.revokeCalendar(visit.organization.id)}
          token={visit.token}
          fields={feedField(feed)}
          confirmLabel="Revoke the address"
          cancelPath={path}
        >
          <p>
            It stops working at once, and calendars that use it stop updating. You can create a new address at
            any time.
          </p>
        </Confirm>
      ),
    });
  },
  async post(visit) {
    const path = paths.calendar(visit.organization.id);
    if (!(await isUnchanged(visit))) return visit.leadTo(path, 'calendar-changed');
    await visit.core.revokeCalendarFeed(memberOfVisit(visit));
    visit.leadTo(path, 'calendar-revoked');
  },
});

/** Asks before a new calendar address replaces the old one. */
export const replaceCalendarFeed = memberPage({
  path: paths.replaceCalendar(':id'),
  role: 'member',
  section: 'my-meetings',
  async get(visit) {
    const feed = await visit.core.findCalendarFeed(memberOfVisit(visit));
    const path = paths.calendar(visit.organization.id);
    if (feed === null) return visit.leadTo(path);
    visit.show({
      title: 'Replace your calendar address?',
      body: (
        <Confirm
          question="Replace your calendar address?"
          action={path}
          token={visit.token}
          fields={feedField(feed)}
          confirmLabel="Replace the address"
          cancelPath={path}
        >
          <p>
            Your current address stops working at once. Calendars that use it stop updating until you add the
            new one.
          </p>
        </Confirm>
      ),
    });
  },
});
