import { type Database, timestampOrNull } from '../engine/database.js';
import { selectOne } from '../engine/statements.js';

interface Counted {
  calls: number;
  answerLength: number;
  readonly oldestAt: Date | null;
  /** A time of `performance.now()`. */
  readonly countedAt: number;
}

interface Limits {
  readonly forgottenBefore: Date;
  readonly maxCalls: number;
  readonly maxAnswerLength: number;
}

/** Other processes keep calls too, and calls are forgotten. */
const COUNT_AGAIN_MS = 10_000;
/** A call may have been forgotten, so that a refusal is worth a new count. */
const REFUSE_AGAIN_MS = 1_000;
/** Organizations whose count is remembered. */
const MAX_COUNTED = 10_000;

/**
 * Counts the calls that are kept for each organization: in the database at times, because counting takes as long as there
 * are calls, and what this process keeps at once.
 */
export function keptCalls({ readAside }: Pick<Database, 'readAside'>) {
  const counts = new Map<number, Promise<Counted>>();

  async function countOf(organizationId: number, limits: Limits, maxAgeMs: number): Promise<Counted> {
    const known = counts.get(organizationId);
    const counted = await known;
    if (counted !== undefined && performance.now() - counted.countedAt < maxAgeMs) return counted;
    const others = counts.get(organizationId);
    if (others !== undefined && others !== known) return others;
    const [oldest] = counts.keys();
    if (counts.size >= MAX_COUNTED && oldest !== undefined) counts.delete(oldest);
    const counting = count(organizationId, limits);
    counts.set(organizationId, counting);
    counting.catch(() => counts.delete(organizationId));
    return counting;
  }

  async function count(organizationId: number, { forgottenBefore }: Limits): Promise<Counted> {
    const sql = readAside(organizationId);
    const row = await selectOne<{ calls: number; answer_length: number; oldest_at: string | null }>(
      sql,
    )`SELECT count(*) AS calls,
        coalesce(sum(octet_length(sealed_answer)), 0) AS answer_length,
        min(begun_at) AS oldest_at
      FROM idempotency_keys WHERE organization_id = ${organizationId} AND begun_at >= ${forgottenBefore}`;
    return {
      calls: row?.calls ?? 0,
      answerLength: row?.answer_length ?? 0,
      oldestAt: timestampOrNull(row?.oldest_at),
      countedAt: performance.now(),
    };
  }

  return {
    /** When the oldest call of the organization began, if no more may be kept. */
    async oldestIfFull(organizationId: number, limits: Limits): Promise<Date | null> {
      const counted = await countOf(organizationId, limits, COUNT_AGAIN_MS);
      if (!isFull(counted, limits)) return null;
      const isForgotten = counted.oldestAt === null || counted.oldestAt < limits.forgottenBefore;
      const again = await countOf(organizationId, limits, isForgotten ? 0 : REFUSE_AGAIN_MS);
      return isFull(again, limits) ? again.oldestAt : null;
    },

    add(organizationId: number, added: Partial<Pick<Counted, 'calls' | 'answerLength'>>): void {
      void counts.get(organizationId)?.then(
        (counted) => {
          counted.calls += added.calls ?? 0;
          counted.answerLength += added.answerLength ?? 0;
        },
        () => {},
      );
    },
  };
}

function isFull(counted: Counted, { maxCalls, maxAnswerLength }: Limits): boolean {
  return counted.calls >= maxCalls || counted.answerLength >= maxAnswerLength;
}
