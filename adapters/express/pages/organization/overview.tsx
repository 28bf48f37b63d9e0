import type { AuditEntry } from '@rollcall/core';
import type { ComponentChildren } from 'preact';
import { Badge, ButtonLink, DataTable, type Parent } from '../design/components.js';
import { inEnglish } from '../design/list.js';
import { dayAndMonth, dayOf, Timestamp, type TimeZone, ZoneNote } from '../design/times.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { SecretWarning } from '../sign-on/secret-warning.js';
import type { MemberVisit, PartProps } from '../visit.js';
import { readStatus, WebhookBadge, type WebhookStatus } from '../webhooks/webhook-parts.js';
import { FirstStepsCard, HideForm, hasOpenSteps } from './hide-first-steps.js';
import { activityTable, NoActivity } from './list-activity.js';

const RECENT_ENTRIES = 5;

/** The newest members among whom those of this week are counted. */
const NEWEST = 50;

/** The home of owners and admins: how the organization is doing; for owners also the first steps and the latest activity. */
export const overview = memberPage({
  path: paths.organization(':id'),
  async get(visit) {
    const { core, organization, role } = visit;
    const [overview, firstSteps, activity, signOn] = await Promise.all([
      readOverview(visit),
      role === 'owner' ? core.readFirstSteps({ organization }) : null,
      role === 'owner' ? core.listActivity({ organization, size: RECENT_ENTRIES }) : null,
      role === 'owner' ? core.readSignOn({ organization }) : null,
    ]);
    const openSteps = firstSteps !== null && hasOpenSteps(firstSteps) ? firstSteps : null;
    visit.show(
      { title: organization.name, notice: visit.consumeNotice() },
      <h1>
        <bdi>{organization.name}</bdi>
      </h1>,
      signOn !== null && <SecretWarning {...{ visit, signOn }} />,
      <Tiles {...{ visit, overview }} />,
      openSteps?.isHidden === false && <FirstStepsCard visit={visit} steps={openSteps} />,
      activity !== null && <RecentActivity visit={visit} entries={activity.items} />,
      openSteps?.isHidden === true && <HideForm visit={visit} isHidden />,
    );
  },
});

function RecentActivity({ visit, entries }: PartProps<{ entries: readonly AuditEntry[] }>) {
  const { organization, zone } = visit;
  return (
    <section aria-labelledby="recent">
      <h2 class="list-title" id="recent">
        Recent activity
      </h2>
      {entries.length === 0 ? (
        <NoActivity />
      ) : (
        <>
          <DataTable rows={entries} {...activityTable(zone)} />
          <ZoneNote zone={zone} />
          <ButtonLink href={paths.activity(organization.id)} text="All activity" />
        </>
      )}
    </section>
  );
}

type Overview = Awaited<ReturnType<typeof readOverview>>;

/** The newest members, and the oldest invitation. `status` is null while there is no webhook. */
async function readOverview(visit: MemberVisit) {
  const { core, organization } = visit;
  const [status, members, pending, { weeks }] = await Promise.all([
    readStatus(visit),
    core.listMembers({ organization, order: 'newest', size: NEWEST }),
    core.listInvitations({ organization, state: 'pending', order: 'oldest', size: 1 }),
    core.summarizeMeetings({ organization, weeksBefore: 0, weeksAfter: 0 }),
  ]);
  return { status, members, pending, week: weeks[0] };
}

type OverviewProps = PartProps<{ overview: Overview }>;

/** How the organization is doing, each with a link to its page. */
function Tiles({ visit, overview }: OverviewProps) {
  const { organization, zone } = visit;
  const { status, members, pending, week } = overview;
  const [oldest] = pending.items;
  return (
    <ul class="plain tiles">
      <Tile title="Webhook" path={paths.webhooks(organization.id)} figure={<WebhookFigure status={status} />}>
        {webhookText(status, zone)}
      </Tile>
      <Tile title="People" path={paths.people(organization.id)} figure={inEnglish(members.totalItems)}>
        {newText(overview)}
      </Tile>
      <Tile
        title="Pending invitations"
        path={`${paths.invitations(organization.id)}?state=pending`}
        figure={inEnglish(pending.totalItems)}
      >
        {oldest === undefined
          ? 'No one is waiting'
          : `The oldest from ${dayAndMonth(dayOf(oldest.createdAt, zone))}`}
      </Tile>
      <Tile
        title="Meetings this week"
        path={`${paths.organizationMeetings(organization.id)}?status=all&dates=this_week`}
        figure={inEnglish(week?.meetings ?? 0)}
      >
        {`${inEnglish(week?.seatsTaken ?? 0)} of ${inEnglish(week?.seatsOffered ?? 0)} seats taken`}
      </Tile>
    </ul>
  );
}

function Tile({
  title,
  path,
  figure,
  children,
}: Parent<{ title: string; path: string; figure: ComponentChildren }>) {
  return (
    <li>
      <a class="card" href={path}>
        <span class="title">{title}</span> <strong>{figure}</strong>{' '}
        <span class="secondary-text">{children}</span>
      </a>
    </li>
  );
}

function webhookText(status: WebhookStatus | null, zone: TimeZone): ComponentChildren {
  if (status !== null && status.undelivered > 0) return `${inEnglish(status.undelivered)} undelivered`;
  const at = status?.health.lastDeliveredAt ?? null;
  if (at === null) return 'Nothing delivered yet';
  return (
    <>
      Delivered <Timestamp {...{ at, zone }} />
    </>
  );
}

function WebhookFigure({ status }: Pick<Overview, 'status'>) {
  if (status === null || status.webhook.url === null) return <Badge tone="neutral">Not set up</Badge>;
  return <WebhookBadge {...status} />;
}

function newText({ members: { items }, week }: Overview): string {
  const count = items.filter(({ joinedAt }) => week !== undefined && joinedAt >= week.from).length;
  if (count === 0) return 'No one new this week';
  return `${count === NEWEST ? 'At least ' : ''}${count} new this week`;
}
