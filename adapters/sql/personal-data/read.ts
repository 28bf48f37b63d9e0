import type { Invitation, MailKind, PersonalMembership, PersonalRecord, WaitingStatus } from '@rollcall/core';
import type { Sql } from '../engine/database.js';
import { listOf, raw, SQL, type SqlText } from '../engine/sql-text.js';
import { countOf, readLists, select } from '../engine/statements.js';
import { oneOf, stored, storedIn } from '../engine/stored.js';
import { type RecordedRow, recordedColumns, toRecordedDeliveries } from '../stores/deliveries.js';
import { storedOwnEntry } from '../stores/directory-row.js';
import { storedInvitation } from '../stores/invitations.js';
import { ownMembership } from '../stores/members.js';
import { secondFactorOf } from '../stores/second-factors.js';
import { storedSession } from '../stores/session-row.js';
import { storedIdentity } from '../stores/sign-on-row.js';
import { NOBODY, type Person } from './find-person.js';
import type { Traces } from './traces.js';

const meeting = storedIn('meetings', {
  ...{ id: 'whole', organizationId: 'wholeOrNull', name: 'text', startTime: 'time' },
});

const registration = stored(`${meeting.columns}, registrations.registered_at`, (row) => ({
  meeting: meeting.read(row),
  registeredAt: new Date(row.registered_at as string),
}));

const place = storedIn('waitlist_entries', {
  ...{ status: oneOf<WaitingStatus>(), createdAt: 'time', offeredUntil: 'timeOrNull' },
});

const waitingPlace = stored(`${meeting.columns}, ${place.columns}`, (row) => ({
  meeting: meeting.read(row),
  ...place.read(row),
}));

const membership = stored<PersonalMembership>(
  `${ownMembership.columns}, role = 'owner' AND NOT EXISTS (
    SELECT 1 FROM memberships AS other WHERE other.organization_id = memberships.organization_id
      AND other.role = 'owner' AND other.user_id <> memberships.user_id
  ) AS is_only_owner`,
  (row) => ({ ...ownMembership.read(row), isOnlyOwner: Boolean(row.is_only_owner) }),
);

const loginLink = storedIn('login_links', {
  ...{ organizationId: 'whole', createdAt: 'time', expiresAt: 'time', redeemedAt: 'timeOrNull' },
});

const calendarFeed = storedIn('calendar_feeds', { organizationId: 'whole', createdAt: 'time' });

const mail = storedIn('mails', { kind: oneOf<MailKind>(), email: 'text', createdAt: 'time' });

const named = storedIn('organizations', { id: 'whole', name: 'text' });

/** Null: nothing is stored about the person. */
export async function readRecord(sql: Sql, person: Person, traces: Traces): Promise<PersonalRecord | null> {
  const { account, emails } = person;
  const userId = account?.id ?? NOBODY;
  const memberships = await membershipsOf(sql, userId);
  const invitations = await invitationsOf(sql, person.invitationIds);
  const { entries, events } = traces;
  const deliveries = await deliveriesOf(sql, traces);
  const directoryEntries = await directoryEntriesOf(sql, person);
  const rows = [...memberships, ...invitations, ...directoryEntries, ...deliveries];
  const organizationIds = [
    ...rows.map(({ organizationId }) => organizationId),
    ...[...entries.rows, ...events.rows].map(({ organizationId }) => organizationId),
  ];
  if (account === null && organizationIds.length === 0) return null;
  return {
    account,
    emails,
    organizations: await organizationsOf(sql, organizationIds),
    memberships,
    invitations,
    sentInvitations: await countOf(sql)`FROM invitations WHERE invited_by_user_id = ${userId}`,
    ...(await accessOf(sql, userId)),
    directoryEntries,
    mails: await mailsOf(sql, emails),
    ...(await meetingsOf(sql, userId)),
    auditEntries: inTime(entries.rows, ({ at }) => at).map(
      ({ userId: by, fromAddress: from, id: _, aboutUserId: _about, ...entry }) => ({
        ...entry,
        isActor: by === userId,
        from: by === userId ? from : null,
      }),
    ),
    events: inTime(events.rows, ({ createdAt }) => createdAt).map(({ row: _, ...event }) => event),
    deliveries,
  };
}

/** The rows of directories that are about the person, also those that say only that the person was removed. */
export function inDirectories({ account, emails, uuids }: Person): SqlText {
  const userId = account?.id ?? NOBODY;
  const byUuid = uuids.length === 0 ? raw('') : SQL` OR directory_people.uuid IN (${listOf(uuids)})`;
  // An address in a directory need not be that of the account.
  return SQL`(kept_user_id = ${userId} OR email_key IN (${listOf(emails)})
      OR user_name_key IN (${listOf(emails)})${byUuid})
    AND coalesce(kept_user_id, (
      SELECT user_id FROM memberships WHERE memberships.organization_id = directory_people.organization_id
        AND memberships.uuid = directory_people.uuid), ${userId}) = ${userId}`;
}

