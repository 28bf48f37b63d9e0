import type {
  MailKind,
  PersonalMeeting,
  PersonalMembership,
  PersonalRecord,
  Role,
  WaitingStatus,
} from '@rollcall/core';
import { inLists, type Sql, type SqlValue, timestampOrNull } from '../engine/database.js';
import { type RecordedRow, recordedColumns, toRecordedDeliveries } from '../stores/deliveries.js';
import { type InvitationRow, invitationColumns, toInvitation } from '../stores/invitations.js';
import { type SessionColumns, sessionColumns, toSession } from '../stores/session-row.js';
import { toUser } from '../stores/user-row.js';
import { NOBODY, type Person, type Traces } from './traces.js';

interface MembershipRow {
  readonly organization_id: number;
  readonly uuid: string;
  readonly role: Role;
  readonly idp_id: string | null;
  readonly created_at: string;
  readonly is_only_owner: number | boolean;
}

interface MeetingRow {
  readonly id: number;
  readonly organization_id: number | null;
  readonly name: string;
  readonly start_time: string;
}

/** Null: nothing is stored about the person. */
export async function readRecord(
  sql: Sql,
  { person, traces }: { readonly person: Person; readonly traces: Traces },
): Promise<PersonalRecord | null> {
  const { account, emails } = person;
  const userId = account?.user_id ?? NOBODY;
  const memberships = await membershipsOf(sql, userId);
  const invitations = await invitationsOf(sql, person.invitationIds);
  const { entries, events } = traces;
  const deliveries = await deliveriesOf(sql, traces);
  const rows = [...memberships, ...invitations, ...deliveries];
  const organizationIds = [
    ...rows.map(({ organizationId }) => organizationId),
    ...[...entries.rows, ...events.rows].map(({ organization_id }) => organization_id),
  ];
  if (account === undefined && organizationIds.length === 0) return null;
  const [sent] = await sql.all<{ sent: number }>(
    'SELECT count(*) AS sent FROM invitations WHERE invited_by_user_id = ?',
    [userId],
  );
  return {
    account:
      account === undefined ? null : { ...toUser(account), hasPassword: Boolean(account.has_password) },
    emails,
    organizations: await organizationsOf(sql, organizationIds),
    memberships,
    invitations,
    sentInvitations: sent?.sent ?? 0,
    ...(await accessOf(sql, userId)),
    mails: await mailsOf(sql, emails),
    ...(await meetingsOf(sql, userId)),
    auditEntries: inTime(entries.rows, ({ at }) => at).map((row) => ({
      organizationId: row.organization_id,
      at: new Date(row.at),
      action: row.action,
      subject: row.subject,
      isActor: row.user_id === userId,
      from: row.user_id === userId ? row.from_address : null,
    })),
    events: inTime(events.rows, ({ created_at }) => created_at).map((row) => ({
      id: row.event_id,
      name: row.event_name,
      organizationId: row.organization_id,
      body: row.body,
      createdAt: new Date(row.created_at),
    })),
    deliveries,
  };
}

/** Oldest first. Rows of the same time stay in their order. */
function inTime<Row>(rows: readonly Row[], timeOf: (row: Row) => string): readonly Row[] {
  return [...rows].sort((one, other) => Date.parse(timeOf(one)) - Date.parse(timeOf(other)));
}

export async function membershipsOf(sql: Sql, userId: number): Promise<readonly PersonalMembership[]> {
  const rows = await sql.all<MembershipRow>(
    `SELECT organization_id, uuid, role, idp_id, created_at,
      role = 'owner' AND NOT EXISTS (
        SELECT 1 FROM memberships AS other WHERE other.organization_id = memberships.organization_id
          AND other.role = 'owner' AND other.user_id <> memberships.user_id
      ) AS is_only_owner
    FROM memberships WHERE user_id = ? ORDER BY organization_id`,
    [userId],
  );
  return rows.map((row) => ({
    organizationId: row.organization_id,
    uuid: row.uuid,
    role: row.role,
    idpId: row.idp_id,
    joinedAt: new Date(row.created_at),
    isOnlyOwner: Boolean(row.is_only_owner),
  }));
}

async function invitationsOf(sql: Sql, ids: readonly string[]) {
  const rows = await inParts<InvitationRow>(ids, (list, values) =>
    sql.all(`SELECT ${invitationColumns} FROM invitations WHERE id IN (${list})`, values),
  );
  return inTime(rows, ({ created_at }) => created_at).map(toInvitation);
}

async function deliveriesOf(sql: Sql, { deliveries }: Traces) {
  const ids = deliveries.rows.map(({ id }) => id);
  const rows = await inParts<RecordedRow>(ids, (list, values) =>
    sql.all(
      `SELECT ${recordedColumns}
      FROM deliveries LEFT JOIN attempts ON attempts.delivery_id = deliveries.id
      WHERE deliveries.id IN (${list}) ORDER BY deliveries.created_at, deliveries.id, attempts.number`,
      values,
    ),
  );
  return toRecordedDeliveries(rows);
}

