import type { Dashboard } from '../dashboard.js';
import { Form } from '../design/form.js';
import { Notice } from '../design/layout.js';
import { leaveNotice, takeNotice } from '../design/notice.js';
import { CopyText, ShownOnce } from '../design/parts.js';
import { Timestamp, type TimeZone, ZoneNote } from '../design/times.js';
import { type FormToken, fieldOf } from '../form-guard.js';
import { organizationPath } from '../organization/sections.js';
import type { Page } from '../page.js';
import { memberPath } from '../session.js';
import { inOrganization, showTo, type Visit } from '../visit.js';

/** A member's private calendar address. Only the answer to the form shows it. */
export function createCalendarFeed(dashboard: Dashboard): Page {
  const { core } = dashboard;
  return {
    path: '/organizations/:id/calendar',
    get: inOrganization(dashboard, { role: 'member', section: 'my-meetings' }, async (visit) => {
      const { organization, zone, signedIn, request, response } = visit;
      const feed = await core.findCalendarFeed(memberIn(visit));
      const notice = takeNotice(dashboard, request, response);
      showTo(visit, dashboard, {
        title: `Your calendar with ${organization.name}`,
        body: <CalendarView {...{ feed, notice, zone, organization }} token={signedIn.formToken} />,
      });
    }),
    post: inOrganization(dashboard, { role: 'member', section: 'my-meetings' }, async (visit) => {
      if (!(await isAsSeen(dashboard, visit))) return leaveUnchanged(dashboard, visit);
      const { organization } = visit;
      const { url } = await core.createCalendarFeed(memberIn(visit));
      showTo(visit, dashboard, {
        title: `Your calendar address with ${organization.name}`,
        body: <AddressView {...{ url, organization }} />,
      });
    }),
  };
}

export function calendarPath(organizationId: number): string {
  return `${organizationPath(organizationId)}/calendar`;
}

/** A member's feed. Null when there is none. */
type KnownFeed = { readonly createdAt: Date } | null;

export function memberIn({ organization, session }: Visit): {
  readonly organizationId: number;
  readonly userId: number;
} {
  return { organizationId: organization.id, userId: session.user.id };
}

/** The feed that the reader saw. Forms contain it, so that a form that is sent twice changes the feed once. */
export function seenFeed(feed: KnownFeed): { readonly feed: string } {
  return { feed: feed?.createdAt.toISOString() ?? '' };
}

/** Whether the member's feed is still the one in the form. */
export async function isAsSeen({ core }: Dashboard, visit: Visit): Promise<boolean> {
  const feed = await core.findCalendarFeed(memberIn(visit));
  return seenFeed(feed).feed === fieldOf(visit.request, 'feed');
}

/** Redirects to the calendar's page, which says that nothing was changed. */
export function leaveUnchanged(dashboard: Dashboard, { organization, response }: Visit): void {
  leaveNotice(dashboard, response, 'calendar-changed');
  response.redirect(303, calendarPath(organization.id));
}

type Here = Pick<Visit, 'organization'>;

interface CalendarViewProps extends Here {
  readonly feed: KnownFeed;
  readonly notice: string | null;
  readonly zone: TimeZone;
  readonly token: FormToken;
}

function CalendarView({ feed, notice, zone, organization, token }: CalendarViewProps) {
  return (
    <>
      <WayBack organization={organization} />
      <h1>Your calendar</h1>
      {notice !== null && <Notice>{notice}</Notice>}
      {feed === null ? (
        <NoFeed organization={organization} token={token} />
      ) : (
        <OpenFeed {...{ organization, zone }} since={feed.createdAt} />
      )}
    </>
  );
}

function WayBack({ organization }: Here) {
  return (
    <p class="way-back">
      <a href={memberPath(organization.id)}>My meetings</a>
    </p>
  );
}

function NoFeed({ organization, token }: Here & { readonly token: FormToken }) {
  return (
    <section class="card">
      <p>
        See your meetings with <bdi>{organization.name}</bdi> in your own calendar app. Create a private
        address here and add it to your calendar, which then updates by itself. Meetings that you are
        waitlisted for are shown as tentative.
      </p>
      <Form token={token}>
        {Object.entries(seenFeed(null)).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <div class="actions">
          <button type="submit" data-busy="One moment…">
            Create a private address
          </button>
        </div>
      </Form>
    </section>
  );
}

function OpenFeed({ organization, since, zone }: Here & { readonly since: Date; readonly zone: TimeZone }) {
  const path = calendarPath(organization.id);
  return (
    <>
      <section class="card">
        <p>
          You created a private calendar address on <Timestamp at={since} zone={zone} />. It was shown once.
          Lost it? Create a new one.
        </p>
        <div class="actions">
          <a href={`${path}/replace`}>Create a new address</a>
          <a href={`${path}/revoke`}>Revoke the address</a>
        </div>
      </section>
      <ZoneNote zone={zone} />
    </>
  );
}

function AddressView({ organization, url }: Here & { readonly url: string }) {
  return (
    <>
      <WayBack organization={organization} />
      <h1>Your private calendar address</h1>
      <ShownOnce>
        <CopyText id="calendar-url" label="Calendar address" text={url} />
        <p>
          Copy it now. You won’t see it again. Keep it private: anyone with this address can see your meetings
          with <bdi>{organization.name}</bdi> until you revoke it.
        </p>
        <h2>Add it to your calendar</h2>
        <ul>
          <li>Google Calendar: “Other calendars”, then “From URL”.</li>
          <li>Apple Calendar: “File”, then “New Calendar Subscription”.</li>
          <li>Outlook: “Add calendar”, then “Subscribe from web”.</li>
        </ul>
      </ShownOnce>
    </>
  );
}
