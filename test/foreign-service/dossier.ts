import type {
  ErasedPerson,
  ErasePerson,
  MailKind,
  NotErased,
  PersonalData,
  PersonalMeeting,
  PersonalRecord,
  PersonKey,
  Role,
  WaitingStatus,
  Who,
} from '@rollcall/core';
import {
  erasedBody,
  erasedSubject,
  hostNames,
  mentionsAddress,
  readEmailChange,
  userOfEvent,
} from '@rollcall/core/adapters';
import { type Database, timestampOrNull } from './database.js';
import { type DiaryRow, writeDown } from './diary.js';
import { type InviteRow, toInvitation } from './invites.js';
import { type LetterRow, letterOf } from './letters.js';
import type { NoticeRow } from './notices.js';
import { type PersonRow, toUser } from './person.js';
import { nextRound, noteSightings, sightedBy } from './sightings.js';
import type { SittingFacts } from './sitting-row.js';
import { toSession, type VisitRow } from './visits.js';

export function dossierPersonalData(database: Database): PersonalData {
  return {
    async read(person) {
      return database.snapshot(() => {
        const found = findPerson(database, person);
        return found && openDossier(database, found).record;
      });
    },

    async erase(request, buildEntries) {
      return database.transaction(() => {
        const found = findPerson(database, request.person);
        const dossier = found && openDossier(database, found);
        if (found === null || !dossier?.record) return 'unknown';
        const reason = reasonToKeep(dossier.record, request);
        if (reason !== null) return reason;
        const erased: ErasedPerson = {
          organizationIds: dossier.record.organizations.map(({ id }) => id),
          withoutOwner: onlyOwnerOf(dossier.record),
        };
        shred(database, { found, dossier, erased, at: request.at.getTime() });
        writeDown(database, buildEntries?.(erased));
        return erased;
      });
    },
  };
}

/** The person, with all that identifies them in other rows. */
interface Found {
  readonly person: PersonRow | null;
  readonly mails: readonly string[];
  readonly publicIds: readonly string[];
}

interface Dossier {
  /** Null: nothing is stored. */
  readonly record: PersonalRecord | null;
  readonly invites: readonly InviteRow[];
  readonly diary: readonly DiaryRow[];
  readonly notices: readonly NoticeRow[];
  readonly letters: readonly LetterRow[];
}

function findPerson(database: Database, key: PersonKey): Found | null {
  const mail = 'email' in key ? key.email : mailOf(database, key.uuid);
  if (mail === null) return null;
  const person = database.get<PersonRow>('SELECT * FROM people WHERE mail = ?', mail);
  const own = person === null ? [] : publicIdsOf(database, person);
  const earlier = [
    ...earlierMails(database, mail),
    ...invitesOf(database, { mail, own }).map((row) => row.mail),
  ];
  const free = earlier.filter((one) => database.count('FROM people WHERE mail = ?', one) === 0);
  const mails = [...new Set([mail, ...free])];
  const invited = mails.flatMap((one) => invitesOf(database, { mail: one, own }).map((row) => row.public_id));
  return { person, mails, publicIds: [...new Set([...own, ...invited])] };
}

function mailOf(database: Database, publicId: string): string | null {
  const row = database.get<{ readonly mail: string }>(
    `SELECT mail FROM people WHERE public_id = ?
    UNION ALL SELECT mail FROM people JOIN staff ON staff.person = people.id WHERE staff.public_id = ?
    UNION ALL SELECT mail FROM invites WHERE public_id = ? LIMIT 1`,
    ...[publicId, publicId, publicId],
  );
  return row?.mail ?? null;
}

function publicIdsOf(database: Database, { id, public_id }: PersonRow): readonly string[] {
  const staff = database.all<{ readonly public_id: string }>(
    'SELECT public_id FROM staff WHERE person = ?',
    id,
  );
  return [public_id, ...staff.map((row) => row.public_id)];
}

