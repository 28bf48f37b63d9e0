/** Ids of rows. */
interface Searched {
  /** Searches begin after this row. */
  readonly after: number;
  /** The last row that had its position at the last search from the start. */
  readonly next: number;
  /** When that search began, by `performance.now()`. */
  readonly fromStartAt: number;
  /** The last row that has its position. */
  readonly last: number;
}

const FROM_START_EVERY_MS = 60_000;
const MAX_FEEDS = 10_000;

/**
 * Where the search for events without a position begins in each feed. Assigning positions leaves dead rows in the index
 * of these events, and while an old snapshot is open (`pg_dump`, an export), vacuum removes none of them. So a search
 * begins behind the events that had their positions a minute ago. Once a minute, one begins at the start and finds the
 * events whose transactions took longer.
 */
export function createUnpositioned(now = () => performance.now()) {
  const feeds = new Map<number, Searched>();
  return {
    startSearch(organizationId: number) {
      const startedAt = now();
      const before = feeds.get(organizationId) ?? { after: 0, next: 0, fromStartAt: -Infinity, last: 0 };
      const isFromStart = startedAt - before.fromStartAt >= FROM_START_EVERY_MS;
      let last = 0;
      return {
        /** The search begins after the row with this id. */
        after: isFromStart ? 0 : before.after,
        /** The rows with these ids have got their positions. */
        positioned(ids: readonly number[]): void {
          for (const id of ids) last = Math.max(last, id);
        },
        /** Call it only if every event that the search has found has its position now. */
        complete(): void {
          const current = feeds.get(organizationId) ?? before;
          last = Math.max(last, current.last);
          if (feeds.size >= MAX_FEEDS && !feeds.has(organizationId)) feeds.clear();
          // Another search from the start may have ended meanwhile.
          const isFirst = isFromStart && current.fromStartAt === before.fromStartAt;
          const moved = isFirst ? { after: current.next, next: last, fromStartAt: startedAt } : {};
          feeds.set(organizationId, { ...current, ...moved, last });
        },
      };
    },
  };
}

export type Search = ReturnType<ReturnType<typeof createUnpositioned>['startSearch']>;
