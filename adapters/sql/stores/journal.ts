import { CallLost, type JournalEntry } from '@rollcall/core';
import type { Sql } from '../engine/database.js';
import { execute } from '../engine/statements.js';
import type { Transaction } from '../outbox/waiting-deliveries.js';
import { insertEntry } from './audit-trail.js';
import { keepAnswer } from './idempotency-keys.js';
import { insertMails } from './mails.js';
import { storeEvent } from './store-event.js';

/**
 * Stores the journal of an action in its transaction. Returns the ids of the audit entries. Throws `CallLost`, so that
 * the action is rolled back.
 */
export async function writeJournal(
  sql: Transaction,
  journal: readonly JournalEntry[] = [],
): Promise<readonly number[]> {
  const ids: number[] = [];
  for (const entry of journal)
    if ('action' in entry) ids.push(await insertEntry(sql, entry));
    else if ('body' in entry) await storeEvent(sql, entry);
    else if ('kind' in entry) await insertMails(sql, [entry]);
    else if (!(await keepAnswer(sql, entry))) throw new CallLost();
  return ids;
}

/** Replaces the subjects of stored entries. An action in several transactions reports its progress this way. */
export async function replaceSubjects(
  sql: Sql,
  entryIds: readonly number[],
  journal: readonly JournalEntry[],
) {
  const subjects = journal.flatMap((entry) => ('subject' in entry ? [entry.subject] : []));
  for (const [index, id] of entryIds.entries())
    await execute(sql)`UPDATE audit_entries SET subject = ${subjects[index] ?? null} WHERE id = ${id}`;
}
