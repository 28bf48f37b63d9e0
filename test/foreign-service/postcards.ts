import type { MailKind, Mails, NewMail, NewOwnersMail, PasswordResets } from '@rollcall/core';
import type { Database } from './database.js';
import { type PersonRow, toUser } from './person.js';
import { endAccess } from './visits.js';

interface PostcardRow {
  readonly id: number;
  readonly about: MailKind;
  readonly company: number | null;
  readonly invite: string | null;
  readonly mail: string;
  readonly made: number;
  readonly tries: number;
}

/** Call it in the transaction of what the mails tell. */
export function addPostcards(database: Database, mails: readonly (NewMail | NewOwnersMail)[] = []): void {
  for (const mail of mails) {
    const made = mail.createdAt.getTime();
    if ('ownersOf' in mail) addForOwners(database, mail);
    else
      database.run(
        'INSERT INTO postcards (about, company, invite, mail, made, due) VALUES (?, ?, ?, ?, ?, ?)',
        ...[mail.kind, mail.organizationId ?? null, mail.invitationId ?? null, mail.email, made, made],
      );
  }
}

function addForOwners(database: Database, { kind, ownersOf, createdAt, replaces = [] }: NewOwnersMail): void {
  const made = createdAt.getTime();
  const owners = database.all<{ mail: string }>(
    `SELECT mail FROM staff JOIN people ON people.id = person WHERE company = ? AND rank = 'owner'`,
    ownersOf,
  );
  for (const { mail } of owners) {
    const [first, ...others] = database
      .all<PostcardRow>(
        'SELECT * FROM postcards WHERE mail = ? AND company = ? AND taker IS NULL ORDER BY id',
        ...[mail, ownersOf],
      )
      .filter(({ about }) => replaces.includes(about));
    for (const { id } of others) database.run('DELETE FROM postcards WHERE id = ?', id);
    if (first === undefined)
      database.run(
        'INSERT INTO postcards (about, company, mail, made, due) VALUES (?, ?, ?, ?, ?)',
        ...[kind, ownersOf, mail, made, made],
      );
    else database.run('UPDATE postcards SET about = ?, made = ? WHERE id = ?', kind, made, first.id);
  }
}

export function postcardMails(database: Database): Mails {
  return {
    async add(mail) {
      addPostcards(database, [mail]);
    },

    async claim({ limit, claim, at, until }) {
      return database.transaction(() => {
        const rows = database.all<PostcardRow>(
          'SELECT * FROM postcards WHERE due <= ? ORDER BY due, id LIMIT ?',
          ...[at.getTime(), limit],
        );
        for (const { id } of rows)
          database.run(
            'UPDATE postcards SET taker = ?, due = ?, tries = tries + 1 WHERE id = ?',
            ...[claim, until.getTime(), id],
          );
        return rows.map(({ id, about, company, invite, mail, made, tries }) => {
          const createdAt = new Date(made);
          const rest = { organizationId: company, invitationId: invite, createdAt, claim };
          return { id, kind: about, email: mail, ...rest, attempts: tries };
        });
      });
    },

    async finish({ id, claim }) {
      return database.run('DELETE FROM postcards WHERE id = ? AND taker = ?', id, claim) === 1;
    },

    async postpone({ id, claim, dueAt }) {
      const text = 'UPDATE postcards SET due = ?, taker = NULL WHERE id = ? AND taker = ?';
      return database.run(text, dueAt.getTime(), id, claim) === 1;
    },
  };
}

interface SpareKeyRow {
  readonly person: number;
  readonly ends: number;
}

/** A spare key is the link with which a person who forgot the password gets in again. */
export function postcardPasswordResets(database: Database): PasswordResets {
  const spareKey = (digest: string) =>
    database.get<SpareKeyRow>('SELECT * FROM spare_keys WHERE digest = ?', digest);
  return {
    async store({ hash, email, expiresAt }) {
      return database.transaction(() => {
        const person = database.get<PersonRow>('SELECT * FROM people WHERE mail = ?', email);
        if (person === null) return null;
        const text = 'INSERT INTO spare_keys (digest, person, ends) VALUES (?, ?, ?)';
        database.run(text, hash, person.id, expiresAt.getTime());
        return toUser(person);
      });
    },

    async find(hash) {
      return database.snapshot(() => {
        const key = spareKey(hash);
        if (key === null) return null;
        const person = database.one<PersonRow>('SELECT * FROM people WHERE id = ?', key.person);
        return { user: toUser(person), expiresAt: new Date(key.ends) };
      });
    },

    async redeem({ hash, at, passwordHash, mails }) {
      return database.transaction(() => {
        const key = spareKey(hash);
        if (key === null || key.ends <= at.getTime()) return false;
        database.run('UPDATE people SET password = ? WHERE id = ?', passwordHash, key.person);
        endAccess(database, key.person);
        addPostcards(database, mails);
        return true;
      });
    },
  };
}
