import type {
  ErasedPerson,
  ErasePerson,
  MembershipFacts,
  NotErased,
  PersonalData,
  PersonalRecord,
} from '@rollcall/core';
import {
  accountLimit,
  erasedBody,
  erasedSubject,
  factorLimit,
  hostNames,
  mentionsAddress,
} from '@rollcall/core/adapters';
import type { EngineSql, Sql } from '../engine/database.js';
import { inLists, listOf, raw, SQL } from '../engine/sql-text.js';
import { execute, lock } from '../engine/statements.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { endMemberships } from '../stores/end-memberships.js';
import { writeJournal } from '../stores/journal.js';
import { changeMeetings, leadsMeetings } from '../stores/led-meetings.js';
import { counterOf } from '../stores/limits.js';
import { lockMeetings } from '../stores/meeting-clock.js';
import { findMember, organizationOf } from '../stores/members.js';
import { accountOf, invitationsOf, NOBODY, type Person } from './find-person.js';
import { inDirectories, membershipsOf, readRecord } from './read.js';
import { findTraces, merged, type Traces } from './traces.js';

/** Another transaction has changed the person since the search. */
export class Changed extends Error {}

/** Erases the person in one transaction. `traces`: what a search outside of it has found. */
export async function erasePerson(
  { write }: Pick<StorageDatabase, 'write'>,
  { person, traces }: { readonly person: Person; readonly traces: Traces },
  ...[request, journal]: Parameters<PersonalData['erase']>
): ReturnType<PersonalData['erase']> {
  return write((sql) =>
    overwriting(sql, async () => {
      await lockPerson(sql, person);
      const all = merged(traces, await findTraces({ engine: sql.engine, read: sql }, person, traces));
      const record = await readRecord(sql, person, all);
      if (record === null) return 'unknown';
      const reason = reasonToKeep(record, request);
      if (reason !== null) return reason;
      const erased: ErasedPerson = {
        organizationIds: record.organizations.map(({ id }) => id),
        withoutOwner: onlyOwnerOf(record),
      };
      const { at } = request;
      const ended = await factsOf(sql, record);
      await eraseEvents(sql, { traces: all, at });
      await eraseEntries(sql, person, all);
      await eraseInvitations(sql, person);
      await eraseDirectoryEntries(sql, person, record);
      for (const list of inLists(person.emails))
        await execute(sql)`DELETE FROM mails WHERE email IN (${list})`;
      for (const list of inLists(erased.organizationIds))
        await execute(sql)`DELETE FROM idempotency_keys
          WHERE organization_id IN (${list}) AND sealed_answer IS NOT NULL`;
      if (sql.engine === 'postgres')
        for (const email of person.emails)
          for (const limit of [accountLimit, factorLimit])
            await execute(sql)`DELETE FROM failure_counts WHERE counter = ${counterOf(limit, email)}`;
      await eraseAccount(sql, person, at);
      await writeJournal(sql, journal?.({ ...erased, ended }));
      return erased;
    }),
  );
}

/** On SQLite, makes deleted rows unreadable in the file, in this transaction only. PostgreSQL needs a vacuum later. */
async function overwriting<T>(sql: EngineSql, work: () => Promise<T>): Promise<T> {
  if (sql.engine === 'postgres') return work();
  await sql.get('PRAGMA secure_delete = ON');
  try {
    return await work();
  } finally {
    await sql.get('PRAGMA secure_delete = OFF');
  }
}

/**
 * From here on, no other transaction registers the person, accepts or renews their invitations, or changes
 * the owners of their organizations. Organizations come first, then invitations, as everywhere. Throws `Changed` if
 * another one has done so since the search.
 */
async function lockPerson(sql: EngineSql, { account, emails, uuids, invitationIds }: Person): Promise<void> {
  const userId = account?.id ?? NOBODY;
  // An import locks meetings first, and people only when it commits.
  await lockMeetings(sql);
  const organizationsOf = async (): Promise<string> =>
    (await membershipsOf(sql, userId)).map(({ organizationId }) => organizationId).join();
  const before = await organizationsOf();
  await lock(sql)`SELECT 1 FROM organizations
    WHERE id IN (SELECT organization_id FROM memberships WHERE user_id = ${userId})
    ORDER BY id FOR NO KEY UPDATE`;
  for (const list of inLists([...invitationIds].sort()))
    await lock(sql)`SELECT 1 FROM invitations WHERE id IN (${list}) ORDER BY id FOR UPDATE`;
  await lock(sql)`SELECT 1 FROM users WHERE id = ${userId} FOR UPDATE`;
  const now = await accountOf(sql, emails[0]);
  const invitations = await invitationsOf(sql, { emails, uuids });
  const isSame =
    now?.id === account?.id &&
    (await organizationsOf()) === before &&
    invitations.length === invitationIds.length &&
    invitations.every(({ id }) => invitationIds.includes(id));
  if (!isSame) throw new Changed('another transaction has changed the person');
}

function onlyOwnerOf({ memberships }: PersonalRecord): readonly number[] {
  return memberships.flatMap(({ organizationId, isOnlyOwner }) => (isOnlyOwner ? [organizationId] : []));
}