async function directoryEntriesOf(sql: Sql, person: Person): Promise<PersonalRecord['directoryEntries']> {
  const entries = await storedOwnEntry.all(sql)`FROM directory_people
    WHERE removed_at IS NULL AND ${inDirectories(person)}`;
  return [...entries].sort(
    (one, other) => one.organizationId - other.organizationId || (one.uuid < other.uuid ? -1 : 1),
  );
}

/** Oldest first. Rows of the same time stay in their order. */
function inTime<Row>(rows: readonly Row[], timeOf: (row: Row) => Date): readonly Row[] {
  return [...rows].sort((one, other) => timeOf(one).getTime() - timeOf(other).getTime());
}

export function membershipsOf(sql: Sql, userId: number): Promise<readonly PersonalMembership[]> {
  return membership.all(sql)`FROM memberships WHERE user_id = ${userId} ORDER BY organization_id`;
}

async function invitationsOf(sql: Sql, ids: readonly string[]): Promise<readonly Invitation[]> {
  const invitations = await readLists(
    ids,
    (list) => storedInvitation.all(sql)`FROM invitations WHERE id IN (${list})`,
  );
  return inTime(invitations, ({ createdAt }) => createdAt);
}

async function deliveriesOf(sql: Sql, { deliveries }: Traces) {
  const ids = deliveries.rows.map(({ row }) => row);
  const rows = await readLists(
    ids,
    (list) => select<RecordedRow>(sql)`SELECT ${raw(recordedColumns)}
      FROM deliveries LEFT JOIN attempts ON attempts.delivery_id = deliveries.id
      WHERE deliveries.id IN (${list}) ORDER BY deliveries.created_at, deliveries.id, attempts.number`,
  );
  return toRecordedDeliveries(rows);
}

async function organizationsOf(sql: Sql, ids: readonly number[]): Promise<PersonalRecord['organizations']> {
  const found = await readLists(
    [...new Set(ids)],
    (list) => named.all(sql)`FROM organizations WHERE id IN (${list})`,
  );
  return [...found].sort((one, other) => one.id - other.id);
}

async function mailsOf(sql: Sql, emails: readonly string[]): Promise<PersonalRecord['mails']> {
  const mails = await readLists(emails, (list) => mail.all(sql)`FROM mails WHERE email IN (${list})`);
  return inTime(mails, ({ createdAt }) => createdAt);
}

async function accessOf(sql: Sql, userId: number) {
  const identities = await storedIdentity.all(sql)`FROM memberships JOIN identities
      ON identities.organization_id = memberships.organization_id
      AND identities.user_id = memberships.user_id
    WHERE memberships.user_id = ${userId} ORDER BY memberships.organization_id`;
  const { passkeys, code, recoveryCodes } = await secondFactorOf(sql, userId);
  return {
    secondFactor: {
      passkeys: passkeys.map(({ name, isBackedUp, createdAt, usedAt }) => ({
        ...{ name, isBackedUp, createdAt, usedAt },
      })),
      codesSince: code?.confirmedAt ?? null,
      recoveryCodes,
    },
    identities: identities.map(({ userId: _, ...identity }) => identity),
    sessions: await storedSession.all(sql)`FROM sessions WHERE user_id = ${userId} ORDER BY opened_at, hash`,
    loginLinks: await loginLink.all(sql)`FROM login_links WHERE user_id = ${userId}
      ORDER BY created_at, hash`,
    calendarFeeds: await calendarFeed.all(sql)`FROM memberships JOIN calendar_feeds
        ON calendar_feeds.organization_id = memberships.organization_id
        AND calendar_feeds.user_id = memberships.user_id
      WHERE memberships.user_id = ${userId} ORDER BY memberships.organization_id`,
  };
}

async function meetingsOf(sql: Sql, userId: number) {
  const order = raw('ORDER BY meetings.start_time, meetings.id');
  return {
    registrations: await registration.all(sql)`FROM registrations
      JOIN meetings ON meetings.id = registrations.meeting_id
      WHERE registrations.user_id = ${userId} ${order}`,
    waitingPlaces: await waitingPlace.all(sql)`FROM waitlist_entries
      JOIN meetings ON meetings.id = waitlist_entries.meeting_id
      WHERE waitlist_entries.user_id = ${userId} ${order}`,
    ledMeetings: await meeting.all(sql)`FROM meetings WHERE group_leader_id = ${userId} ${order}`,
  };
}