function invitesOf(
  database: Database,
  { mail, own }: { readonly mail: string; readonly own: readonly string[] },
): readonly InviteRow[] {
  return database.all<InviteRow>(
    `SELECT * FROM invites WHERE mail = ? OR public_id IN (SELECT value FROM json_each(?)) ORDER BY sent, id`,
    ...[mail, JSON.stringify(own)],
  );
}

function earlierMails(database: Database, mail: string): readonly string[] {
  const rows = database.all<DiaryRow>(`SELECT * FROM diary WHERE deed = 'email-changed'`);
  const changes = rows.map(({ subject }) => readEmailChange(subject ?? ''));
  const mails = [mail];
  for (const one of mails)
    for (const change of changes)
      if (change?.to === one && !mails.includes(change.from)) mails.push(change.from);
  return mails.slice(1);
}

function openDossier(database: Database, found: Found): Dossier {
  const { person, mails, publicIds } = found;
  const id = person?.id ?? -1;
  const invites = invitesOf(database, { mail: mails[0] ?? '', own: publicIds });
  const diary = database
    .all<DiaryRow>('SELECT * FROM diary ORDER BY happened, id')
    .filter((row) => isBy(row, id) || mentionsAddress(row.subject ?? '', mails));
  const isAbout = ({ body }: { readonly body: string }): boolean => {
    const told = userOfEvent(body);
    if (told === null) return false;
    if (told.id === id || publicIds.includes(told.uuid)) return true;
    return mails.includes(told.email) && database.count('FROM people WHERE id = ?', told.id) === 0;
  };
  const notices = database.all<NoticeRow>('SELECT * FROM notices ORDER BY made, number').filter(isAbout);
  const letters = database.all<LetterRow>('SELECT * FROM letters ORDER BY made, id').filter(isAbout);
  const rows = { invites, diary, notices, letters };
  const isEmpty = person === null && Object.values(rows).every(({ length }) => length === 0);
  return { ...rows, record: isEmpty ? null : toRecord(database, { person, mails, rows }) };
}

function isBy({ who }: Pick<DiaryRow, 'who'>, id: number): boolean {
  const actor = JSON.parse(who) as Who | null;
  return actor?.kind === 'user' && actor.userId === id;
}

interface StaffRow {
  readonly company: number;
  readonly public_id: string;
  readonly rank: Role;
  readonly login: string | null;
  readonly hired: number;
  readonly other_owners: number;
}

interface SittingRow {
  readonly id: number;
  readonly company: number | null;
  readonly begins: number;
  readonly facts: string;
}

