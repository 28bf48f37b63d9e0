import { type InvitationState, type InvitationView, Refusal } from '@rollcall/core';
import { ButtonLink } from '../design/button.js';
import { CopyText } from '../design/components.js';
import { consumeNotice, type NoticeName, setNotice } from '../design/notice.js';
import { Timestamp, type TimeZone, ZoneNote } from '../design/times.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { PageError } from '../page-error.js';
import { requireMember, showPageTo, type Visit } from '../visit.js';
import { invitationPath, invitationsPath } from './invitation-paths.js';
import { StateBadge } from './state-badge.js';

/** One invitation: its link and its state. */
export function readInvitation(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/invitations/:uuid',
    get: requireMember(deps, { role: 'admin', section: 'invitations' }, async (visit) => {
      const { organization, zone, request, response } = visit;
      const found = await invitationOf(deps, visit);
      showPageTo(visit, deps, {
        title: `Invitation for ${nameOf(found)}`,
        notice: consumeNotice(deps, request, response),
        body: <InvitationPage {...{ invitation: found, zone }} organizationId={organization.id} />,
      });
    }),
  };
}

export type KnownInvitation = Omit<InvitationView, 'inviter'>;

export function nameOf({ firstName, lastName }: Pick<KnownInvitation, 'firstName' | 'lastName'>): string {
  return `${firstName} ${lastName}`;
}

/** Whether the person can get a new link under the same UUID. */
export function canRenew({ state, replacedBy }: Pick<KnownInvitation, 'state' | 'replacedBy'>): boolean {
  return state === 'pending' || (state === 'revoked' && replacedBy === null);
}

/** The invitation that the address names. */
export async function invitationOf(
  { core }: PageDeps,
  { organization, request }: Pick<Visit, 'organization' | 'request'>,
): Promise<KnownInvitation> {
  try {
    return await core.readInvitation({ organization, uuid: String(request.params.uuid) });
  } catch (error) {
    if (error instanceof Refusal && error.code === 'invitation-unknown') throw new PageError('not-found');
    throw error;
  }
}

/** Changes a pending invitation and leads to its page, which also says when the invitation is no longer pending. */
export async function changeInvitation(
  deps: PageDeps,
  { organization, request, response }: Visit,
  /** Returns the notice for a change that was made. */
  { change }: { change(): Promise<NoticeName> },
): Promise<void> {
  try {
    setNotice(deps, response, await change());
  } catch (error) {
    if (!isClosed(error)) throw error;
    setNotice(deps, response, 'invitation-closed');
  }
  response.redirect(303, invitationPath(organization.id, String(request.params.uuid)));
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
      <p class="back-link">
        <a href={invitationsPath(organizationId)}>All invitations</a>
      </p>
      <h1>
        Invitation for <bdi>{nameOf(invitation)}</bdi>
      </h1>
      <section class="card">
        <dl class="facts">
          <dt>Email address</dt>
          <dd>
            <bdi>{invitation.email}</bdi>
          </dd>
          <dt>Identity provider ID</dt>
          <dd>{invitation.idpId === null ? '–' : <bdi class="id">{invitation.idpId}</bdi>}</dd>
          <dt>State</dt>
          <dd>
            <StateBadge {...invitation} />
          </dd>
          <dt>Invited</dt>
          <dd>
            <Timestamp at={invitation.createdAt} zone={zone} />
          </dd>
        </dl>
        {state === 'pending' && (
          <Pending invitation={invitation} path={invitationPath(organizationId, invitation.userUuid)} />
        )}
        {state !== 'pending' && replacedBy === null && <p>{closedTexts[state]}</p>}
        {state === 'revoked' && replacedBy === null && (
          <ButtonLink kind="primary" href={`${invitationPath(organizationId, invitation.userUuid)}/renew`}>
            Renew the invitation
          </ButtonLink>
        )}
        {replacedBy !== null && <Replaced path={invitationPath(organizationId, replacedBy)} />}
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

interface PendingProps {
  readonly invitation: KnownInvitation;
  readonly path: string;
}

function Pending({ invitation: { invitationUrl }, path }: PendingProps) {
  return (
    <>
      <CopyText id="invitation-url" label="Invitation link" text={invitationUrl ?? ''} isMain />
      <p>
        Anyone with this link can accept the invitation, so share it with no one else. It does not expire.
      </p>
      <div class="actions">
        <ButtonLink kind="secondary" href={`${path}/renew`}>
          Renew the invitation
        </ButtonLink>
        <ButtonLink kind="destructive" href={`${path}/revoke`}>
          Revoke the invitation
        </ButtonLink>
      </div>
    </>
  );
}
