import type { InvitationView, ListedState, PageOf } from '@rollcall/core';
import { Button, ButtonLink } from '../design/button.js';
import {
  CheckAll,
  type Column,
  CopyButton,
  DataTable,
  DownloadLink,
  Empty,
  Filters,
} from '../design/components.js';
import { type FormProblems, INVALID_FORM_STATUS, noProblems, problemsOf } from '../design/form.js';
import { counted, ListCount } from '../design/list-count.js';
import { ListSearch } from '../design/list-search.js';
import { consumeNotice } from '../design/notice.js';
import { Pagination } from '../design/pagination.js';
import { Timestamp, type TimeZone, ZoneNote } from '../design/times.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { requireMember, showPageTo, type Visit } from '../visit.js';
import { invitationPath, invitationsPath } from './invitation-paths.js';
import { type InvitationsQuery, orderTexts, parametersOf, queryIn, states } from './invitations-query.js';
import { InviteFields, type InviteForm, keptInvite, openInvite } from './invite-form.js';
import { inviteUser } from './invite-user.js';
import { canRenew } from './read-invitation.js';
import { SELECTED, selectedPath } from './selected-invitations.js';
import { StateBadge } from './state-badge.js';

/** All invitations, and the form to invite someone. */
export function listInvitations(deps: PageDeps): Page {
  const showAgain = (visit: Visit, form: InviteForm) => showInvitations(deps, visit, form);
  return {
    path: '/organizations/:id/invitations',
    get: requireMember(deps, { role: 'admin', section: 'invitations' }, async (visit) =>
      showAgain(visit, openInvite(deps, visit)),
    ),
    keptForm: keptInvite,
    post: requireMember(deps, { role: 'admin', section: 'invitations' }, (visit) =>
      inviteUser(deps, visit, showAgain),
    ),
  };
}

async function showInvitations(deps: PageDeps, visit: Visit, form: InviteForm): Promise<void> {
  const { organization, zone, request, response } = visit;
  const query = queryIn(request);
  const listed = await deps.core
    .listInvitations({ organization, ...query, page: request.query.page })
    .catch((error) => problemsOf(error, { search: 'Search' }));
  const refused = form.problems !== noProblems || !('items' in listed);
  showPageTo(visit, deps, {
    status: refused ? INVALID_FORM_STATUS : 200,
    title: `${refused ? 'Error: ' : ''}Invitations to ${organization.name}`,
    notice: consumeNotice(deps, request, response),
    body: <InvitationsView {...{ form, listed, query, zone }} organizationId={organization.id} />,
  });
}

function listPath(organizationId: number, query: InvitationsQuery): string {
  const parameters = new URLSearchParams(parametersOf(query)).toString();
  return `${invitationsPath(organizationId)}${parameters === '' ? '' : `?${parameters}`}`;
}

interface InvitationsViewProps {
  readonly organizationId: number;
  readonly form: InviteForm;
  readonly query: InvitationsQuery;
  /** The invitations found, or the problem of the search. */
  readonly listed: PageOf<InvitationView> | FormProblems;
  readonly zone: TimeZone;
}

function InvitationsView(view: InvitationsViewProps) {
  const { organizationId, form, query, listed, zone } = view;
  const { search, state, order } = query;
  const path = invitationsPath(organizationId);
  const isUnused = 'items' in listed && listed.totalItems === 0 && search === '' && state === undefined;
  return (
    <>
      <h1>Invitations</h1>
      <InviteCard form={form} path={path} />
      <h2 class="list-title">All invitations</h2>
      {!isUnused && (
        <>
          <ListSearch
            path={path}
            label="Search invitations"
            search={search}
            problem={'items' in listed ? undefined : listed.fields.search}
            orders={Object.entries(orderTexts).map(([value, text]) => ({ value, text }))}
            order={order}
            filters={state === undefined ? {} : { state }}
            showAll="Show all invitations"
          />
          <Filters
            label="Invitations to show"
            chosen={state ?? 'all'}
            choices={[
              { name: 'all', title: 'All', href: listPath(organizationId, { ...query, state: undefined }) },
              ...Object.entries(states).map(([name, { label }]) => ({
                name,
                title: label,
                href: listPath(organizationId, { ...query, state: name as ListedState }),
              })),
            ]}
          />
        </>
      )}
      {'items' in listed && !isUnused && (
        <ListCount isNarrowed={search !== '' || state !== undefined}>{countOf(listed, query)}</ListCount>
      )}
      {'items' in listed && <List {...{ organizationId, query, listed, zone }} />}
    </>
  );
}

