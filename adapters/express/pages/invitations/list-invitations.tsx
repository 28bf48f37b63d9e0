import type { InvitationView, ListedState, PageOf } from '@rollcall/core';
import { Button, ButtonLink } from '../design/button.js';
import {
  Badge,
  type Column,
  CopyButton,
  DataTable,
  Empty,
  Filters,
  type Tone,
} from '../design/components.js';
import { INVALID_FORM_STATUS, noProblems } from '../design/form.js';
import { Notice } from '../design/layout.js';
import { consumeNotice } from '../design/notice.js';
import { Pagination } from '../design/pagination.js';
import { Timestamp, type TimeZone, ZoneNote } from '../design/times.js';
import type { FormToken } from '../form-guard.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { requireMember, showPageTo, type Visit } from '../visit.js';
import { invitationPath, invitationsPath } from './invitation-paths.js';
import { emptyInvite, InviteFields, type InviteForm } from './invite-form.js';
import { inviteUser } from './invite-user.js';
import { canRenew } from './read-invitation.js';

/** All invitations, and the form to invite someone. */
export function listInvitations(deps: PageDeps): Page {
  const showAgain = (visit: Visit, form: InviteForm) => showInvitations(deps, visit, form);
  return {
    path: '/organizations/:id/invitations',
    get: requireMember(deps, { role: 'admin', section: 'invitations' }, (visit) =>
      showAgain(visit, emptyInvite),
    ),
    post: requireMember(deps, { role: 'admin', section: 'invitations' }, (visit) =>
      inviteUser(deps, visit, showAgain),
    ),
  };
}

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

async function showInvitations(deps: PageDeps, visit: Visit, form: InviteForm): Promise<void> {
  const { organization, zone, request, response } = visit;
  const state = stateIn(request.query.state);
  const listed = await deps.core.listInvitations({ organization, state, page: request.query.page });
  const refused = form.problems !== noProblems;
  showPageTo(visit, deps, {
    status: refused ? INVALID_FORM_STATUS : 200,
    title: `${refused ? 'Error: ' : ''}Invitations to ${organization.name}`,
    body: (
      <InvitationsView
        {...{ form, listed, state, zone }}
        organizationId={organization.id}
        token={visit.signedIn.formToken}
        notice={consumeNotice(deps, request, response)}
      />
    ),
  });
}

/** An unknown state means all, just as an invalid page number means the first page. */
function stateIn(text: unknown): ListedState | undefined {
  return typeof text === 'string' && Object.hasOwn(states, text) ? (text as ListedState) : undefined;
}

interface InvitationsViewProps {
  readonly organizationId: number;
  readonly form: InviteForm;
  readonly listed: PageOf<InvitationView>;
  readonly state: ListedState | undefined;
  readonly zone: TimeZone;
  readonly token: FormToken;
  readonly notice: string | null;
}

function InvitationsView(view: InvitationsViewProps) {
  const { organizationId, form, listed, state, zone, token, notice } = view;
  const path = invitationsPath(organizationId);
  return (
    <>
      <h1>Invitations</h1>
      {notice !== null && <Notice>{notice}</Notice>}
      <InviteCard form={form} token={token} path={path} />
      <h2 class="list-title">All invitations</h2>
      <Filters
        label="Invitations to show"
        chosen={state ?? 'all'}
        choices={[
          { name: 'all', title: 'All', href: path },
          ...Object.entries(states).map(([name, { label }]) => ({
            name,
            title: label,
            href: `${path}?state=${name}`,
          })),
        ]}
      />
      {listed.items.length === 0 ? (
        <EmptyList isPastEnd={listed.totalItems > 0} state={state} path={path} />
      ) : (
        <>
          <ZoneNote zone={zone} />
          <DataTable
            caption="Invitations, newest first"
            columns={columnsFor(organizationId, zone)}
            rows={listed.items}
            keyOf={({ id }) => id}
          />
        </>
      )}
      <Pagination
        current={listed.page}
        total={listed.totalPages}
        query={state === undefined ? {} : { state }}
      />
    </>
  );
}

interface InviteCardProps {
  readonly form: InviteForm;
  readonly token: FormToken;
  readonly path: string;
}

function InviteCard({ form, token, path }: InviteCardProps) {
  return (
    <section class="card" aria-labelledby="invite">
      <h2 id="invite">Invite someone</h2>
      <InviteFields action={path} form={form} token={token}>
        <Button kind="primary">Invite</Button>
        <a href={`${path}/many`}>Invite many people</a>
      </InviteFields>
    </section>
  );
}

interface EmptyListProps {
  readonly path: string;
  readonly isPastEnd: boolean;
  readonly state: ListedState | undefined;
}

function EmptyList({ isPastEnd, state, path }: EmptyListProps) {
  if (state === undefined && !isPastEnd)
    return (
      <Empty next={{ href: '#invite', text: 'Invite someone' }}>
        No invitations yet. When you invite someone, you get a link to send them.
      </Empty>
    );
  if (!isPastEnd)
    return <Empty next={{ href: path, text: 'Show all invitations' }}>{`No ${state} invitations.`}</Empty>;
  const first = state === undefined ? '?page=1' : `?state=${state}&page=1`;
  return <Empty next={{ href: first, text: 'Go to the first page' }}>This page is empty.</Empty>;
}

function columnsFor(organizationId: number, zone: TimeZone): readonly Column<InvitationView>[] {
  return [
    {
      title: 'Person',
      cell: ({ firstName, lastName, email, userUuid }) => (
        <div class="stack">
          <a href={invitationPath(organizationId, userUuid)}>
            <bdi>{`${firstName} ${lastName}`}</bdi>
          </a>
          <bdi class="secondary-text">{email}</bdi>
        </div>
      ),
    },
    { title: 'State', cell: (invitation) => <StateBadge {...invitation} /> },
    {
      title: 'Invited',
      cell: (invitation) => (
        <div class="stack">
          <Timestamp at={invitation.createdAt} zone={zone} />
          <span class="secondary-text by">
            by <bdi>{inviterOf(invitation)}</bdi>
          </span>
        </div>
      ),
    },
    { title: 'Actions', cell: (invitation) => <Actions {...{ invitation, organizationId }} /> },
  ];
}

function inviterOf({ inviter, invitedBy }: InvitationView): string {
  if (inviter !== null) return `${inviter.firstName} ${inviter.lastName}`;
  if (invitedBy === null || invitedBy.kind === 'program') return 'a program';
  if (invitedBy.kind === 'user') return 'a deleted user';
  return invitedBy.kind === 'access-key' ? 'the API' : 'the command line of this service';
}

interface ActionsProps {
  readonly invitation: InvitationView;
  readonly organizationId: number;
}

function Actions({ invitation, organizationId }: ActionsProps) {
  const { id, email, userUuid, invitationUrl } = invitation;
  if (!canRenew(invitation)) return '–';
  const path = invitationPath(organizationId, userUuid);
  const renew = (
    <ButtonLink kind="quiet" isSmall href={`${path}/renew`} label={`Renew the invitation of ${email}`}>
      Renew
    </ButtonLink>
  );
  if (invitationUrl === null) return <div class="actions">{renew}</div>;
  return (
    <div class="actions">
      <span id={`url-${id}`} hidden>
        {invitationUrl}
      </span>
      <CopyButton id={`url-${id}`} label={email} text="Copy link" />
      {renew}
      <ButtonLink
        kind="destructive"
        isSmall
        href={`${path}/revoke`}
        label={`Revoke the invitation of ${email}`}
      >
        Revoke
      </ButtonLink>
    </div>
  );
}
