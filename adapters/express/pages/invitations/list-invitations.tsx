import type { InvitationOrder, InvitationView, ListedState, PageOf } from '@rollcall/core';
import { Button, ButtonLink, CheckAll, type Column, CopyButton, Empty, Stack } from '../design/components.js';
import {
  counted,
  foundBy,
  isNarrowed,
  ListControls,
  ListCount,
  type ListKind,
  type ListQuery,
  queryIn,
  SearchedRows,
} from '../design/list.js';
import { Timestamp, type TimeZone } from '../design/times.js';
import { sendDownload } from '../download.js';
import { memberForm } from '../form-page.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { InviteFields, type InviteForm, inviteForm } from './invite-user.js';
import { canRenew, StateBadge } from './read-invitation.js';
import { SELECTED } from './renew-selected.js';

const kind: ListKind<ListedState, InvitationOrder> = {
  things: 'invitations',
  filter: 'state',
  filters: { pending: 'Pending', accepted: 'Accepted', revoked: 'Revoked', replaced: 'Replaced' },
  all: 'All',
  orders: { newest: 'Newest first', oldest: 'Oldest first', name: 'Name' },
  showAll: 'Show all invitations',
};

/** All invitations, and the form to invite someone. */
export const listInvitations = memberForm({
  path: paths.invitations(':id'),
  section: 'invitations',
  ...inviteForm,
  show: showInvitations,
});

/** The invitations that the list shows with the same address, on all its pages, as a CSV file. */
export const exportInvitations = memberPage({
  path: paths.invitationsFile(':id'),
  section: 'invitations',
  async get(visit) {
    const { core, organization, request } = visit;
    const { search, filter: state } = queryIn(kind, request);
    const filter = { organization, search, state };
    // Each of them reads the whole list if there is a search.
    const [{ chunks }, { totalItems }] = await Promise.all([
      core.exportInvitations(filter),
      core.listInvitations(filter),
    ]);
    const record = { list: 'invitations', rows: totalItems } as const;
    await sendDownload(visit, { name: 'invitations', form: 'csv', record, chunks });
  },
});

async function showInvitations(visit: MemberVisit, form: InviteForm): Promise<void> {
  const { core, organization, zone, request } = visit;
  const query = queryIn(kind, request);
  const { filter: state, ...others } = query;
  const found = await foundBy(
    core.listInvitations({ organization, state, ...others, page: request.query.page }),
  );
  const path = paths.invitations(organization.id);
  const isFound = 'items' in found;
  const isUnused = isFound && found.totalItems === 0 && !isNarrowed(query);
  visit.show({
    title: `Invitations to ${organization.name}`,
    problems: isFound ? form.problems : found,
    notice: visit.consumeNotice(),
    body: (
      <>
        <h1>Invitations</h1>
        <InviteCard visit={visit} form={form} />
        <h2 class="list-title">All invitations</h2>
        {!isUnused && <ListControls {...{ kind, path, query, found }} />}
        {isFound && !isUnused && (
          <ListCount isNarrowed={isNarrowed(query)}>{countOf(found, query)}</ListCount>
        )}
        {isFound && (
          <SearchedRows
            {...{ kind, query, found, zone }}
            caption="Invitations"
            columns={columnsFor(organization.id, zone)}
            keyOf={({ id }) => id}
            file={paths.invitationsFile(organization.id)}
            around={(table) => (
              // A form that only opens the page that asks.
              <form method="get" action={paths.selectedInvitations(organization.id, 'renew')}>
                {found.items.some(canRenew) && <BulkActions organizationId={organization.id} />}
                {table}
              </form>
            )}
            empty={<EmptyList query={query} path={path} />}
          />
        )}
      </>
    ),
  });
}

type Query = ListQuery<ListedState, InvitationOrder>;

function countOf({ totalItems }: PageOf<InvitationView>, { search, filter }: Query) {
  const adjective = filter === undefined ? '' : `${filter} `;
  const words = { one: `${adjective}invitation`, several: `${adjective}invitations` };
  const invitations = counted(totalItems, words);
  if (search === '') return invitations;
  return (
    <>
      {invitations} with “<bdi>{search}</bdi>” in the name, email address or ID
    </>
  );
}

function EmptyList({ query, path }: { readonly query: Query; readonly path: string }) {
  if (!isNarrowed(query))
    return (
      <Empty next={{ href: '#email', text: 'Invite someone' }}>
        No invitations yet. When you invite someone, you get a link to send them.
      </Empty>
    );
  return (
    <Empty next={{ href: path, text: 'Show all invitations' }}>
      No invitation matches. {query.search === '' ? 'Choose another state.' : 'Try a shorter search.'}
    </Empty>
  );
}

interface InviteCardProps {
  readonly visit: MemberVisit;
  readonly form: InviteForm;
}

function InviteCard({ visit, form }: InviteCardProps) {
  const { id: organizationId } = visit.organization;
  return (
    <section class="card" aria-labelledby="invite">
      <h2 id="invite">Invite someone</h2>
      <InviteFields {...{ visit, form }} action={paths.invitations(organizationId)}>
        <Button kind="primary">Invite</Button>
        <a href={paths.inviteMany(organizationId)}>Invite many people</a>
      </InviteFields>
    </section>
  );
}

function BulkActions({ organizationId }: { readonly organizationId: number }) {
  return (
    <div class="bulk-actions">
      <CheckAll name={SELECTED} label="Select all on this page" />
      <Button kind="secondary" isSmall>
        Renew selected…
      </Button>
      <Button kind="secondary" isSmall formaction={paths.selectedInvitations(organizationId, 'revoke')}>
        Revoke selected…
      </Button>
    </div>
  );
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
          <Stack>
            <a href={paths.invitation(organizationId, invitation.userUuid)}>
              <bdi>{`${invitation.firstName} ${invitation.lastName}`}</bdi>
            </a>
            <bdi class="secondary-text">{invitation.email}</bdi>
          </Stack>
        </div>
      ),
    },
    { title: 'State', cell: (invitation) => <StateBadge {...invitation} /> },
    {
      title: 'Invited',
      cell: (invitation) => (
        <Stack>
          <Timestamp at={invitation.createdAt} zone={zone} />
          <span class="secondary-text by">
            by <bdi>{inviterOf(invitation)}</bdi>
          </span>
        </Stack>
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
  const renew = (
    <ButtonLink
      kind="quiet"
      isSmall
      href={paths.renewInvitation(organizationId, userUuid)}
      label={`Renew the invitation for ${email}`}
    >
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
        href={paths.revokeInvitation(organizationId, userUuid)}
        label={`Revoke the invitation for ${email}`}
      >
        Revoke
      </ButtonLink>
    </div>
  );
}
