import type { EventFeed, EventName, FeedPlace, NewEvent, RecordedEvent } from '@rollcall/core';
import type { Database } from './database.js';

export interface NoticeRow {
  readonly number: number;
  readonly company: number;
  readonly event: string;
  readonly topic: EventName;
  readonly body: string;
  readonly made: number;
}

/** Call it in the transaction of the event. SQLite runs one at a time, so the numbers are in the order of the commits. */
export function addNotice(database: Database, { id, name, organizationId, body, createdAt }: NewEvent): void {
  database.run(
    'INSERT INTO notices (company, event, topic, body, made) VALUES (?, ?, ?, ?, ?)',
    ...[organizationId, id, name, body, createdAt.getTime()],
  );
}

/** Keeps every notice. */
export function noticeEventFeed(database: Database): EventFeed {
  return {
    async read({ organizationId, after, order, name, limit }) {
      return database.snapshot(() => {
        if (after !== null && !isInFeed(database, organizationId, after))
          return { oldest: { position: 0, eventId: null } };
        const [sign, direction] = order === 'asc' ? ['>', 'ASC'] : ['<', 'DESC'];
        const rows = database.all<NoticeRow>(
          `SELECT * FROM notices WHERE company = ? AND number ${sign} ? AND (? IS NULL OR topic = ?)
          ORDER BY number ${direction} LIMIT ?`,
          ...[organizationId, after?.position ?? (order === 'asc' ? 0 : Number.MAX_SAFE_INTEGER)],
          ...[name ?? null, name ?? null, limit + 1],
        );
        const events = rows.slice(0, limit).map((row) => toEvent(row, organizationId));
        const hasMore = rows.length > limit;
        const last = events.at(-1);
        const end = endOfFeed(database, organizationId);
        if (last === undefined || (order === 'asc' && !hasMore))
          return { events, hasMore, next: order === 'asc' ? end : (after ?? end) };
        return { events, hasMore, next: { position: last.position, eventId: last.id } };
      });
    },
  };
}

function isInFeed(database: Database, company: number, { position, eventId }: FeedPlace): boolean {
  if (position === 0) return true;
  const text = 'SELECT * FROM notices WHERE company = ? AND number = ?';
  const row = database.get<NoticeRow>(text, company, position);
  return row !== null && (eventId === null || row.event === eventId);
}

function endOfFeed(database: Database, company: number): FeedPlace {
  const text = 'SELECT * FROM notices WHERE company = ? ORDER BY number DESC LIMIT 1';
  const row = database.get<NoticeRow>(text, company);
  return { position: row?.number ?? 0, eventId: row?.event ?? null };
}

function toEvent({ event, topic, body, made, number }: NoticeRow, organizationId: number): RecordedEvent {
  return { id: event, name: topic, organizationId, body, createdAt: new Date(made), position: number };
}
