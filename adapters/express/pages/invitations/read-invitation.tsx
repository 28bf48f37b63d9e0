import { type AuditEntry, type InvitationView, type ListedState, type Member, Refusal } from '@rollcall/core';
import { hasExpired } from '@rollcall/core/rules';
import { ask } from '../ask.js';
import { NameLink, nameOf } from '../design/avatar.js';
import {
  BackLink,
  Badge,
  ButtonLink,
  Card,
  type Column,
  CopyText,
  DataTable,
  Facts,
  type Tone,
} from '../design/components.js';
import type { NoticeName } from '../design/notice.js';
import { Timestamp, ZoneNote } from '../design/times.js';
import { PageError } from '../errors/error-page.js';
import { unlessRefused } from '../errors/unless-refused.js';
import { roleTitles } from '../members/roles.js';
import { activityTable } from '../organization/list-activity.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { listPath } from '../place.js';
import type { MemberVisit, PartProps } from '../visit.js';

export const readInvitation = memberPage({
  path: paths.invitation(':id', ':uuid'),
  async get(visit) {
    const opened = await invitationOf(visit);
    const [{ invitation, others }, member, activity] = await Promise.all([
      withOthers(visit, opened),
      memberOf(visit, opened),
      activityOf(visit, opened),
    ]);
    const first = await firstOf(visit, { invitation, others, activity });
    const about = { visit, invitation, others, member, activity, first };
    visit.show(
      { title: `Invitation for ${nameOf(invitation)}`, notice: visit.consumeNotice() },
      <InvitationPage {...about} />,
    );
  },
});

/** More than a person is invited. */
const MAX_OTHERS = 20;

/** The invitation, and the others of the same address, the newest first. */
async function withOthers({ core, organization }: MemberVisit, opened: InvitationView) {
  const { email, id } = opened;
  const { items } = await core.findInvitations({ organization, email, limit: MAX_OTHERS + 1 });
  const others = items.filter((other) => other.id !== id).slice(0, MAX_OTHERS);
  return {
    invitation: asReplaced(opened, items),
    others: others.map((other) => asReplaced(other, items)),
  };
}

/** One that was replaced stays so when the newer one is revoked. */
function asReplaced<Of extends Pick<InvitationView, 'id' | 'revokedAt' | 'replacedBy'>>(
  invitation: Of,
  known: readonly Pick<InvitationView, 'id' | 'createdAt' | 'userUuid'>[],
): Of {
  const { id, revokedAt, replacedBy } = invitation;
  const newer = known.find((each) => each.id !== id && revokedAt !== null && each.createdAt >= revokedAt);
  return { ...invitation, replacedBy: replacedBy ?? newer?.userUuid ?? null };
}

/** The invitation that was renewed until it became this one; itself, if it has replaced none. */
async function firstOf(
  { core, organization }: MemberVisit,
  { invitation, others, activity }: Pick<InvitationPageProps, 'invitation' | 'others' | 'activity'>,
): Promise<InvitationView> {
  // A pending one ends when it is renewed. Of one that had ended before, only the activity tells.
  const isRenewed = ({ createdAt: at }: Pick<InvitationView, 'createdAt'>, revokedAt: Date | null) =>
    revokedAt?.getTime() === at.getTime() ||
    activity.some((entry) => entry.action === 'invitation-renewed' && entry.at.getTime() === at.getTime());
  let first: Omit<InvitationView, 'inviter'> = invitation;
  for (const older of others.filter(({ createdAt }) => createdAt < invitation.createdAt)) {
    if (!isRenewed(first, older.revokedAt)) break;
    first = older;
  }
  return first === invitation ? invitation : core.readInvitation({ organization, uuid: first.userUuid });
}

/** What was done with invitations of the address, the newest first. Only owners see it. */
async function activityOf(
  { core, organization }: MemberVisit,
  { email }: InvitationView,
): Promise<readonly AuditEntry[]> {
  const request = { organization, kind: 'invitations', search: email, size: MAX_OTHERS } as const;
  const { items } = await core.listActivity(request);
  // The search also finds longer addresses that contain this one.
  return items.filter(({ subject }) => subject === email || subject?.startsWith(`${email}: `));
}

/** The member that the accepted invitation has made, unless the person has left. */
async function memberOf({ core, organization }: MemberVisit, { state, userUuid: uuid }: InvitationView) {
  return state === 'accepted' ? unlessRefused(core.readUser({ organization, uuid })) : null;
}

