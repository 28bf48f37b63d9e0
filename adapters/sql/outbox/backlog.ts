import { type Database, only, timestampOrNull } from '../engine/database.js';
import { isHeld } from './delivery-conditions.js';
import { firstWaiting } from './find-waiting.js';

/** The events in the outbox that have not been delivered yet. */
export interface Backlog {
  /** At most `MAX_COUNTED`. */
  readonly pending: number;
  readonly sending: number;
  /** At most `MAX_COUNTED`. */
  readonly held: number;
  /** When the oldest pending event happened; null when none is pending. */
  readonly oldestPending: Date | null;
}

/** A longer backlog is not counted to its end, and no more organizations than these are asked for their oldest event. */
const MAX_COUNTED = 100_000;
const MAX_ORGANIZATIONS = 10_000;

/** Read from indexes alone. */
const counts = `
  SELECT
    (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE state = 'pending' LIMIT ${MAX_COUNTED}) AS counted) AS pending,
    (SELECT count(*) FROM deliveries WHERE state = 'sending') AS sending,
    (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE ${isHeld} LIMIT ${MAX_COUNTED}) AS counted) AS held`;

/** Finds the oldest among the first of each organization, in pieces: other work runs in between. */
export async function outboxBacklog({ read }: Pick<Database, 'read'>): Promise<Backlog> {
  const { pending, sending, held } = only(
    await read.all<{ pending: number; sending: number; held: number }>(counts),
  );
  let oldest: string | null = null;
  let asked = 0;
  for await (const firsts of firstWaiting(read)) {
    for (const { createdAt } of firsts) if (oldest === null || createdAt < oldest) oldest = createdAt;
    asked += firsts.length;
    if (asked >= MAX_ORGANIZATIONS) break;
  }
  return { pending, sending, held, oldestPending: timestampOrNull(oldest) };
}
