import type { AuditAction, AuditEntry } from '@rollcall/core';
import { BackLink, type Column, Empty, Stack } from '../design/components.js';
import { ListRows } from '../design/list.js';
import { Timestamp, type TimeZone } from '../design/times.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';

/** The whole audit trail, newest first. */
export const listActivity = memberPage({
  path: paths.activity(':id'),
  section: 'organization',
  async get(visit) {
    const { core, organization, zone, request } = visit;
    const found = await core.listActivity({ organization, page: request.query.page });
    visit.show({
      title: `Activity in ${organization.name}`,
      body: (
        <>
          <BackLink href={paths.organization(organization.id)}>Organization</BackLink>
          <hgroup>
            <h1>Activity</h1>
            <p>Who did what, and from where, newest first. Entries are kept for one year.</p>
          </hgroup>
          <ListRows {...{ found, zone }} {...activityTable(zone)} empty={<NoActivity />} />
        </>
      ),
    });
  },
});

/** Entries of the audit trail as a table. */
export function activityTable(zone: TimeZone) {
  const keyOf = ({ id }: AuditEntry) => id;
  return { caption: 'Who did what, newest first', columns: columnsFor(zone), keyOf };
}

export function NoActivity() {
  return (
    <Empty next={{ href: paths.guide, text: 'Read the guide' }}>
      No activity yet. Changes by owners, admins and programs will be listed here.
    </Empty>
  );
}

function columnsFor(zone: TimeZone): readonly Column<AuditEntry>[] {
  return [
    { title: 'When', cell: ({ at }) => <Timestamp at={at} zone={zone} />, isShort: true },
    { title: 'Who', cell: (entry) => <Who entry={entry} /> },
    {
      title: 'What',
      cell: ({ action, subject }) => (
        <Stack>
          <span>{actionLabels[action]}</span>
          {subject !== null && (
            <bdi class="secondary-text">
              {action === 'meetings-exported' ? subject.toUpperCase() : subject}
            </bdi>
          )}
          {subject === null && action === 'time-zone-set' && <span class="secondary-text">Default</span>}
        </Stack>
      ),
    },
    { title: 'From', cell: ({ actor }) => actor.from ?? '–', isShort: true },
  ];
}

const actionLabels: Record<AuditAction, string> = {
  'organization-created': 'Created the organization',
  'organization-renamed': 'Renamed the organization',
  'access-key-generated': 'Generated the access key',
  'access-key-replaced': 'Replaced the access key',
  'webhook-configured': 'Changed the webhook',
  'signing-secret-rotated': 'Regenerated the signing secret',
  'secret-rotation-finished': 'Finished the rotation of the signing secret',
  'webhook-tested': 'Sent a test to the webhook',
  'delivery-redelivered': 'Resent a delivery',
  'deliveries-redelivered': 'Resent failed deliveries',
  'deliveries-dismissed': 'Dismissed failed deliveries',
  'deliveries-dropped': 'Dropped held deliveries',
  'user-invited': 'Invited someone',
  'invitation-revoked': 'Revoked an invitation',
  'invitation-renewed': 'Renewed an invitation',
  'member-added': 'Added a member',
  'idp-id-set': 'Changed an identity provider ID',
  'role-changed': 'Changed a role',
  'member-removed': 'Removed a member',
  'email-changed': 'Changed an email address',
  'name-changed': 'Corrected a name',
  'user-erased': 'Erased a person',
  'login-link-issued': 'Created a login link',
  'login-link-redeemed': 'Signed in with a login link',
  'session-ended': 'Signed out of a session that a login link started',
  'time-zone-set': 'Changed the time zone of exports',
  'meetings-exported': 'Downloaded an export of meetings',
  'people-exported': 'Downloaded the list of people',
  'invitations-exported': 'Downloaded the list of invitations',
  'first-steps-hidden': 'Hid the first steps',
  'first-steps-shown': 'Showed the first steps again',
};

function Who({ entry: { actor, user } }: { readonly entry: AuditEntry }) {
  if (user === null) return <>{actorLabels[actor.who.kind]}</>;
  return (
    <Stack>
      <bdi>{`${user.firstName} ${user.lastName}`}</bdi>
      <bdi class="secondary-text">{user.email}</bdi>
    </Stack>
  );
}

/** Actors that are not users, or no longer are. */
const actorLabels: Record<AuditEntry['actor']['who']['kind'], string> = {
  user: 'Deleted user',
  'access-key': 'API, with the access key',
  'command-line': 'Command line of this service',
  operator: 'Operator of this service',
  program: 'This service',
};
