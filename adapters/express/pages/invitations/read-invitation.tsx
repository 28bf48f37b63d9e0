import { type InvitationState, type InvitationView, type ListedState, Refusal } from '@rollcall/core';
import { ask } from '../ask.js';
import { nameOf } from '../design/avatar.js';
import { BackLink, Badge, ButtonLink, CopyText, Facts, type Tone } from '../design/components.js';
import type { NoticeName } from '../design/notice.js';
import { Timestamp, type TimeZone, ZoneNote } from '../design/times.js';
import { PageError } from '../errors/error-page.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';

/** One invitation: its link and its state. */
export const readInvitation = memberPage({
  path: paths.invitation(':id', ':uuid'),
  section: 'invitations',
  async get(visit) {
    const { organization, zone } = visit;
    const invitation = await invitationOf(visit);
    visit.show({
      title: `Invitation for ${nameOf(invitation)}`,
      notice: visit.consumeNotice(),
      body: <InvitationPage {...{ invitation, zone }} organizationId={organization.id} />,
    });
  },
});

export type KnownInvitation = Omit<InvitationView, 'inviter'>;

const states: Record<ListedState, { readonly label: string; readonly tone: Tone }> = {
  pending: { label: 'Pending', tone: 'pending' },
  accepted: { label: 'Accepted', tone: 'success' },
  revoked: { label: 'Revoked', tone: 'neutral' },
  replaced: { label: 'Replaced', tone: 'neutral' },
};

export function StateBadge({ state, replacedBy }: Pick<InvitationView, 'state' | 'replacedBy'>) {
  const { tone, label } = states[replacedBy === null ? state : 'replaced'];
  return <Badge tone={tone}>{label}</Badge>;
}

/** Whether the person can get a new link under the same UUID. */
export function canRenew({ state, replacedBy }: Pick<KnownInvitation, 'state' | 'replacedBy'>): boolean {
  return state === 'pending' || (state === 'revoked' && replacedBy === null);
}

/** The invitation that the address names. */
export async function invitationOf({ core, organization, request }: MemberVisit): Promise<KnownInvitation> {
  try {
    return await core.readInvitation({ organization, uuid: String(request.params.uuid) });
  } catch (error) {
    if (error instanceof Refusal && error.code === 'invitation-unknown') throw new PageError('not-found');
    throw error;
  }
}

/**
 * Changes a pending invitation and leads to its page, which also says when the invitation is no longer pending. The
 * change returns its notice.
 */
export async function changeInvitation(visit: MemberVisit, change: () => Promise<NoticeName>): Promise<void> {
  const path = paths.invitation(visit.organization.id, String(visit.request.params.uuid));
  try {
    visit.leadTo(path, await change());
  } catch (error) {
    if (!isClosed(error)) throw error;
    visit.leadTo(path, 'invitation-closed');
  }
}

function isClosed(error: unknown): boolean {
  if (!(error instanceof Refusal)) return false;
  return ['invitation-unknown', 'invitation-used', 'invitation-revoked', 'already-member'].includes(
    error.code,
  );
}

const closedTexts: Record<Exclude<InvitationState, 'pending'>, string> = {
  accepted: 'This invitation was accepted. Its link no longer works.',
  revoked: 'This invitation was revoked. Its link no longer works. Renew it to give the person a new link.',
};

interface InvitationPageProps {
  readonly invitation: KnownInvitation;
  readonly organizationId: number;
  readonly zone: TimeZone;
}

function InvitationPage({ invitation, organizationId, zone }: InvitationPageProps) {
  const { state, replacedBy } = invitation;
  return (
    <>
      <BackLink href={paths.invitations(organizationId)}>All invitations</BackLink>
      <h1>
        Invitation for <bdi>{nameOf(invitation)}</bdi>
      </h1>
      <section class="card">
        <Facts
          of={{
            'Email address': <bdi>{invitation.email}</bdi>,
            'Identity provider ID':
              invitation.idpId === null ? '–' : <bdi class="id">{invitation.idpId}</bdi>,
            State: <StateBadge {...invitation} />,
            Invited: <Timestamp at={invitation.createdAt} zone={zone} />,
          }}
        />
        {state === 'pending' && <Pending {...{ invitation, organizationId }} />}
        {state !== 'pending' && replacedBy === null && <p>{closedTexts[state]}</p>}
        {state === 'revoked' && replacedBy === null && (
          <ButtonLink kind="primary" href={paths.renewInvitation(organizationId, invitation.userUuid)}>
            Renew the invitation
          </ButtonLink>
        )}
        {replacedBy !== null && <Replaced path={paths.invitation(organizationId, replacedBy)} />}
      </section>
      <ZoneNote zone={zone} />
    </>
  );
}

function Replaced({ path }: { readonly path: string }) {
  return (
    <p>
      This invitation’s link no longer works, because the person was invited again.{' '}
      <a href={path}>Open the new invitation</a>
    </p>
  );
}

function Pending({ invitation, organizationId }: Omit<InvitationPageProps, 'zone'>) {
  const { invitationUrl, userUuid } = invitation;
  return (
    <>
      <CopyText id="invitation-url" label="Invitation link" text={invitationUrl ?? ''} isMain />
      <p>
        Anyone with this link can accept the invitation, so share it with no one else. It does not expire.
      </p>
      <div class="actions">
        <ButtonLink kind="secondary" href={paths.renewInvitation(organizationId, userUuid)}>
          Renew the invitation
        </ButtonLink>
        <ButtonLink kind="destructive" href={paths.revokeInvitation(organizationId, userUuid)}>
          Revoke the invitation
        </ButtonLink>
      </div>
    </>
  );
}

/** Ends an invitation's link, after asking. */
export const revokeInvitation = memberPage({
  path: paths.revokeInvitation(':id', ':uuid'),
  section: 'invitations',
  async get(visit) {
    const { organization } = visit;
    const invitation = await invitationOf(visit);
    const path = paths.invitation(organization.id, invitation.userUuid);
    if (invitation.state !== 'pending') return visit.leadTo(path);
    ask(visit, {
      title: `Revoke the invitation for ${nameOf(invitation)}?`,
      question: 'Revoke this invitation?',
      action: paths.revokeInvitation(organization.id, invitation.userUuid),
      fields: { invitation: invitation.id },
      confirmLabel: 'Revoke the invitation',
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
