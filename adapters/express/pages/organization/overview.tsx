import type {
  InvitationView,
  ListedMember,
  PageOf,
  WebhookHealth,
  WebhookView,
  WeekSummary,
} from '@rollcall/core';
import type { ComponentChildren } from 'preact';
import { Badge } from '../design/components.js';
import { inEnglish } from '../design/list.js';
import { dayAndMonth, dayOf, Timestamp } from '../design/times.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { WebhookBadge } from '../webhooks/webhook-state.js';

/** The newest members among whom those of this week are counted. */
const NEWEST = 50;

interface Overview {
  readonly webhook: WebhookView | null;
  readonly health: WebhookHealth;
  /** The events whose delivery has failed, until they are delivered. */
  readonly undelivered: number;
  /** The newest first. */
  readonly members: PageOf<ListedMember>;
  /** The oldest first. */
  readonly pending: PageOf<InvitationView>;
  readonly week: WeekSummary | undefined;
}

export async function readOverview({ core, organization }: MemberVisit): Promise<Overview> {
  const [webhook, health, undelivered, members, pending, { weeks }] = await Promise.all([
    core.readWebhook({ organization }),
    core.readWebhookHealth({ organization }),
    core.countDeliveries({ organization, states: ['failed'] }),
    core.listMembers({ organization, order: 'newest', size: NEWEST }),
    core.listInvitations({ organization, state: 'pending', order: 'oldest', size: 1 }),
    core.summarizeMeetings({ organization, weeksBefore: 0, weeksAfter: 0 }),
  ]);
  return { webhook, health, undelivered, members, pending, week: weeks[0] };
}

interface OverviewProps {
  readonly visit: MemberVisit;
  readonly overview: Overview;
}

/** How the organization is doing, each with a link to its page. */
export function Tiles({ visit, overview }: OverviewProps) {
  const { organization, zone } = visit;
  const { members, pending, week, undelivered } = overview;
  const [oldest] = pending.items;
  return (
    <ul class="tiles">
      <Tile title="Webhook" path={paths.webhooks(organization.id)} figure={<WebhookFigure {...overview} />}>
        {undelivered > 0 ? (
          `${inEnglish(undelivered)} undelivered`
        ) : (
          <LastDelivered {...{ visit, overview }} />
        )}
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

interface TileProps {
  readonly title: string;
  readonly path: string;
  readonly figure: ComponentChildren;
  readonly children: ComponentChildren;
}

function Tile({ title, path, figure, children }: TileProps) {
  return (
    <li>
      <a class="card" href={path}>
        <span class="title">{title}</span> <strong>{figure}</strong>{' '}
        <span class="secondary-text">{children}</span>
      </a>
    </li>
  );
}

function WebhookFigure({ webhook, health }: Overview) {
  if (webhook === null || webhook.url === null) return <Badge tone="neutral">Not set up</Badge>;
  return <WebhookBadge {...{ webhook, health }} />;
}

function LastDelivered({ visit: { zone }, overview: { health } }: OverviewProps) {
  const { lastDeliveredAt } = health;
  if (lastDeliveredAt === null) return <>Nothing delivered yet</>;
  return (
    <>
      Delivered <Timestamp at={lastDeliveredAt} zone={zone} />
    </>
  );
}

function newText({ members: { items }, week }: Overview): string {
  const count = items.filter(({ joinedAt }) => week !== undefined && joinedAt >= week.from).length;
  if (count === 0) return 'No one new this week';
  return `${count}${count === NEWEST ? ' or more' : ''} new this week`;
}
