import type { Delivery, LastSignIn, Member, UpcomingMeeting } from '@rollcall/core';
import { Button, ButtonLink, Card, type Column, DataTable, Facts } from '../design/components.js';
import { Form } from '../design/form.js';
import { Timestamp, ZoneNote } from '../design/times.js';
import { unlessRefused } from '../errors/unless-refused.js';
import { inviterOf } from '../invitations/read-invitation.js';
import { PlaceBadge } from '../meetings/meeting-states.js';
import { activityTable } from '../organization/list-activity.js';
import { paths } from '../paths.js';
import type { MemberVisit, PartProps } from '../visit.js';
import { stateLabels } from '../webhooks/delivery-texts.js';
import { roleTitles } from './roles.js';

/** As many of the meetings and entries are on the page. */
const MAX_ROWS = 5;

/** As many meetings are read to find those that are shown. */
const MAX_READ = 50;

/** What the page of a member shows. */
export async function readAbout(visit: MemberVisit, member: Member) {
  const { core, organization, role } = visit;
  const { user, uuid } = member;
  const whose = { organization, userId: user.id };
  const who = { kind: 'user', userId: user.id } as const;
  const [lastSignIn, identity, lastDelivery, invitation, person, upcoming, activity] = await Promise.all([
    core.readLastSignIn(whose),
    // Who they are at the identity provider; null: nobody yet.
    core.readIdentity(whose),
    // Of the newest event about the member. Everyone who may open the page may see deliveries.
    core.readLastDelivery(whose),
    // Null: the member has joined without one, or it has been deleted.
    unlessRefused(core.readInvitation({ organization, uuid })),
    core.findProvisioned({ organization, attribute: 'id', value: uuid }),
    core.listUserMeetings({ organization, uuid, items: MAX_READ }),
    // The newest first. Only owners see it.
    role === 'owner' ? core.listActivity({ organization, who, size: MAX_ROWS }) : null,
  ]);
  return {
    ...{ member, lastSignIn, identity, lastDelivery, invitation, activity: activity?.items ?? null },
    /** Whether the directory keeps the ID. */
    isIdpIdKept: person?.isWritten === true && person.externalId !== null,
    /** When the meetings were read. */
    asOf: upcoming.asOf,
    /** The next ones in which the organization sees the names of its people (decision 301). */
    meetings: upcoming.meetings.filter(({ showsNames }) => showsNames).slice(0, MAX_ROWS),
  };
}

type AboutProps = PartProps<{ about: Awaited<ReturnType<typeof readAbout>> }>;

const signInTexts: Readonly<Record<LastSignIn['by'], string>> = {
  password: ' with their password',
  'login-link': ' with a login link',
  'sign-on': ' at the identity provider',
};

/** Who the member is, and how they came and come here. */
export function Details({ visit, about }: AboutProps) {
  const { member, lastSignIn, identity, lastDelivery, invitation, isIdpIdKept } = about;
  const { zone, organization, token, role } = visit;
  const { id } = organization;
  const { user, uuid, idpId, joinedAt } = member;
  const mayChange = role === 'owner';
  return (
    <section class="card" aria-label="Details">
      <Facts
        of={{
          'Email address': <bdi>{user.email}</bdi>,
          Role: !mayChange && roleTitles[member.role],
          'Identity provider ID': (isIdpIdKept || !mayChange) && (
            <>
              <bdi>{idpId ?? 'None'}</bdi>
              {isIdpIdKept && ', kept by the directory'}
            </>
          ),
          UUID: <code>{uuid}</code>,
          Joined: <Timestamp at={joinedAt} zone={zone} />,
          'Last sign-in':
            lastSignIn === null ? (
              'Never'
            ) : (
              <>
                <Timestamp at={lastSignIn.at} zone={zone} />
                {signInTexts[lastSignIn.by]}
              </>
            ),
          'Linked to the identity provider': identity !== null && (
            <>
              Since <Timestamp at={identity.linkedAt} zone={zone} />, as <bdi>{identity.subject}</bdi>
            </>
          ),
          Invitation: invitation !== null && (
            <a href={paths.invitation(id, uuid)}>
              {invitation.acceptedAt === null ? 'Sent' : 'Accepted'}{' '}
              <Timestamp at={invitation.acceptedAt ?? invitation.createdAt} zone={zone} />, by{' '}
              <bdi>{inviterOf(invitation)}</bdi>
            </a>
          ),
          'Newest event':
            lastDelivery === null ? (
              'No event'
            ) : (
              <a href={paths.delivery(id, lastDelivery.id)}>
                <DeliveryOutcome {...lastDelivery} zone={zone} />
              </a>
            ),
        }}
      />
      <ZoneNote zone={zone} />
      <div class="actions">
        {mayChange && <ButtonLink href={paths.memberName(id, user.id)} text="Correct the name" />}
        <Form action={paths.loginLinkOf(id, user.id)} token={token}>
          <Button>Create a login link</Button>
        </Form>
        {mayChange && <ButtonLink href={paths.signOutMember(id, user.id)} text="Sign them out…" />}
        {mayChange && identity !== null && (
          <ButtonLink href={paths.unlinkIdentity(id, user.id)} text="Unlink them…" />
        )}
      </div>
    </section>
  );
}

/** How the delivery ended, in a few words. */
function DeliveryOutcome({ state, finishedAt, zone }: Delivery & Pick<MemberVisit, 'zone'>) {
  if (state === 'pending' || state === 'sending') return <>Waiting</>;
  return (
    <>
      {stateLabels[state].label}
      {finishedAt !== null && ' on '}
      {finishedAt !== null && <Timestamp at={finishedAt} zone={zone} />}
      {state !== 'delivered' && ', undelivered'}
    </>
  );
}

/** What the member does next, and did last. */
export function Doings({ visit, about: { meetings, asOf, activity } }: AboutProps) {
  const { zone } = visit;
  return (
    <>
      <Card id="meetings" title="Next meetings">
        {meetings.length === 0 ? (
          <p>None that you can see. Private meetings and those of the service are not shown.</p>
        ) : (
          <DataTable caption="Next meetings" columns={meetingColumns(visit, asOf)} rows={meetings} />
        )}
      </Card>
      {activity !== null && (
        <Card id="activity" title="What they did here">
          {activity.length === 0 ? (
            <p>No changes in the last year.</p>
          ) : (
            <DataTable {...activityTable(zone)} caption="What they did, newest first" rows={activity} />
          )}
        </Card>
      )}
    </>
  );
}

function meetingColumns({ organization, zone }: MemberVisit, now: Date): readonly Column<UpcomingMeeting>[] {
  return [
    {
      title: 'Meeting',
      cell: ({ id, name }) => (
        <a href={paths.organizationMeeting(organization.id, id)}>
          <bdi>{name}</bdi>
        </a>
      ),
    },
    { title: 'When', cell: ({ startTime }) => <Timestamp at={startTime} zone={zone} /> },
    { title: 'Place', cell: (meeting) => <PlaceBadge place={meeting} {...{ zone, now }} /> },
  ];
}