async function organizationsOf(sql: Sql, ids: readonly number[]) {
  const rows = await inParts<{ id: number; name: string }>([...new Set(ids)], (list, values) =>
    sql.all(`SELECT id, name FROM organizations WHERE id IN (${list})`, values),
  );
  return rows.map(({ id, name }) => ({ id, name })).sort((one, other) => one.id - other.id);
}

async function inParts<Row>(
  keys: readonly SqlValue[],
  read: (list: string, values: readonly SqlValue[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const { placeholders, values } of inLists(keys)) rows.push(...(await read(placeholders, values)));
  return rows;
}

async function mailsOf(sql: Sql, emails: readonly string[]): Promise<PersonalRecord['mails']> {
  const rows = await inParts<{ kind: MailKind; email: string; created_at: string }>(emails, (list, values) =>
    sql.all(`SELECT kind, email, created_at FROM mails WHERE email IN (${list})`, values),
  );
  return inTime(rows, ({ created_at }) => created_at).map(({ kind, email, created_at }) => {
    return { kind, email, createdAt: new Date(created_at) };
  });
}

type Access = Pick<PersonalRecord, 'sessions' | 'loginLinks' | 'calendarFeeds'>;

async function accessOf(sql: Sql, userId: number): Promise<Access> {
  const sessions = await sql.all<SessionColumns>(
    `SELECT ${sessionColumns} FROM sessions WHERE user_id = ? ORDER BY opened_at, hash`,
    [userId],
  );
  const loginLinks = await sql.all<{
    organization_id: number;
    created_at: string;
    expires_at: string;
    redeemed_at: string | null;
  }>(
    `SELECT organization_id, created_at, expires_at, redeemed_at FROM login_links
    WHERE user_id = ? ORDER BY created_at, hash`,
    [userId],
  );
  const calendarFeeds = await sql.all<{ organization_id: number; created_at: string }>(
    `SELECT calendar_feeds.organization_id, calendar_feeds.created_at
    FROM memberships JOIN calendar_feeds ON calendar_feeds.organization_id = memberships.organization_id
      AND calendar_feeds.user_id = memberships.user_id
    WHERE memberships.user_id = ? ORDER BY memberships.organization_id`,
    [userId],
  );
  return {
    sessions: sessions.map(toSession),
    loginLinks: loginLinks.map((row) => ({
      organizationId: row.organization_id,
      createdAt: new Date(row.created_at),
      expiresAt: new Date(row.expires_at),
      redeemedAt: timestampOrNull(row.redeemed_at),
    })),
    calendarFeeds: calendarFeeds.map((row) => ({
      organizationId: row.organization_id,
      createdAt: new Date(row.created_at),
    })),
  };
}

type Meetings = Pick<PersonalRecord, 'registrations' | 'waitingPlaces' | 'ledMeetings'>;

async function meetingsOf(sql: Sql, userId: number): Promise<Meetings> {
  const columns = 'meetings.id, meetings.organization_id, meetings.name, meetings.start_time';
  const order = 'ORDER BY meetings.start_time, meetings.id';
  const registrations = await sql.all<MeetingRow & { registered_at: string }>(
    `SELECT ${columns}, registrations.registered_at
    FROM registrations JOIN meetings ON meetings.id = registrations.meeting_id
    WHERE registrations.user_id = ? ${order}`,
    [userId],
  );
  const waiting = await sql.all<MeetingRow & { place_status: WaitingStatus; placed_at: string }>(
    `SELECT ${columns}, waitlist_entries.status AS place_status, waitlist_entries.created_at AS placed_at
    FROM waitlist_entries JOIN meetings ON meetings.id = waitlist_entries.meeting_id
    WHERE waitlist_entries.user_id = ? ${order}`,
    [userId],
  );
  const led = await sql.all<MeetingRow>(
    `SELECT ${columns} FROM meetings WHERE group_leader_id = ? ${order}`,
    [userId],
  );
  return {
    registrations: registrations.map((row) => ({
      meeting: toMeeting(row),
      registeredAt: new Date(row.registered_at),
    })),
    waitingPlaces: waiting.map((row) => ({
      meeting: toMeeting(row),
      status: row.place_status,
      createdAt: new Date(row.placed_at),
    })),
    ledMeetings: led.map(toMeeting),
  };
}

function toMeeting(row: MeetingRow): PersonalMeeting {
  const { id, organization_id: organizationId, name, start_time } = row;
  return { id, organizationId, name, startTime: new Date(start_time) };
}
