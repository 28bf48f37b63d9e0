import { type Database, timestampOrNull } from '../engine/database.js';
import { selectOne } from '../engine/sql-text.js';

interface Counted {
  calls: number;
  answerLength: number;
  /** When the oldest call began. */
  readonly oldestAt: Date | null;
  /** A time of `performance.now()`. */
  readonly countedAt: number;
}

interface CountedRow {
  readonly calls: number;
  readonly answer_length: number;
  readonly oldest_at: string | null;
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
export class KeptCalls {
  readonly #database: Database;
  readonly #counted = new Map<number, Promise<Counted>>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** When the oldest call of the organization began, if no more may be kept. */
  async oldestIfFull(organizationId: number, limits: Limits): Promise<Date | null> {
    const counted = await this.#countOf(organizationId, limits, COUNT_AGAIN_MS);
    if (!isFull(counted, limits)) return null;
    const isForgotten = counted.oldestAt === null || counted.oldestAt < limits.forgottenBefore;
    const again = await this.#countOf(organizationId, limits, isForgotten ? 0 : REFUSE_AGAIN_MS);
    return isFull(again, limits) ? again.oldestAt : null;
  }

  add(
    organizationId: number,
    { calls = 0, answerLength = 0 }: Partial<Pick<Counted, 'calls' | 'answerLength'>>,
  ): void {
    void this.#counted.get(organizationId)?.then(
      (counted) => {
        counted.calls += calls;
        counted.answerLength += answerLength;
      },
      () => {},
    );
  }

  async #countOf(organizationId: number, limits: Limits, maxAgeMs: number): Promise<Counted> {
    const known = this.#counted.get(organizationId);
    const counted = await known;
    if (counted !== undefined && performance.now() - counted.countedAt < maxAgeMs) return counted;
    const others = this.#counted.get(organizationId);
    if (others !== undefined && others !== known) return others;
    const [oldest] = this.#counted.keys();
    if (this.#counted.size >= MAX_COUNTED && oldest !== undefined) this.#counted.delete(oldest);
    const counting = this.#count(organizationId, limits);
    this.#counted.set(organizationId, counting);
    counting.catch(() => this.#counted.delete(organizationId));
    return counting;
  }

  async #count(organizationId: number, limits: Limits): Promise<Counted> {
    const row = await this.#read(organizationId, limits);
    return {
      calls: row?.calls ?? 0,
      answerLength: row?.answer_length ?? 0,
      oldestAt: timestampOrNull(row?.oldest_at ?? null),
      countedAt: performance.now(),
    };
  }

  #read(organizationId: number, { forgottenBefore }: Limits): Promise<CountedRow | undefined> {
    return selectOne<CountedRow>(this.#database.readAside(organizationId))`SELECT count(*) AS calls,
        coalesce(sum(octet_length(sealed_answer)), 0) AS answer_length,
        min(begun_at) AS oldest_at
      FROM idempotency_keys WHERE organization_id = ${organizationId} AND begun_at >= ${forgottenBefore}`;
  }
}

function isFull(counted: Counted, { maxCalls, maxAnswerLength }: Limits): boolean {
  return counted.calls >= maxCalls || counted.answerLength >= maxAnswerLength;
}
