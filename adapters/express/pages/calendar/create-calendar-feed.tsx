import { Secret } from '@rollcall/core';
import { Banner } from '../design/banner.js';
import { Button, ButtonLink } from '../design/button.js';
import { CopyText, OneTimeSecret, WasShown } from '../design/components.js';
import { Form, type FormToken } from '../design/form.js';
import { showPage } from '../design/layout.js';
import { consumeNotice, leadTo } from '../design/notice.js';
import { Timestamp, type TimeZone, zoneName } from '../design/times.js';
import { fieldOf } from '../form.js';
import { consumeSecret, redirectToSecret } from '../one-time-secret.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { subscribeLinks } from './subscribe-links.js';

/** A member's private calendar address. */
export const createCalendarFeed = memberPage({
  path: paths.calendar(':id'),
  role: 'member',
  section: 'my-meetings',
  async get(visit) {
    const { core, organization, zone, token } = visit;
    const feed = await core.findCalendarFeed(memberOfVisit(visit));
    showPage(visit, {
      title: `Your calendar with ${organization.name}`,
      notice: consumeNotice(visit),
      body: <CalendarView {...{ feed, zone, organization, token }} />,
    });
  },
  async post(visit) {
    const { core, organization } = visit;
    if (!(await isUnchanged(visit)))
      return leadTo(visit, paths.calendar(organization.id), 'calendar-changed');
    const { url } = await core.createCalendarFeed(memberOfVisit(visit));
    redirectToSecret(visit, { path: paths.newCalendarAddress(organization.id), secret: new Secret(url) });
  },
});

/** Shows a new calendar address once (decision 266). */
export const showCalendarAddress = memberPage({
  path: paths.newCalendarAddress(':id'),
  role: 'member',
  section: 'my-meetings',
  async get(visit) {
    const { core, organization } = visit;
    const feed = await core.findCalendarFeed(memberOfVisit(visit));
    if (feed === null) return leadTo(visit, paths.calendar(organization.id));
    const url = consumeSecret(visit, paths.newCalendarAddress(organization.id));
    showPage(visit, {
      isShownOnce: true,
      title:
        url === null
          ? 'Your calendar address can’t be shown again'
          : `Your new calendar address with ${organization.name}`,
      body:
        url === null ? (
          <AddressWasShown organization={organization} />
        ) : (
          <AddressView {...{ url, organization }} />
        ),
    });
  },
});

/** A member's feed. Null when there is none. */
type Feed = { readonly createdAt: Date } | null;

export function memberOfVisit({ organization, session }: MemberVisit) {
  return { organizationId: organization.id, userId: session.user.id };
}

/** The feed that the reader saw. Forms contain it, so that a form that is sent twice changes the feed once. */
export function feedField(feed: Feed): { readonly feed: string } {
  return { feed: feed?.createdAt.toISOString() ?? '' };
}

/** Whether the member's feed is still the one in the form. */
export async function isUnchanged(visit: MemberVisit): Promise<boolean> {
  const feed = await visit.core.findCalendarFeed(memberOfVisit(visit));
  return feedField(feed).feed === fieldOf(visit, 'feed');
}

type OrganizationProps = Pick<MemberVisit, 'organization'>;

interface CalendarViewProps extends OrganizationProps {
  readonly feed: Feed;
  readonly zone: TimeZone;
  readonly token: FormToken;
}

function CalendarView({ feed, zone, organization, token }: CalendarViewProps) {
  return (
    <>
      <BackLink organization={organization} />
      <h1>Your calendar</h1>
      {feed === null ? (
        <NoFeed organization={organization} token={token} />
      ) : (
        <ExistingFeed {...{ organization, zone }} since={feed.createdAt} />
      )}
    </>
  );
}

function BackLink({ organization }: OrganizationProps) {
  return (
    <p class="back-link">
      <a href={paths.meetings(organization.id)}>My meetings</a>
    </p>
  );
}

function NoFeed({ organization, token }: OrganizationProps & { readonly token: FormToken }) {
  return (
    <section class="card">
      <p>
        See your meetings with <bdi>{organization.name}</bdi> in your own calendar app. Create a private
        address and add it to your calendar once: the calendar then updates itself. Meetings that you are
        waitlisted for are shown as tentative.
      </p>
      <Form token={token}>
        {Object.entries(feedField(null)).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <div class="actions">
          <Button kind="primary" busy="One moment…">
            Create a calendar address
          </Button>
        </div>
      </Form>
    </section>
  );
}

function ExistingFeed({
  organization,
  since,
  zone,
}: OrganizationProps & { readonly since: Date; readonly zone: TimeZone }) {
  return (
    <section class="card">
      <p>
        Your calendar app reads your meetings from a private address, created{' '}
        <Timestamp at={since} zone={zone} /> ({zoneName(zone)}). It was shown once. Lost it? Replace it.
      </p>
      <div class="actions">
        <ButtonLink kind="destructive" href={paths.replaceCalendar(organization.id)}>
          Replace the address
        </ButtonLink>
        <ButtonLink kind="destructive" href={paths.revokeCalendar(organization.id)}>
          Revoke the address
        </ButtonLink>
      </div>
    </section>
  );
}

function AddressView({ organization, url }: OrganizationProps & { readonly url: string }) {
  return (
    <>
      <p class="back-link">
        <a href={paths.calendar(organization.id)}>Your calendar</a>
      </p>
      <h1>Your new calendar address</h1>
      <OneTimeSecret>
        <Banner tone="warning">Copy it now. You won’t see it again.</Banner>
        <CopyText id="calendar-url" label="Calendar address" text={url} />
        <p>
          Keep it private: anyone with this address can see your meetings with <bdi>{organization.name}</bdi>{' '}
          until you replace or revoke it.
        </p>
        <h2>Add it to your calendar</h2>
        <div class="actions choices">
          {subscribeLinks({ url, name: organization.name }).map(({ text, href }) => (
            <ButtonLink key={text} kind="secondary" href={href} isExternal>
              {text}
            </ButtonLink>
          ))}
        </div>
        <ul>
          <li>
            iPhone, iPad or Mac: choose “Apple Calendar”, then “Subscribe”. It opens the calendar app on this
            device.
          </li>
          <li>
            Android: choose “Google Calendar”. If its app opens and shows nothing new, open the link in your
            browser or on a computer. The calendar then appears in the app as well.
          </li>
          <li>Outlook: choose yours, sign in, then “Import”. The app on your phone shows it as well.</li>
          <li>Another app: look for “Subscribe” or “From URL”, and paste the address.</li>
        </ul>
      </OneTimeSecret>
    </>
  );
}

function AddressWasShown({ organization }: OrganizationProps) {
  return (
    <WasShown
      title="Your calendar address can’t be shown again"
      back={{ href: paths.calendar(organization.id), text: 'Go to your calendar' }}
      next={{ href: paths.replaceCalendar(organization.id), text: 'Replace the address' }}
    >
      <p>
        Each address is shown once, right after it is created. Your calendar app keeps it. Lost it? Replace
        it: the current one then stops working.
      </p>
    </WasShown>
  );
}
