import type { Outbox, RecordedAttempt } from '@rollcall/core';
import { interruptedAttempt, maxRecordedAttempts } from '@rollcall/core/adapters';
import type { Engine, EngineSql, Sql } from '../engine/database.js';
import { databaseTime } from '../engine/database-time.js';
import { listOf, raw, type SqlText } from '../engine/sql-text.js';
import { execute, exists, lock, select, selectOnly, writeOne } from '../engine/statements.js';
import { storedIn } from '../engine/stored.js';
import { lockOrganization, storedClaimed } from '../outbox/claim-query.js';
import { claimer } from '../outbox/claimer.js';
import type { Waiting } from '../outbox/waiting.js';
import type { StorageDatabase, Transaction } from '../outbox/waiting-deliveries.js';
import { writeJournal } from './journal.js';
import { recordOutcome } from './webhook-health.js';

const finishedDelivery = storedIn('deliveries', {
  organizationId: 'whole',
  isTest: 'flag',
  isErased: 'flag',
});

export function sqlOutbox(database: StorageDatabase, waiting: Waiting): Outbox {
  const { engine, read, write } = database;
  const claim = claimer(database, waiting);
  return {
    async claim(request) {
      const claimed = await claim(request);
      return [...claimed]
        .sort((one, other) => one.deliveryId - other.deliveryId)
        .map((delivery) => ({ ...delivery, claim: request.claim }));
    },

    startTest: (request, journal) =>
      write(async (sql) => {
        await lockOrganization(sql, request.event.organizationId);
        const started = await startTest(sql, request);
        if (started !== null) await writeJournal(sql, journal?.(started));
        return started;
      }),

    async renew({ deliveryId, claim, at }) {
      // Only a delivery that is being sent has a claim.
      return writeOne(write)`UPDATE deliveries SET claimed_at = ${claimTime(engine, at)}
          WHERE id = ${deliveryId} AND claim = ${claim}`;
    },

    async finish({ deliveryId, claim, state, attempt, at }, journal) {
      const organizationId = await write(async (sql) => {
        // Only a delivery that is being sent has a claim.
        const finished = await finishedDelivery.changed(sql)`UPDATE deliveries
          SET state = ${state}, finished_at = ${at}, claim = NULL, claimed_at = NULL
          WHERE id = ${deliveryId} AND claim = ${claim}`;
        if (finished === null) return null;
        const withoutTexts = finished.isErased ? { request: null, response: null } : {};
        if (attempt !== null) await insertAttempt(sql, deliveryId, { ...attempt, ...withoutTexts });
        const { organizationId, isTest } = finished;
        const isCounted = state !== 'skipped' && !isTest;
        if (isCounted && (await recordOutcome(sql, organizationId, { state, finishedAt: at })))
          await writeJournal(sql, journal?.({ organizationId }));
        return organizationId;
      });
      if (organizationId !== null) waiting.free(organizationId);
      return organizationId !== null;
    },

    async recoverStale({ olderThanMs, maxClaims, at }) {
      const before = await timestampBefore({ engine, read }, { olderThanMs, at });
      const isAny = await exists(read)`FROM deliveries WHERE state = 'sending' AND claimed_at < ${before}
        ORDER BY organization_id, claimed_at LIMIT 1`;
      if (!isAny) return { again: 0, failed: 0 };
      return write(async (sql) => {
        await holdClaims(sql, before);
        return recoverClaims(sql, { before, maxClaims, at });
      });
    },

    async hold() {
      let count = 0;
      for (let held = HELD_AT_ONCE; held === HELD_AT_ONCE; count += held)
        held = await write((sql) => holdWaiting(sql, HELD_AT_ONCE));
      return count;
    },
  };
}

/** So many rows are far from the time limit of a statement. */
export const HELD_AT_ONCE = 2_000;

/** `Outbox.hold` for at most `limit` deliveries, within a transaction. */
export async function holdWaiting(sql: Sql, limit = Number.MAX_SAFE_INTEGER): Promise<number> {
  let count = 0;
  for (const which of ["state = 'pending'", "state = 'sending' AND NOT is_erased"]) {
    const { changes } = await execute(sql)`UPDATE deliveries
      SET state = 'failed', finished_at = NULL, claim = NULL, claimed_at = NULL
      WHERE id IN (SELECT id FROM deliveries WHERE ${raw(which)} LIMIT ${limit - count}) AND ${raw(which)}`;
    count += changes;
  }
  return count;
}

/** When a claim is made: by PostgreSQL's own clock, or `at` with SQLite. */
function claimTime(engine: Engine, at: Date): SqlText | Date {
  return engine === 'postgres' ? raw('clock_timestamp()') : at;
}

