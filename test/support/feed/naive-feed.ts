import type { EventFeed } from '@rollcall/core';
import type { Database } from '#adapters/sql/index.js';
import { eventName } from '#core/testing/subscribe.js';

interface Row {
  readonly id: number;
  readonly event_id: string;
  readonly body: string;
  readonly created_at: string;
}

/**
 * A feed with the fault that the proof must find: the position of an event is the number that its row gets when it is
 * written. An event that is committed after a later one is skipped by a reader who has read the later one.
 */
export function naiveFeed({ read }: Pick<Database, 'read'>): EventFeed {
  return {
    async read({ organizationId, after, order, limit }) {
      const [sign, direction] = order === 'asc' ? ['>', 'ASC'] : ['<', 'DESC'];
      const rows = await read.all<Row>(
        `SELECT id, event_id, body, created_at FROM events WHERE organization_id = ? AND id ${sign} ?
        ORDER BY id ${direction} LIMIT ?`,
        [organizationId, after?.position ?? (order === 'asc' ? 0 : Number.MAX_SAFE_INTEGER), limit + 1],
      );
      const events = rows.slice(0, limit).map(({ id, event_id, body, created_at }) => ({
        id: event_id,
        name: eventName,
        organizationId,
        body,
        createdAt: new Date(created_at),
        position: id,
      }));
      const last = events.at(-1);
      const next = last === undefined ? after : { position: last.position, eventId: last.id };
      return { events, hasMore: rows.length > limit, next: next ?? { position: 0, eventId: null } };
    },
  };
}
