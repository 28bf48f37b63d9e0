import { Unavailable } from '@rollcall/core';
import { type Database, timestampOrNull } from '../engine/database.js';
import { readLists, select } from '../engine/statements.js';
import { TIMELINE } from '../stores/meeting-clock.js';

/** The history of a database whose standby may take over without the last transactions. */
export interface History {
  /** Each promotion changes it. Null: the server is a standby, or it is only like PostgreSQL and cannot tell. */
  timeline(): Promise<string | null>;
  /** Where the stored history ends. */
  end(): Promise<HistoryEnd>;
  /** Those of the events that are not stored. */
  missing(eventIds: readonly string[]): Promise<readonly string[]>;
}

/** Null: there is none. */
export interface HistoryEnd {
  readonly lastChangeOfMeetings: Date | null;
  readonly lastEvent: { readonly eventId: string; readonly createdAt: Date } | null;
}

/** Null on SQLite, which has no standby. */
export function historyOf({ engine, read }: Pick<Database, 'engine' | 'read'>): History | null {
  if (engine === 'sqlite') return null;
  return {
    async timeline() {
      try {
        return (await read.get<{ timeline: string | null }>(FIND_TIMELINE))?.timeline ?? null;
      } catch (error) {
        if (error instanceof Unavailable) throw error;
        return null;
      }
    },
    async end() {
      const clock = await read.get<{ last_at: string | null }>('SELECT last_at FROM meeting_clock');
      const event = await read.get<{ event_id: string; created_at: string }>(
        'SELECT event_id, created_at FROM events ORDER BY id DESC LIMIT 1',
      );
      return {
        lastChangeOfMeetings: timestampOrNull(clock?.last_at),
        lastEvent: event ? { eventId: event.event_id, createdAt: new Date(event.created_at) } : null,
      };
    },
    async missing(eventIds) {
      const found = await readLists(
        eventIds,
        (list) => select<{ event_id: string }>(read)`SELECT event_id FROM deliveries
          WHERE event_id IN (${list})`,
      );
      const stored = new Set(found.map(({ event_id }) => event_id));
      return eventIds.filter((id) => !stored.has(id));
    },
  };
}

const FIND_TIMELINE = `SELECT CASE WHEN NOT pg_is_in_recovery() THEN ${TIMELINE} END AS timeline`;