/** The link of a pending invitation. One that makes an admin is for owners only, because admins could use it themselves. */
export function linkFor({ role }: Pick<MemberVisit, 'role'>, invitation: InvitationView): string | null {
  return role === 'owner' || invitation.role === 'member' ? invitation.invitationUrl : null;
}

export function inviterOf({ inviter, invitedBy }: Pick<InvitationView, 'inviter' | 'invitedBy'>): string {
  if (inviter !== null) return nameOf(inviter);
  if (invitedBy === null || invitedBy.kind === 'program') return 'a program';
  if (invitedBy.kind === 'user') return 'a deleted user';
  if (invitedBy.kind === 'directory') return 'the directory';
  return invitedBy.kind === 'access-key' ? 'the API' : 'the command line of this service';
}

const states: Record<ListedState, { readonly label: string; readonly tone: Tone }> = {
  pending: { label: 'Pending', tone: 'pending' },
  accepted: { label: 'Accepted', tone: 'success' },
  revoked: { label: 'Revoked', tone: 'neutral' },
  replaced: { label: 'Replaced', tone: 'neutral' },
};

export function StateBadge(invitation: Omit<InvitationView, 'inviter'>) {
  const { state, replacedBy } = invitation;
  const { tone, label } = states[replacedBy === null ? state : 'replaced'];
  return <Badge tone={tone}>{replacedBy === null && hasExpired(invitation) ? 'Expired' : label}</Badge>;
}

/** Whether the person can get a new link under the same UUID. */
export function canRenew({ state, replacedBy }: Pick<InvitationView, 'state' | 'replacedBy'>): boolean {
  return state === 'pending' || (state === 'revoked' && replacedBy === null);
}

export async function invitationOf({ core, organization, request }: MemberVisit): Promise<InvitationView> {
  const uuid = String(request.params.uuid);
  const invitation = await unlessRefused(core.readInvitation({ organization, uuid }));
  if (invitation === null) throw new PageError('not-found');
  return invitation;
}

/**
 * Changes a pending invitation and leads to its page, which also says when the invitation is no longer pending. The
 * change returns its notice.
 */
export async function changeInvitation(visit: MemberVisit, change: () => Promise<NoticeName>): Promise<void> {
  const path = paths.invitation(visit.organization.id, String(visit.request.params.uuid));
  const closed = ['invitation-unknown', 'invitation-used', 'invitation-revoked', 'already-member'];
  try {
    visit.leadTo(path, await change());
  } catch (error) {
    if (!(error instanceof Refusal && closed.includes(error.code))) throw error;
    visit.leadTo(path, 'invitation-closed');
  }
}

function closedText(invitation: InvitationView): string {
  if (invitation.state === 'accepted') return 'This invitation was accepted. Its link no longer works.';
  const why = hasExpired(invitation) ? 'has expired' : 'was revoked';
  return `This invitation ${why}. Its link no longer works. Renew it to give the person a new link.`;
}

interface InvitationPageProps {
  readonly visit: MemberVisit;
  readonly invitation: InvitationView;
  readonly others: readonly Omit<InvitationView, 'inviter'>[];
  readonly member: Member | null;
  readonly activity: readonly AuditEntry[];
  /** The invitation that this one renews; itself, if it renews none. */
  readonly first: InvitationView;
}

