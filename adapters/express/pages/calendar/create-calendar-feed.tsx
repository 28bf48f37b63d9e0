import { Secret } from '@rollcall/core';
import { ask, type Question } from '../ask.js';
import {
  Actions,
  BackLink,
  ButtonLink,
  CopyText,
  OneTimeSecret,
  type PageLink,
} from '../design/components.js';
import { Form, HiddenFields, Submit } from '../design/form.js';
import { ZonedTime } from '../design/times.js';
import { redirectToSecret, showSecretOnce } from '../one-time-secret.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';

export const createCalendarFeed = memberPage({
  path: paths.calendar(':id'),
  async get(visit) {
    const { core, organization, token, zone } = visit;
    const feed = await core.findCalendarFeed(memberOfVisit(visit));
    visit.show(
      { title: `Your calendar with ${organization.name}`, notice: visit.consumeNotice() },
      <BackLink href={paths.meetings(organization.id)}>My meetings</BackLink>,
      <h1>Your calendar</h1>,
      feed === null ? (
        <section class="card">
          <p>
            See your meetings with <bdi>{organization.name}</bdi> in your own calendar app. Create a private
            address and add it to your calendar once: the calendar then updates itself. Meetings that you are
            waitlisted for are shown as tentative.
          </p>
          <Form token={token}>
            <HiddenFields fields={feedField(null)} />
            <Submit label="Create a calendar address" busy="One moment…" />
          </Form>
        </section>
      ) : (
        <section class="card">
          <p>
            Your calendar app reads your meetings from a private address, created{' '}
            <ZonedTime at={feed.createdAt} zone={zone} />. It was shown once. Lost it? Replace it.
          </p>
          <Actions
            destructive={{
              'Replace the address': paths.replaceCalendar(organization.id),
              'Revoke the address': paths.revokeCalendar(organization.id),
            }}
          />
        </section>
      ),
    );
  },
  async post(visit) {
    const { core, organization } = visit;
    if (!(await isUnchanged(visit))) return visit.leadTo(paths.calendar(organization.id), 'calendar-changed');
    const { url } = await core.createCalendarFeed(memberOfVisit(visit));
    redirectToSecret(visit, { path: paths.newCalendarAddress(organization.id), secret: new Secret(url) });
  },
});

/** Shows a new calendar address once (decision 266). */
export const showCalendarAddress = memberPage({
  path: paths.newCalendarAddress(':id'),
  async get(visit) {
    const { core, organization } = visit;
    const feed = await core.findCalendarFeed(memberOfVisit(visit));
    if (feed === null) return visit.leadTo(paths.calendar(organization.id));
    showSecretOnce(visit, {
      title: `Your new calendar address with ${organization.name}`,
      thing: 'Your calendar address',
      lost: 'Each address is shown once, right after it is created. Your calendar app keeps it. Lost it? Replace it: the current one then stops working.',
      back: { href: paths.calendar(organization.id), text: 'Go to your calendar' },
      next: { href: paths.replaceCalendar(organization.id), text: 'Replace the address' },
      view: (url) => (
        <>
          <BackLink href={paths.calendar(organization.id)}>Your calendar</BackLink>
          <OneTimeSecret heading="Your new calendar address" warning="Copy it now. You won’t see it again.">
            <CopyText id="calendar-url" label="Calendar address" text={url} />
            <p>
              Keep it private: anyone with this address can see your meetings with{' '}
              <bdi>{organization.name}</bdi> until you replace or revoke it.
            </p>
            <h2>Add it to your calendar</h2>
            <div class="actions choices">
              {subscribeLinks({ url, name: organization.name }).map((link) => (
                <ButtonLink key={link.text} {...link} isExternal />
              ))}
            </div>
            <ul>
              <li>
                iPhone, iPad or Mac: choose “Apple Calendar”, then “Subscribe”. It opens the calendar app on
                this device.
              </li>
              <li>
                Android: choose “Google Calendar”. If its app opens and shows nothing new, open the link in
                your browser or on a computer. The calendar then appears in the app as well.
              </li>
              <li>Outlook: choose yours, sign in, then “Import”. The app on your phone shows it as well.</li>
              <li>Another app: look for “Subscribe” or “From URL”, and paste the address.</li>
            </ul>
          </OneTimeSecret>
        </>
      ),
    });
  },
});

export function memberOfVisit({ organization, session }: MemberVisit) {
  return { organizationId: organization.id, userId: session.user.id };
}

/** The feed that the reader saw. Forms contain it, so that a form that is sent twice changes the feed once. */
function feedField(feed: { readonly createdAt: Date } | null) {
  return { feed: feed?.createdAt.toISOString() ?? '' };
}

/** Whether the member's feed is still the one in the form. */
async function isUnchanged(visit: MemberVisit): Promise<boolean> {
  const feed = await visit.core.findCalendarFeed(memberOfVisit(visit));
  return feedField(feed).feed === visit.field('feed');
}

/** Ends a member's private calendar address, after asking. */
export const revokeCalendarFeed = memberPage({
  path: paths.revokeCalendar(':id'),
  get: (visit) =>
    askAboutFeed(visit, {
      title: 'Revoke your calendar address?',
      submit: 'Revoke the address',
      children: (
        <p>
          It stops working at once, and calendars that use it stop updating. You can create a new address at
          any time.
        </p>
      ),
    }),
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
  get: (visit) =>
    askAboutFeed(visit, {
      title: 'Replace your calendar address?',
      action: paths.calendar(visit.organization.id),
      submit: 'Replace the address',
      children: (
        <p>
          Your current address stops working at once. Calendars that use it stop updating until you add the
          new one.
        </p>
      ),
    }),
});

/** Asks before the current address changes. Without one, there is nothing to ask. */
async function askAboutFeed(
  visit: MemberVisit,
  question: Pick<Question, 'title' | 'action' | 'submit' | 'children'>,
): Promise<void> {
  const feed = await visit.core.findCalendarFeed(memberOfVisit(visit));
  const path = paths.calendar(visit.organization.id);
  if (feed === null) return visit.leadTo(path);
  ask(visit, { ...question, fields: feedField(feed), cancelPath: path });
}

/** Links that open a calendar app with the address of a feed. Google and Microsoft then get the address. */
function subscribeLinks({ url, name }: Readonly<Record<'url' | 'name', string>>): readonly PageLink[] {
  const webcal = url.replace(/^https?:/, 'webcal:');
  // Google subscribes to a feed that changes only with this scheme.
  const google = new URLSearchParams({ cid: webcal });
  const outlook = new URLSearchParams({ url, name });
  return [
    { text: 'Apple Calendar', href: webcal },
    { text: 'Google Calendar', href: `https://calendar.google.com/calendar/r?${google}` },
    { text: 'Outlook.com', href: `https://outlook.live.com/calendar/0/addfromweb?${outlook}` },
    { text: 'Outlook at work', href: `https://outlook.office.com/calendar/0/addfromweb?${outlook}` },
  ];
}