function reasonToKeep(record: PersonalRecord, { onlyOf, mayLeaveNoOwner }: ErasePerson): NotErased | null {
  if (onlyOf !== undefined) {
    const membership = record.memberships.find(({ organizationId }) => organizationId === onlyOf);
    if (membership === undefined) return 'unknown';
    if (membership.role === 'owner') return 'is-owner';
    if (isElsewhere(record, onlyOf)) return 'in-other-organization';
  }
  const lastOwnerOf = onlyOwnerOf(record);
  return lastOwnerOf.length > 0 && !mayLeaveNoOwner ? { lastOwnerOf } : null;
}

function isElsewhere(record: PersonalRecord, organizationId: number): boolean {
  const isOther = (one: { readonly organizationId: number | null }): boolean =>
    one.organizationId !== null && one.organizationId !== organizationId;
  return (
    [...record.memberships, ...record.directoryEntries].some(isOther) ||
    record.invitations.some((one) => one.acceptedAt === null && one.revokedAt === null && isOther(one)) ||
    [...record.registrations, ...record.waitingPlaces].some(({ meeting }) => isOther(meeting)) ||
    record.ledMeetings.some((meeting) => meeting.organizationId !== organizationId)
  );
}

async function factsOf(sql: Sql, { account, memberships }: PersonalRecord) {
  const facts: MembershipFacts[] = [];
  for (const { organizationId } of memberships) {
    const member = await findMember(sql, 'user_id', [organizationId, account?.id ?? NOBODY]);
    const organization = await organizationOf(sql, organizationId);
    if (member !== null) facts.push({ organization, member });
  }
  return facts;
}

const noPerson = 'user_id = NULL, user_uuid = NULL, user_email = NULL';

async function eraseEvents(sql: Sql, { traces, at }: { readonly traces: Traces; readonly at: Date }) {
  for (const { row, body } of traces.events.rows)
    await execute(sql)`UPDATE events SET body = ${erasedBody(body)}, ${raw(noPerson)} WHERE id = ${row}`;
  for (const { deliveryId, number } of traces.attempts.rows)
    await execute(sql)`UPDATE attempts SET response = NULL
      WHERE delivery_id = ${deliveryId} AND number = ${number}`;
  for (const { row, body } of traces.deliveries.rows) {
    await execute(sql)`UPDATE deliveries SET body = ${erasedBody(body)}, is_erased = true, ${raw(noPerson)}
      WHERE id = ${row}`;
    // Held deliveries are failed ones without an end.
    await execute(sql)`UPDATE deliveries SET state = 'skipped', is_dropped = true, finished_at = ${at}
      WHERE id = ${row} AND (state = 'pending' OR (state = 'failed' AND finished_at IS NULL))`;
    await execute(sql)`UPDATE attempts SET request = NULL, response = NULL WHERE delivery_id = ${row}`;
  }
}

async function eraseEntries(sql: Sql, { account, emails }: Person, traces: Traces): Promise<void> {
  for (const { id, userId, aboutUserId, action, subject } of traces.entries.rows) {
    const isActor = account !== null && userId === account.id;
    const isAbout =
      (account !== null && aboutUserId === account.id) || mentionsAddress(subject ?? '', emails);
    await execute(sql)`UPDATE audit_entries
        SET subject = ${subject === null ? null : erasedSubject({ action, subject }, emails)}
        ${raw(isActor ? ', user_id = 0, from_address = NULL' : '')}
        ${raw(isAbout ? ', about_user_id = NULL, object_id = NULL' : '')}
      WHERE id = ${id}`;
  }
}

async function eraseInvitations(sql: Sql, { account, invitationIds }: Person): Promise<void> {
  for (const list of inLists(invitationIds))
    await execute(sql)`DELETE FROM invitations WHERE id IN (${list})`;
  if (account !== null)
    await execute(sql)`UPDATE invitations SET invited_by_user_id = 0
      WHERE invited_by_user_id = ${account.id}`;
}

async function eraseDirectoryEntries(sql: Sql, person: Person, { directoryEntries }: PersonalRecord) {
  await execute(sql)`DELETE FROM directory_people WHERE ${inDirectories(person)}`;
  for (const { organizationId, uuid } of directoryEntries)
    await execute(sql)`UPDATE directory_requests SET uuid = NULL
      WHERE organization_id = ${organizationId} AND uuid = ${uuid}`;
}

/** Deleting the user deletes every row that refers to it. */
async function eraseAccount(sql: EngineSql, { account }: Person, at: Date): Promise<void> {
  if (account === null) return;
  const { id: userId, firstName, lastName } = account;
  await execute(sql)`INSERT INTO erased_seats (meeting_id, seats)
    SELECT meetings.id, 1 FROM registrations JOIN meetings ON meetings.id = registrations.meeting_id
    WHERE registrations.user_id = ${userId} AND meetings.end_time <= ${at}
      AND (meetings.group_leader_id IS NULL OR meetings.group_leader_id <> ${userId})
    ON CONFLICT (meeting_id) DO UPDATE SET seats = erased_seats.seats + 1`;
  if (await leadsMeetings(sql, userId)) {
    const names = hostNames({ firstName, lastName });
    await changeMeetings(
      sql,
      SQL`group_leader_id = ${userId}`,
      SQL`group_leader_id = NULL, host = CASE WHEN host IN (${listOf(names)}) THEN '' ELSE host END`,
    );
  }
  await execute(sql)`UPDATE sign_on SET tested_by = NULL WHERE tested_by = ${userId}`;
  await endMemberships(sql, { where: SQL`memberships.user_id = ${userId}`, at });
  await execute(sql)`DELETE FROM users WHERE id = ${userId}`;
}