function countOf({ totalItems }: PageOf<InvitationView>, { search, state }: InvitationsQuery) {
  const adjective = state === undefined ? '' : `${states[state].label.toLowerCase()} `;
  const words = { one: `${adjective}invitation`, several: `${adjective}invitations` };
  const invitations = counted(totalItems, words);
  if (search === '') return invitations;
  return (
    <>
      {invitations} with “<bdi>{search}</bdi>” in the name, email address or ID
    </>
  );
}

interface ListProps extends Pick<InvitationsViewProps, 'organizationId' | 'query' | 'zone'> {
  readonly listed: PageOf<InvitationView>;
}

function List({ organizationId, query, listed, zone }: ListProps) {
  const { items, page, totalItems, totalPages } = listed;
  if (items.length === 0)
    return <EmptyList isPastEnd={totalItems > 0} query={query} path={invitationsPath(organizationId)} />;
  return (
    <>
      <ZoneNote zone={zone} />
      {/* A form that only opens the page that asks. */}
      <form method="get" action={selectedPath(organizationId, 'renew')}>
        {items.some(canRenew) && <BulkActions organizationId={organizationId} />}
        <DataTable
          caption="Invitations"
          columns={columnsFor(organizationId, zone)}
          rows={items}
          keyOf={({ id }) => id}
        />
      </form>
      <Pagination current={page} total={totalPages} query={parametersOf(query)} />
      <DownloadLink
        href={`${invitationsPath(organizationId)}.csv?${new URLSearchParams(parametersOf(query))}`}
      />
    </>
  );
}

interface InviteCardProps {
  readonly form: InviteForm;
  readonly path: string;
}

function InviteCard({ form, path }: InviteCardProps) {
  return (
    <section class="card" aria-labelledby="invite">
      <h2 id="invite">Invite someone</h2>
      <InviteFields action={path} form={form}>
        <Button kind="primary">Invite</Button>
        <a href={`${path}/many`}>Invite many people</a>
      </InviteFields>
    </section>
  );
}

function BulkActions({ organizationId }: Pick<ListProps, 'organizationId'>) {
  return (
    <div class="bulk-actions">
      <CheckAll name={SELECTED} label="Select all on this page" />
      <Button kind="secondary" isSmall>
        Renew selected…
      </Button>
      <Button kind="secondary" isSmall formaction={selectedPath(organizationId, 'revoke')}>
        Revoke selected…
      </Button>
    </div>
  );
}

interface EmptyListProps {
  readonly path: string;
  readonly isPastEnd: boolean;
  readonly query: InvitationsQuery;
}

function EmptyList({ isPastEnd, query, path }: EmptyListProps) {
  const { search, state } = query;
  if (search === '' && state === undefined && !isPastEnd)
    return (
      <Empty next={{ href: '#email', text: 'Invite someone' }}>
        No invitations yet. When you invite someone, you get a link to send them.
      </Empty>
    );
  if (!isPastEnd)
    return (
      <Empty next={{ href: path, text: 'Show all invitations' }}>
        No invitation matches. {search === '' ? 'Choose another state.' : 'Try a shorter search.'}
      </Empty>
    );
  const first = `?${new URLSearchParams({ ...parametersOf(query), page: '1' })}`;
  return <Empty next={{ href: first, text: 'Go to the first page' }}>This page is empty.</Empty>;
}

function columnsFor(organizationId: number, zone: TimeZone): readonly Column<InvitationView>[] {
  return [
    {
      title: 'Person',
      cell: (invitation) => (
        <div class="selectable">
          {canRenew(invitation) && (
            <input
              type="checkbox"
              name={SELECTED}
              value={invitation.userUuid}
              aria-label={`Select the invitation for ${invitation.email}`}
            />
          )}
          <div class="stack">
            <a href={invitationPath(organizationId, invitation.userUuid)}>
              <bdi>{`${invitation.firstName} ${invitation.lastName}`}</bdi>
            </a>
            <bdi class="secondary-text">{invitation.email}</bdi>
          </div>
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
    {
      title: 'Actions',
      isAction: true,
      cell: (invitation) => <Actions {...{ invitation, organizationId }} />,
    },
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
    <ButtonLink kind="quiet" isSmall href={`${path}/renew`} label={`Renew the invitation for ${email}`}>
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
        label={`Revoke the invitation for ${email}`}
      >
        Revoke
      </ButtonLink>
    </div>
  );
}
