import {
  type AuditAction,
  type AuditEntry,
  type AuditTrail,
  type BuildAuditEntries,
  CallLost,
  type NamedUser,
  type Who,
} from '@rollcall/core';
import type { Database } from './database.js';
import { keepReply } from './errands.js';
import { addPostcards } from './postcards.js';

export interface DiaryRow {
  readonly id: number;
  readonly company: number;
  readonly happened: number;
  readonly who: string;
  readonly place: string | null;
  readonly deed: AuditAction;
  readonly subject: string | null;
}

/** Call it in the transaction of the change that the entries describe. */
export function writeDown(database: Database, entries: ReturnType<BuildAuditEntries<unknown>> = []): void {
  for (const entry of entries) {
    if ('encryptedAnswer' in entry) {
      if (!keepReply(database, entry)) throw new CallLost();
      continue;
    }
    if ('kind' in entry) {
      addPostcards(database, [entry]);
      continue;
    }
    const { organizationId, at, actor, action, subject } = entry;
    database.run(
      'INSERT INTO diary (company, happened, who, place, deed, subject) VALUES (?, ?, ?, ?, ?, ?)',
      ...[organizationId, at.getTime(), JSON.stringify(actor.who), actor.from, action, subject],
    );
  }
}

/** Null if the actor is not a user, or if the user has been removed. */
export function namedUser(database: Database, who: Who | null): NamedUser | null {
  if (who?.kind !== 'user') return null;
  return database.get<NamedUser>(
    'SELECT id, mail AS email, given AS firstName, family AS lastName FROM people WHERE id = ?',
    who.userId,
  );
}

export function diaryAuditTrail(database: Database): AuditTrail {
  const toEntry = (row: DiaryRow): AuditEntry => {
    const who = JSON.parse(row.who) as Who;
    return {
      id: row.id,
      organizationId: row.company,
      at: new Date(row.happened),
      actor: { who, from: row.place },
      action: row.deed,
      subject: row.subject,
      user: namedUser(database, who),
    };
  };
  return {
    async record(entry) {
      writeDown(database, [entry]);
    },

    async list({ organizationId, offset, limit }) {
      const from = 'FROM diary WHERE company = ?';
      return database.snapshot(() => ({
        total: database.count(from, organizationId),
        entries: database
          .all<DiaryRow>(
            `SELECT * ${from} ORDER BY happened DESC, id DESC LIMIT ? OFFSET ?`,
            ...[organizationId, limit, offset],
          )
          .map(toEntry),
      }));
    },

    async lastOf({ organizationId, actions }) {
      const last = database
        .all<DiaryRow>(
          'SELECT * FROM diary WHERE company = ? ORDER BY happened DESC, id DESC',
          organizationId,
        )
        .find(({ deed }) => actions.includes(deed));
      return last?.deed ?? null;
    },
  };
}