async function startTest(sql: EngineSql, { event, claim, at }: Parameters<Outbox['startTest']>[0]) {
  const { organizationId, id, name, body, createdAt } = event;
  const isTesting = await exists(sql)`FROM deliveries
    WHERE state = 'sending' AND organization_id = ${organizationId} AND is_test`;
  if (isTesting) return null;
  const started = await storedClaimed.changed(sql)`INSERT INTO deliveries
      (organization_id, event_id, event_name, body, created_at, is_test, state, claim, claimed_at, claims)
    VALUES (${listOf([organizationId, id, name, body, createdAt, true])}, 'sending', ${claim},
      ${claimTime(sql.engine, at)}, 1)`;
  return started && { ...started, claim };
}

async function insertAttempt(sql: Sql, deliveryId: number, attempt: RecordedAttempt): Promise<void> {
  const { startedAt, duration, outcome, phase, status, reason, request, response } = attempt;
  const inserted = await selectOnly<{ number: number }>(sql)`INSERT INTO attempts
      (delivery_id, number, started_at, duration, outcome, phase, status, reason, request, response)
    SELECT ${deliveryId}, coalesce(max(number), 0) + 1, ${startedAt}, ${duration}, ${outcome}, ${phase},
      ${status}, ${reason}, ${jsonOrNull(request)}, ${jsonOrNull(response)} FROM attempts
      WHERE delivery_id = ${deliveryId}
    RETURNING number`;
  const newestWithoutTexts = inserted.number - maxRecordedAttempts;
  if (newestWithoutTexts < 1) return;
  await execute(sql)`UPDATE attempts SET request = NULL, response = NULL
    WHERE delivery_id = ${deliveryId} AND number <= ${newestWithoutTexts} AND (request IS NOT NULL
      OR response IS NOT NULL)`;
}

/** As JSON, texts may contain U+0000, which PostgreSQL cannot store in a text. */
function jsonOrNull(value: RecordedAttempt['request'] | RecordedAttempt['response']): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** Later than every claim, even one that was made before the clock was set back. */
const AFTER_ALL_CLAIMS = new Date('9999-12-31T23:59:59.999Z');

/** The time before which a claim is stale, by the clock of the claims: PostgreSQL's own, or `at` with SQLite. */
async function timestampBefore(
  { engine, read }: Pick<StorageDatabase, 'engine' | 'read'>,
  { olderThanMs, at }: Pick<Parameters<Outbox['recoverStale']>[0], 'olderThanMs' | 'at'>,
): Promise<Date> {
  if (olderThanMs === null) return AFTER_ALL_CLAIMS;
  if (engine === 'sqlite') return new Date(at.getTime() - olderThanMs);
  return new Date((await databaseTime({ read })).getTime() - olderThanMs);
}

/** Locks the rows, so that no other caller recovers or finishes them meanwhile. */
async function holdClaims(sql: EngineSql, before: Date): Promise<void> {
  await lock(sql)`SELECT 1 FROM deliveries WHERE state = 'sending' AND claimed_at < ${before} ORDER BY id
    FOR UPDATE`;
}

async function recoverClaims(
  sql: Transaction,
  { before, maxClaims, at }: { readonly before: Date; readonly maxClaims: number; readonly at: Date },
): Promise<{ readonly again: number; readonly failed: number }> {
  await execute(sql)`INSERT INTO attempts (delivery_id, number, started_at, outcome, reason)
    SELECT id,
      (SELECT coalesce(max(number), 0) + 1 FROM attempts WHERE delivery_id = deliveries.id),
      claimed_at, 'interrupted', CAST(${interruptedAttempt.reason} AS TEXT)
    FROM deliveries WHERE state = 'sending' AND claimed_at < ${before}`;
  await execute(sql)`UPDATE deliveries
    SET state = 'skipped', is_dropped = true, finished_at = ${at}, claim = NULL, claimed_at = NULL
    WHERE state = 'sending' AND claimed_at < ${before} AND is_erased`;
  const failed = await execute(sql)`UPDATE deliveries
    SET state = 'failed', finished_at = ${at}, claim = NULL, claimed_at = NULL
    WHERE state = 'sending' AND claimed_at < ${before} AND claims >= ${maxClaims}`;
  const again = await select<{ organization_id: number; id: number }>(sql)`UPDATE deliveries
    SET state = 'pending', claim = NULL, claimed_at = NULL
    WHERE state = 'sending' AND claimed_at < ${before}
    RETURNING organization_id, id`;
  for (const { organization_id: organizationId, id } of again) sql.waits(organizationId, id);
  return { again: again.length, failed: failed.changes };
}
