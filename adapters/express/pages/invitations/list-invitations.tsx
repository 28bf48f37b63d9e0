import type { InvitationOrder, InvitationView, ListedState } from '@rollcall/core';
import { NameLink } from '../design/avatar.js';
import { Button, ButtonLink, CheckAll, type Column, CopyButton, Empty, Stack } from '../design/components.js';
import { foundBy, isNarrowed, type ListKind, problemsIn, queryIn, SearchedList } from '../design/list.js';
import { dayAndMonth, dayOf, Timestamp, type TimeZone } from '../design/times.js';
import { sendList } from '../download.js';
import { PeopleHead } from '../members/people-head.js';
import { roleTitles } from '../members/roles.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit, PartProps } from '../visit.js';
import { canRenew, inviterOf, linkFor, StateBadge } from './read-invitation.js';
import { SELECTED } from './renew-selected.js';

const kind: ListKind<ListedState, InvitationOrder> = {
  things: 'invitations',
  filter: 'state',
  filters: { pending: 'Pending', accepted: 'Accepted', revoked: 'Revoked or expired', replaced: 'Replaced' },
  all: 'All states',
  orders: { newest: 'Newest first', oldest: 'Oldest first', name: 'Name' },
  showAll: 'Show all invitations',
  searched: 'the name, email address or ID',
};

/** Everyone who was invited, each with their newest invitation. */
export const listInvitations = memberPage({
  path: paths.invitations(':id'),
  isList: true,
  async get(visit) {
    const { core, organization, zone, request } = visit;
    const query = queryIn(kind, request);
    const { filter: state, ...others } = query;
    const found = await foundBy(
      core.listInvitations({ organization, state, ...others, page: request.query.page }),
    );
    const path = paths.invitations(organization.id);
    const adjective = state === undefined ? '' : `${kind.filters[state].toLowerCase()} `;
    const canRenewSome = 'items' in found && found.items.some(canRenew);
    const isUnused = 'items' in found && found.totalItems === 0 && !isNarrowed(query);
    visit.show(
      {
        title: `Invitations to ${organization.name}`,
        problems: problemsIn(found),
        notice: visit.consumeNotice(),
      },
      <PeopleHead organizationId={organization.id} current="invitations" />,
      <SearchedList
        {...{ kind, path, query, found, zone }}
        caption="Invitations"
        hasControls={!isUnused}
        words={{ one: `${adjective}invitation`, several: `${adjective}invitations` }}
        columns={columnsFor(visit)}
        file={paths.invitationsFile(organization.id)}
        around={(table) => (
          // A form that only opens the page that asks.
          <form method="get" action={paths.selectedInvitations(organization.id, 'renew')}>
            {canRenewSome && <BulkActions organizationId={organization.id} />}
            {table}
          </form>
        )}
        noMatch={`No invitation matches. ${query.search === '' ? 'Choose another state.' : 'Try a shorter search.'}`}
        empty={
          <Empty next={{ href: paths.invite(organization.id), text: 'Invite someone' }}>
            No invitations yet. When you invite someone, you get a link to send them.
          </Empty>
        }
      />,
    );
  },
});

/** The invitations that the list shows with the same address, on all its pages, as a CSV file. */
export const exportInvitations = memberPage({
  path: paths.invitationsFile(':id'),
  get(visit) {
    const { core, organization, request } = visit;
    const { search, filter: state } = queryIn(kind, request);
    const filter = { organization, search, state };
    const [exported, listed] = [core.exportInvitations(filter), core.listInvitations(filter)];
    return sendList(visit, { list: 'invitations', exported, listed });
  },
});

function BulkActions({ organizationId }: { readonly organizationId: number }) {
  return (
    <div class="bulk-actions">
      <CheckAll name={SELECTED} label="Select all on this page" />
      <Button isSmall>Renew selected…</Button>
      <Button isSmall formaction={paths.selectedInvitations(organizationId, 'revoke')}>
        Revoke selected…
      </Button>
    </div>
  );
}

function columnsFor(visit: MemberVisit): readonly Column<InvitationView>[] {
  const { organization, zone } = visit;
  return [
    {
      title: 'Name',
      cell: (invitation) => (
        <div class="selectable">
          {canRenew(invitation) ? (
            <input
              type="checkbox"
              name={SELECTED}
              value={invitation.userUuid}
              aria-label={`Select the invitation for ${invitation.email}`}
            />
          ) : (
            <span class="no-box" />
          )}
          <NameLink to={paths.invitation(organization.id, invitation.userUuid)} of={invitation} />
        </div>
      ),
    },
    { title: 'Email address', cell: ({ email }) => <bdi>{email}</bdi> },
    {
      title: 'State',
      cell: (invitation) => (
        <Stack>
          <StateBadge {...invitation} />
          <Given {...{ invitation, zone }} />
        </Stack>
      ),
    },
    { title: 'Invited', cell: ({ createdAt }) => <Timestamp at={createdAt} zone={zone} /> },
    { title: 'By', cell: (invitation) => <bdi>{inviterOf(invitation)}</bdi>, isMinor: true },
    {
      title: 'Actions',
      isAction: true,
      cell: (invitation) => <Action {...{ visit, invitation }} />,
    },
  ];
}

/** What is not usual: the role of an admin, and when the link ends. */
function Given({ invitation, zone }: { readonly invitation: InvitationView; readonly zone: TimeZone }) {
  const { role, state, expiresAt } = invitation;
  const end = state === 'pending' && expiresAt !== null && `until ${dayAndMonth(dayOf(expiresAt, zone))}`;
  const texts = [role !== 'member' && roleTitles[role], end].filter((text) => text !== false);
  return texts.length === 0 ? null : <span class="secondary-text">{texts.join(', ')}</span>;
}

/** What is most likely to be done with the invitation. Its page has the rest. */
function Action({ visit, invitation }: PartProps<{ invitation: InvitationView }>) {
  const { id, email, userUuid } = invitation;
  if (!canRenew(invitation)) return null;
  const url = linkFor(visit, invitation);
  if (url === null)
    return (
      <ButtonLink
        kind="quiet"
        isSmall
        href={paths.renewInvitation(visit.organization.id, userUuid)}
        label={`Renew the invitation for ${email}`}
        text="Renew"
      />
    );
  return (
    <>
      <span id={`url-${id}`} hidden>
        {url}
      </span>
      <CopyButton id={`url-${id}`} label={email} text="Copy link" />
    </>
  );
}
