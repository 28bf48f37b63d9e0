import type { LoginLink, LoginLinks, NewSession, Sessions, StoredSession } from '@rollcall/core';
import { type Database, timestampOrNull } from './database.js';
import { writeDown } from './diary.js';
import { type PersonRow, toUser } from './person.js';

interface DoorCodeRow {
  readonly company: number;
  readonly person: number;
  readonly made: number;
  readonly ends: number;
  readonly used: number | null;
}

export function doorCodeLoginLinks(database: Database): LoginLinks {
  return {
    async store({ hash, ...link }, buildEntries) {
      const { organizationId, userId, createdAt, expiresAt } = link;
      return database.transaction(() => {
        const text = 'SELECT person FROM staff WHERE company = ? AND person = ?';
        if (database.get(text, organizationId, userId) === null) return false;
        database.run(
          'INSERT INTO door_codes (digest, company, person, made, ends) VALUES (?, ?, ?, ?, ?)',
          ...[hash, organizationId, userId, createdAt.getTime(), expiresAt.getTime()],
        );
        writeDown(database, buildEntries?.({ ...link, redeemedAt: null }));
        return true;
      });
    },

    async find(hash) {
      const row = database.get<DoorCodeRow>('SELECT * FROM door_codes WHERE digest = ?', hash);
      return row === null ? null : toLink(row);
    },

    // One statement checks and marks the code, so that of two callers only one changes a row.
    async redeem({ hash, at }, buildEntries) {
      const text =
        'UPDATE door_codes SET used = ? WHERE digest = ? AND used IS NULL AND ends > ? RETURNING *';
      return database.transaction(() => {
        const row = database.get<DoorCodeRow>(text, at.getTime(), hash, at.getTime());
        if (row !== null) writeDown(database, buildEntries?.(toLink(row)));
        return row !== null;
      });
    },
  };
}

function toLink(row: DoorCodeRow): LoginLink {
  return {
    organizationId: row.company,
    userId: row.person,
    createdAt: new Date(row.made),
    expiresAt: new Date(row.ends),
    redeemedAt: timestampOrNull(row.used),
  };
}

export interface VisitRow {
  readonly digest: string;
  readonly person: number;
  readonly company: number | null;
  readonly began: number;
  readonly seen: number;
  readonly device: string | null;
}

export function toSession({ company, began, seen, device }: VisitRow): Omit<StoredSession, 'hash'> {
  return { boundTo: company, createdAt: new Date(began), seenAt: new Date(seen), device };
}

function toStored(row: VisitRow): StoredSession {
  return { hash: row.digest, ...toSession(row) };
}

export function addVisit(
  database: Database,
  { hash, userId, boundTo, createdAt, device = null }: NewSession,
): void {
  database.run(
    'INSERT INTO visits (digest, person, company, began, seen, device) VALUES (?, ?, ?, ?, ?, ?)',
    ...[hash, userId, boundTo, createdAt.getTime(), createdAt.getTime(), device],
  );
}

/** Ends every visit and spare key of the person. */
export function endAccess(database: Database, personId: number): void {
  for (const table of ['visits', 'spare_keys'])
    database.run(`DELETE FROM ${table} WHERE person = ?`, personId);
}

export function visitSessions(database: Database): Sessions {
  return {
    async create({ passwordHash, ...session }) {
      return database.transaction(() => {
        const text = 'SELECT password FROM people WHERE id = ?';
        const person = database.get<{ readonly password: string | null }>(text, session.userId);
        const isRight = person !== null && (passwordHash === null || person.password === passwordHash);
        const staff = 'SELECT person FROM staff WHERE company = ? AND person = ?';
        const isStaff =
          session.boundTo === null || database.get(staff, session.boundTo, session.userId) !== null;
        if (isRight && isStaff) addVisit(database, session);
        return isRight && isStaff;
      });
    },

    async find(hash) {
      const visit = database.get<VisitRow>('SELECT * FROM visits WHERE digest = ?', hash);
      const person = visit && database.get<PersonRow>('SELECT * FROM people WHERE id = ?', visit.person);
      return visit && person && { user: toUser(person), ...toSession(visit) };
    },

    async ofUser({ userId, createdAfter, seenAfter, limit }) {
      const text =
        'SELECT * FROM visits WHERE person = ? AND began > ? AND seen > ? ORDER BY seen DESC LIMIT ?';
      const bounds = [createdAfter.getTime(), seenAfter.getTime()];
      return database.all<VisitRow>(text, userId, ...bounds, limit).map(toStored);
    },

    async touch({ hash, at }) {
      database.run('UPDATE visits SET seen = max(seen, ?) WHERE digest = ?', at.getTime(), hash);
    },

    async end(hash, buildEntries) {
      return database.transaction(() => {
        const row = database.get<VisitRow>('DELETE FROM visits WHERE digest = ? RETURNING *', hash);
        if (row !== null) writeDown(database, buildEntries?.(toStored(row)));
        return row !== null;
      });
    },

    async endOthers(hash, buildEntries) {
      return database.transaction(() => {
        const own = database.get<VisitRow>('SELECT * FROM visits WHERE digest = ?', hash);
        if (own === null) return false;
        const text = 'DELETE FROM visits WHERE person = ? AND digest <> ? RETURNING *';
        const ended = database.all<VisitRow>(text, own.person, hash);
        if (ended.length > 0) writeDown(database, buildEntries?.(ended.map(toStored)));
        return true;
      });
    },

    async endAll({ userId }, buildEntries) {
      database.transaction(() => {
        const text = 'SELECT visits.* FROM visits WHERE ? IS NULL OR person = ?';
        const ended = database.all<VisitRow>(text, userId, userId);
        database.run('DELETE FROM visits WHERE ? IS NULL OR person = ?', userId, userId);
        if (ended.length === 0) return;
        const entries = buildEntries?.(
          ended.flatMap((row) => {
            const person = database.get<PersonRow>('SELECT * FROM people WHERE id = ?', row.person);
            return person === null ? [] : [{ ...toStored(row), user: toUser(person) }];
          }),
        );
        writeDown(database, entries);
      });
    },
  };
}