function InvitationPage({ visit, invitation, others, member, activity, first }: InvitationPageProps) {
  const { zone, role } = visit;
  const { id: organizationId } = visit.organization;
  const { state, replacedBy, acceptedAt, revokedAt, expiresAt } = invitation;
  const made = (one: InvitationView) => (
    <>
      <Timestamp at={one.createdAt} zone={zone} /> by <bdi>{inviterOf(one)}</bdi>
    </>
  );
  return (
    <>
      <BackLink href={listPath(visit, paths.invitations(organizationId))}>Invitations</BackLink>
      <h1>
        Invitation for <bdi>{nameOf(invitation)}</bdi>
      </h1>
      <section class="card">
        <Facts
          of={{
            'Email address': <bdi>{invitation.email}</bdi>,
            'Identity provider ID': invitation.idpId !== null && <bdi class="id">{invitation.idpId}</bdi>,
            Role: roleTitles[invitation.role],
            State: <StateBadge {...invitation} />,
            Invited: made(first),
            Renewed: first !== invitation && made(invitation),
            Expires: state === 'pending' && expiresAt !== null && <Timestamp at={expiresAt} zone={zone} />,
            Accepted: acceptedAt !== null && <Timestamp at={acceptedAt} zone={zone} />,
            Ended: revokedAt !== null && <Timestamp at={revokedAt} zone={zone} />,
            Member: member !== null && (
              <NameLink to={paths.member(organizationId, member.user.id)} of={member.user} />
            ),
          }}
        />
        {state === 'pending' && <Pending {...{ visit, invitation }} />}
        {state !== 'pending' && replacedBy === null && <p>{closedText(invitation)}</p>}
        {state === 'revoked' && replacedBy === null && (
          <ButtonLink
            kind="primary"
            href={paths.renewInvitation(organizationId, invitation.userUuid)}
            text="Renew the invitation"
          />
        )}
        {replacedBy !== null && (
          <p>
            This invitation’s link no longer works, because the person was invited again.{' '}
            <a href={paths.invitation(organizationId, replacedBy)}>Open the new invitation</a>
          </p>
        )}
        <ZoneNote zone={zone} />
      </section>
      {others.length > 0 && (
        <Card id="history" title="Other invitations of this address">
          <DataTable
            caption="Other invitations of this address, the newest first"
            columns={historyColumns(visit)}
            rows={others}
          />
        </Card>
      )}
      {role === 'owner' && activity.length > 0 && (
        <Card id="activity" title="Who did what">
          <DataTable
            {...activityTable(zone)}
            caption="What was done with invitations of this address, newest first"
            rows={activity}
          />
        </Card>
      )}
      <div class="actions">
        <a href={paths.invite(organizationId)}>Invite another person</a>
      </div>
    </>
  );
}

function historyColumns(visit: MemberVisit): readonly Column<Omit<InvitationView, 'inviter'>>[] {
  const { organization, zone } = visit;
  return [
    {
      title: 'Invited',
      cell: ({ createdAt, userUuid }) => (
        <a href={paths.invitation(organization.id, userUuid)}>
          <Timestamp at={createdAt} zone={zone} />
        </a>
      ),
    },
    { title: 'Name', cell: (invitation) => <bdi>{nameOf(invitation)}</bdi> },
    { title: 'State', cell: (invitation) => <StateBadge {...invitation} /> },
    {
      title: 'Ended',
      cell: ({ acceptedAt, revokedAt }) => {
        const end = acceptedAt ?? revokedAt;
        return end === null ? '–' : <Timestamp at={end} zone={zone} />;
      },
    },
  ];
}

type LinkProps = PartProps<{ invitation: InvitationView; isMain?: boolean }>;

export function InvitationLink({ visit, invitation, isMain = false }: LinkProps) {
  const url = linkFor(visit, invitation);
  if (url === null) return <p>Only owners see this link, because it makes someone an admin.</p>;
  return <CopyText id="invitation-url" label="Invitation link" text={url} isMain={isMain} />;
}

function Pending({ visit, invitation }: LinkProps) {
  const { userUuid, expiresAt } = invitation;
  const { id: organizationId } = visit.organization;
  return (
    <>
      <InvitationLink {...{ visit, invitation }} isMain />
      <p>
        Anyone with this link can accept the invitation, so share it with no one else.
        {expiresAt === null && ' It does not expire.'} Renew it to replace the link, or to correct the name.
      </p>
      <div class="actions">
        <ButtonLink href={paths.renewInvitation(organizationId, userUuid)} text="Renew the invitation" />
        <ButtonLink
          kind="destructive"
          href={paths.revokeInvitation(organizationId, userUuid)}
          text="Revoke the invitation"
        />
      </div>
    </>
  );
}

/** Ends an invitation's link, after asking. */
export const revokeInvitation = memberPage({
  path: paths.revokeInvitation(':id', ':uuid'),
  async get(visit) {
    const { organization } = visit;
    const invitation = await invitationOf(visit);
    const path = paths.invitation(organization.id, invitation.userUuid);
    if (invitation.state !== 'pending') return visit.leadTo(path);
    ask(visit, {
      title: `Revoke the invitation for ${nameOf(invitation)}?`,
      heading: 'Revoke this invitation?',
      fields: { invitation: invitation.id },
      submit: 'Revoke the invitation',
      cancelPath: path,
      children: (
        <p>
          The link for <bdi>{nameOf(invitation)}</bdi> (<bdi>{invitation.email}</bdi>) stops working at once.
          Anyone who opens it will see that the invitation was revoked.
        </p>
      ),
    });
  },
  post: (visit) =>
    changeInvitation(visit, async () => {
      const { core, organization, by } = visit;
      await core.revokeInvitation({ organization, invitationId: visit.field('invitation'), by });
      return 'invitation-revoked';
    }),
});