function toRecord(
  database: Database,
  {
    person,
    mails,
    rows,
  }: {
    readonly person: PersonRow | null;
    readonly mails: readonly string[];
    readonly rows: Omit<Dossier, 'record'>;
  },
): PersonalRecord {
  const id = person?.id ?? -1;
  const staff = database.all<StaffRow>(
    `SELECT staff.*, (SELECT count(*) FROM staff AS other
      WHERE other.company = staff.company AND other.rank = 'owner' AND other.person <> staff.person) AS other_owners
    FROM staff WHERE person = ? ORDER BY company`,
    id,
  );
  const companies = [staff, rows.invites, rows.diary, rows.notices, rows.letters].flatMap((list) =>
    list.map(({ company }) => company),
  );
  const seats = database.all<SittingRow & { readonly taken: number }>(
    `SELECT * FROM sittings JOIN seats ON seats.sitting = sittings.id WHERE person = ? ORDER BY begins, id`,
    id,
  );
  const queue = database.all<SittingRow & { readonly standing: WaitingStatus; readonly since: number }>(
    `SELECT * FROM sittings JOIN queue ON queue.sitting = sittings.id WHERE person = ? ORDER BY begins, id`,
    id,
  );
  const visits = database.all<VisitRow>('SELECT * FROM visits WHERE person = ? ORDER BY began', id);
  const codes = database.all<{
    readonly company: number;
    readonly made: number;
    readonly ends: number;
    readonly used: number | null;
  }>('SELECT * FROM door_codes WHERE person = ? ORDER BY made', id);
  const almanacs = database.all<{ readonly company: number; readonly made: number }>(
    'SELECT * FROM almanacs WHERE person = ? ORDER BY company',
    id,
  );
  const led = database.all<SittingRow>('SELECT * FROM sittings WHERE leader = ? ORDER BY begins, id', id);
  return {
    account: person && { ...toUser(person), hasPassword: person.password !== null },
    emails: mails,
    organizations: database.all<{ readonly id: number; readonly name: string }>(
      'SELECT id, title AS name FROM companies WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id',
      JSON.stringify(companies),
    ),
    memberships: staff.map(({ company, public_id, rank, login, hired, other_owners }) => ({
      ...{ organizationId: company, uuid: public_id, role: rank, idpId: login, joinedAt: new Date(hired) },
      isOnlyOwner: rank === 'owner' && other_owners === 0,
    })),
    invitations: rows.invites.map(toInvitation),
    sentInvitations: database
      .all<InviteRow>('SELECT * FROM invites')
      .filter(({ sent_by }) => isBy({ who: sent_by }, id)).length,
    sessions: visits.map(toSession),
    loginLinks: codes.map(({ company, made, ends, used }) => ({
      ...{ organizationId: company, createdAt: new Date(made), expiresAt: new Date(ends) },
      redeemedAt: timestampOrNull(used),
    })),
    mails: mails
      .flatMap((mail) =>
        database.all<{ readonly about: MailKind; readonly mail: string; readonly made: number }>(
          'SELECT * FROM postcards WHERE mail = ?',
          mail,
        ),
      )
      .sort((one, other) => one.made - other.made)
      .map(({ about, mail, made }) => ({ kind: about, email: mail, createdAt: new Date(made) })),
    calendarFeeds: almanacs.map(({ company, made }) => ({
      ...{ organizationId: company, createdAt: new Date(made) },
    })),
    registrations: seats.map((row) => ({ meeting: toMeeting(row), registeredAt: new Date(row.taken) })),
    waitingPlaces: queue.map((row) => ({
      ...{ meeting: toMeeting(row), status: row.standing, createdAt: new Date(row.since) },
    })),
    ledMeetings: led.map(toMeeting),
    auditEntries: rows.diary.map((row) => {
      const isActor = isBy(row, id);
      const { company, happened, deed, subject, place } = row;
      const entry = { organizationId: company, at: new Date(happened), action: deed, subject };
      return { ...entry, isActor, from: isActor ? place : null };
    }),
    events: rows.notices.map(({ company, event, topic, body, made }) => ({
      ...{ id: event, name: topic, organizationId: company, body, createdAt: new Date(made) },
    })),
    deliveries: rows.letters.map((row) => letterOf(database, row)),
  };
}

function toMeeting({ id, company, begins, facts }: SittingRow): PersonalMeeting {
  const { name } = JSON.parse(facts) as SittingFacts;
  return { id, organizationId: company, name, startTime: new Date(begins) };
}

function onlyOwnerOf({ memberships }: PersonalRecord): readonly number[] {
  return memberships.filter(({ isOnlyOwner }) => isOnlyOwner).map(({ organizationId }) => organizationId);
}

function reasonToKeep(record: PersonalRecord, { onlyOf, mayLeaveNoOwner }: ErasePerson): NotErased | null {
  if (onlyOf !== undefined) {
    const membership = record.memberships.find(({ organizationId }) => organizationId === onlyOf);
    if (membership === undefined) return 'unknown';
    if (membership.role === 'owner') return 'is-owner';
    const { memberships, invitations, registrations, waitingPlaces, ledMeetings } = record;
    const pending = invitations.filter((one) => one.acceptedAt === null && one.revokedAt === null);
    const places = [...registrations, ...waitingPlaces].map(({ meeting }) => meeting);
    const others = [...memberships, ...pending, ...places].filter(
      ({ organizationId }) => organizationId !== null && organizationId !== onlyOf,
    );
    const leadsOthers = ledMeetings.some(({ organizationId }) => organizationId !== onlyOf);
    if (others.length > 0 || leadsOthers) return 'in-other-organization';
  }
  const lastOwnerOf = onlyOwnerOf(record);
  return lastOwnerOf.length > 0 && !mayLeaveNoOwner ? { lastOwnerOf } : null;
}

