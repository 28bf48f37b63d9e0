import { type Database, timestampOrNull } from '../engine/database.js';
import { raw } from '../engine/sql-text.js';
import { selectOnly } from '../engine/statements.js';
import { isHeld } from './delivery-conditions.js';
import { firstWaiting } from './find-waiting.js';

/** The events in the outbox that have not been delivered yet. */
export interface Backlog {
  /** At most `MAX_COUNTED`. */
  readonly pending: number;
  readonly sending: number;
  /** At most `MAX_COUNTED`. */
  readonly held: number;
  /** Failed deliveries that nobody has resent, tests included. At most `MAX_COUNTED`. */
  readonly failed: number;
  /** When the oldest pending event happened. Null when none is pending. */
  readonly oldestPending: Date | null;
}

/** Counting a longer backlog stops at this number. */
const MAX_COUNTED = 100_000;
/** The oldest event is searched in this number of organizations. */
const MAX_ORGANIZATIONS = 10_000;

/** Reads only indexes: a held delivery is stored as a failed one. */
const counts = raw(`
  SELECT
    (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE state = 'pending' LIMIT ${MAX_COUNTED}) AS counted) AS pending,
    (SELECT count(*) FROM deliveries WHERE state = 'sending') AS sending,
    (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE ${isHeld} LIMIT ${MAX_COUNTED}) AS counted) AS held,
    (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE state = 'failed' LIMIT ${2 * MAX_COUNTED}) AS counted) AS ended`);

type Counts = Readonly<Record<'pending' | 'sending' | 'held' | 'ended', number>>;

/** Finds the oldest of each organization's first events, in pieces, so that other work runs in between. */
export async function outboxBacklog({ read }: Pick<Database, 'read'>): Promise<Backlog> {
  const { pending, sending, held, ended } = await selectOnly<Counts>(read)(counts);
  const failed = Math.min(ended - held, MAX_COUNTED);
  let oldest: string | null = null;
  let searched = 0;
  for await (const firsts of firstWaiting(read)) {
    for (const { createdAt } of firsts) if (oldest === null || createdAt < oldest) oldest = createdAt;
    searched += firsts.length;
    if (searched >= MAX_ORGANIZATIONS) break;
  }
  return { pending, sending, held, failed, oldestPending: timestampOrNull(oldest) };
}
