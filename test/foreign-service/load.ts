import type { Dataset, DatasetMeeting } from '@rollcall/core/testing';
import type { Database } from './database.js';
import { nextRound, noteSightings, sightedBy } from './sightings.js';
import type { SittingFacts, SittingRow } from './sitting-row.js';

/** Stores the records of the suites in this service's tables. A record replaces the one with the same key. */
export function loadDataset(database: Database, dataset: Dataset): void {
  database.transaction(() => {
    const round = nextRound(database);
    const before = sightedBy(database);
    loadPeople(database, dataset);
    for (const meeting of dataset.meetings ?? []) loadSitting(database, meeting);
    for (const meeting of dataset.changedMeetings ?? []) loadChangedSitting(database, meeting, round);
    for (const id of dataset.deletedMeetings ?? []) {
      database.run('DELETE FROM guests WHERE sitting = ?', id);
      database.run('DELETE FROM sittings WHERE id = ?', id);
    }
    noteSightings(database, before, round);
    for (const { meetingId, userId, registeredAt } of dataset.registrations ?? []) {
      const text = 'INSERT OR REPLACE INTO seats (sitting, person, taken) VALUES (?, ?, ?)';
      database.run(text, meetingId, userId, registeredAt.getTime());
    }
    for (const { meetingId, userId, status, createdAt } of dataset.waitingPlaces ?? []) {
      const text = 'INSERT OR REPLACE INTO queue (sitting, person, standing, since) VALUES (?, ?, ?, ?)';
      database.run(text, meetingId, userId, status, createdAt.getTime());
    }
  });
}

function loadChangedSitting(database: Database, meeting: DatasetMeeting, round: number): void {
  const stateOf = () => {
    const row = database.get<SittingRow>('SELECT * FROM sittings WHERE id = ?', meeting.id);
    const guests = database.all<object>(
      'SELECT company FROM guests WHERE sitting = ? ORDER BY company',
      meeting.id,
    );
    return { changed: row?.changed ?? round, text: JSON.stringify([{ ...row, changed: 0 }, guests]) };
  };
  const stored = stateOf();
  loadSitting(database, meeting);
  const changed = stored.text === stateOf().text ? stored.changed : round;
  database.run('UPDATE sittings SET changed = ? WHERE id = ?', changed, meeting.id);
}

function loadPeople(database: Database, dataset: Dataset): void {
  for (const { id, name, eap } of dataset.organizations ?? []) {
    database.run(
      `INSERT INTO companies (id, title, wellness) VALUES (?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET title = excluded.title, wellness = excluded.wellness`,
      ...[id, name, Number(eap)],
    );
  }
  for (const user of dataset.users ?? []) {
    database.run(
      `INSERT INTO people (id, public_id, mail, given, family, picture, joined) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET public_id = excluded.public_id, mail = excluded.mail, given = excluded.given,
        family = excluded.family, picture = excluded.picture, joined = excluded.joined`,
      ...[user.id, user.uuid, user.email, user.firstName, user.lastName],
      ...[user.avatar, user.createdAt.getTime()],
    );
  }
  for (const { organizationId, userId, role, idpId } of dataset.memberships ?? []) {
    database.run(
      `INSERT OR REPLACE INTO staff (company, person, public_id, rank, login, hired)
      SELECT ?, id, public_id, ?, ?, joined FROM people WHERE id = ?`,
      ...[organizationId, role, idpId, userId],
    );
  }
}

function loadSitting(database: Database, meeting: DatasetMeeting): void {
  const { id, organizationId, startTime, endTime, status, eap, waitList, groupLeaderId, updatedAt } = meeting;
  database.run(
    `INSERT INTO sittings (id, company, begins, ends, state, wellness, queueing, leader, places, facts, changed)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET company = excluded.company, begins = excluded.begins, ends = excluded.ends,
      state = excluded.state, wellness = excluded.wellness, queueing = excluded.queueing,
      leader = excluded.leader, places = excluded.places, facts = excluded.facts,
      changed = excluded.changed`,
    ...[id, organizationId, startTime.getTime(), endTime.getTime(), status, Number(eap), Number(waitList)],
    ...[groupLeaderId, meeting.maxAttendees, JSON.stringify(factsOf(meeting)), updatedAt.getTime()],
  );
  database.run('DELETE FROM guests WHERE sitting = ?', id);
  for (const company of meeting.eapOrganizationIds) {
    database.run('INSERT INTO guests (sitting, company) VALUES (?, ?)', id, company);
  }
}

function factsOf(meeting: DatasetMeeting): SittingFacts {
  return {
    name: meeting.name,
    kind: meeting.meetingType,
    minutes: meeting.duration,
    topic: meeting.topic,
    focus: meeting.specialFocus,
    host: meeting.host,
    location: meeting.location,
    price: meeting.price,
    description: meeting.description,
    isPrivate: meeting.privacy,
    takesDonations: meeting.allowMeetingDonation,
    byInvitation: meeting.invitationOnly,
  };
}