interface Shredded {
  readonly found: Found;
  readonly dossier: Dossier;
  readonly erased: ErasedPerson;
  readonly at: number;
}

function shred(database: Database, { found, dossier, erased, at }: Shredded): void {
  const { person, mails } = found;
  const nobody = JSON.stringify({ kind: 'user', userId: 0 });
  for (const { number, body } of dossier.notices)
    database.run('UPDATE notices SET body = ? WHERE number = ?', erasedBody(body), number);
  for (const { id, body } of dossier.letters) shredLetter(database, { id, body: erasedBody(body), at });
  for (const { id, texts } of database.all<{ readonly id: number; readonly texts: string }>(
    'SELECT id, texts FROM sendings',
  )) {
    const { request, response } = JSON.parse(texts) as {
      readonly request: unknown;
      readonly response: unknown;
    };
    if (mentionsAddress(JSON.stringify(response), mails))
      database.run(
        'UPDATE sendings SET texts = ? WHERE id = ?',
        JSON.stringify({ request, response: null }),
        id,
      );
  }
  for (const row of dossier.diary) {
    const { id, deed: action, subject } = row;
    const [who, place] = isBy(row, person?.id ?? -1) ? [nobody, null] : [row.who, row.place];
    const text = subject === null ? null : erasedSubject({ action, subject }, mails);
    database.run('UPDATE diary SET who = ?, place = ?, subject = ? WHERE id = ?', who, place, text, id);
  }
  for (const { id } of dossier.invites) database.run('DELETE FROM invites WHERE id = ?', id);
  for (const mail of mails) database.run('DELETE FROM postcards WHERE mail = ?', mail);
  for (const company of erased.organizationIds)
    database.run('DELETE FROM errands WHERE company = ? AND reply IS NOT NULL', company);
  if (person === null) return;
  for (const row of database.all<InviteRow>('SELECT * FROM invites'))
    if (isBy({ who: row.sent_by }, person.id))
      database.run('UPDATE invites SET sent_by = ? WHERE id = ?', nobody, row.id);
  database.run(
    `UPDATE sittings SET seats_of_nobody = seats_of_nobody + 1
    WHERE ends <= ? AND leader IS NOT ? AND id IN (SELECT sitting FROM seats WHERE person = ?)`,
    ...[at, person.id, person.id],
  );
  const round = nextRound(database);
  const before = sightedBy(database);
  const names = hostNames({ firstName: person.given, lastName: person.family });
  for (const { id, facts } of database.all<SittingRow>(
    'SELECT * FROM sittings WHERE leader = ?',
    person.id,
  )) {
    const known = JSON.parse(facts) as SittingFacts;
    const host = names.includes(known.host) ? '' : known.host;
    database.run(
      'UPDATE sittings SET leader = NULL, changed = ?, facts = ? WHERE id = ?',
      ...[at, JSON.stringify({ ...known, host }), id],
    );
  }
  noteSightings(database, before, round);
  for (const table of ['staff', 'visits', 'spare_keys', 'door_codes', 'almanacs', 'seats', 'queue'])
    database.run(`DELETE FROM ${table} WHERE person = ?`, person.id);
  database.run('DELETE FROM people WHERE id = ?', person.id);
}

function shredLetter(
  database: Database,
  { id, body, at }: { readonly id: number; readonly body: string; readonly at: number },
): void {
  database.run('UPDATE letters SET body = ?, about_nobody = 1 WHERE id = ?', body, id);
  database.run(
    `UPDATE letters SET state = 'skipped', dropped = 1, ended = ? WHERE id = ? AND state IN ('pending', 'held')`,
    ...[at, id],
  );
  database.run(
    'UPDATE sendings SET texts = ? WHERE letter = ?',
    ...[JSON.stringify({ request: null, response: null }), id],
  );
}
