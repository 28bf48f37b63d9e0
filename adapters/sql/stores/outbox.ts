import type {
  Attempt,
  AttemptOutcome,
  AttemptPhase,
  ClaimedDelivery,
  Deliveries,
  Delivery,
  DeliveryState,
  EventName,
  NewEvent,
  Outbox,
} from '@rollcall/core';
import { type Database, type Engine, only, type Sql, timestampOrNull } from '../engine/database.js';
import { databaseTime } from '../engine/database-time.js';
import { type ClaimedRow, claimer, holdOrganization } from '../outbox/claim.js';
import { conditionsOf, isHeld, selected } from '../outbox/delivery-conditions.js';
import { firstWaiting } from '../outbox/find-waiting.js';
import { changeMatching } from '../outbox/matching-deliveries.js';
import type { Waiting } from '../outbox/waiting.js';
import { insertEntries } from './audit-trail.js';
import { countOutcome } from './webhooks.js';

/** Writes an event in the transaction of what it tells, and gives the number of its delivery. */
export async function insertEvent(sql: Sql, event: NewEvent): Promise<number> {
  const rows = await sql.all<{ id: number }>(
    `INSERT INTO deliveries (organization_id, event_id, event_name, body, created_at)
    VALUES (?, ?, ?, ?, ?)
    RETURNING id`,
    [event.organizationId, event.id, event.name, event.body, event.createdAt],
  );
  return only(rows).id;
}

/** What waits is added to `waiting` once it is committed. */
export function sqlOutbox(database: Database, waiting: Waiting): Outbox {
  const { engine, read, write } = database;
  const claim = claimer(database, waiting);
  return {
    async claim(request) {
      const rows = await claim(request);
      return [...rows].sort((one, other) => one.id - other.id).map((row) => toClaimed(row, request.claim));
    },

    startTest: (request, buildEntries) =>
      write(async (sql) => {
        if (engine === 'postgres') await holdOrganization(sql, request.event.organizationId);
        const started = await startTest(sql, engine, request);
        if (started !== null) await insertEntries(sql, buildEntries?.(started));
        return started;
      }),

    async finish({ deliveryId, claim, state, attempt, at }) {
      const organizationId = await write(async (sql) => {
        // Only what is under way has a claim.
        const [finished] = await sql.all<{ organization_id: number; is_test: number | boolean }>(
          `UPDATE deliveries SET state = ?, finished_at = ?, claim = NULL, claimed_at = NULL
          WHERE id = ? AND claim = ?
          RETURNING organization_id, is_test`,
          [state, at, deliveryId, claim],
        );
        if (finished === undefined) return null;
        if (attempt !== null) await insertAttempt(sql, deliveryId, attempt);
        if (state !== 'skipped' && !finished.is_test)
          await countOutcome(sql, { organizationId: finished.organization_id, state, at });
        return finished.organization_id;
      });
      if (organizationId !== null) waiting.free(organizationId);
      return organizationId !== null;
    },

    async recoverStale({ olderThanMs, maxClaims, at }) {
      const before = await timestampBefore(read, { engine, olderThanMs, at });
      const stale = await read.get(
        `SELECT 1 FROM deliveries WHERE state = 'sending' AND claimed_at < ? ORDER BY organization_id, claimed_at LIMIT 1`,
        [before],
      );
      if (stale === undefined) return { again: 0, failed: 0 };
      const recovered = await write(async (sql) => {
        if (engine === 'postgres') await holdClaims(sql, before);
        return recoverClaims(sql, { before, maxClaims, at });
      });
      for (const { organization_id: organizationId, id } of recovered.again) waiting.add(organizationId, id);
      return { again: recovered.again.length, failed: recovered.failed };
    },

    hold: () => write(holdWaiting),
  };
}

/** What `Outbox.hold` promises, within a transaction. */
export async function holdWaiting(sql: Sql): Promise<number> {
  const held = `UPDATE deliveries SET state = 'failed', finished_at = NULL, claim = NULL, claimed_at = NULL`;
  const pending = await sql.run(`${held} WHERE state = 'pending'`);
  const sending = await sql.run(`${held} WHERE state = 'sending'`);
  return pending.changes + sending.changes;
}

/** What waits in the outbox. */
export interface Backlog {
  /** As far as they are counted: to `MOST_COUNTED`. */
  readonly pending: number;
  readonly sending: number;
  /** As far as they are counted, too. */
  readonly held: number;
  /** When the oldest pending event happened; null: none is pending. */
  readonly oldestPending: Date | null;
}

/** A longer backlog is not counted to its end, nor are more organizations asked for their oldest event. */
const MOST_COUNTED = 100_000;
const MOST_ORGANIZATIONS = 10_000;

/** Counts in the indexes alone. */
const counts = `
  SELECT
    (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE state = 'pending' LIMIT ${MOST_COUNTED}) AS counted) AS pending,
    (SELECT count(*) FROM deliveries WHERE state = 'sending') AS sending,
    (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE ${isHeld} LIMIT ${MOST_COUNTED}) AS counted) AS held`;

/** The oldest is sought among the first of each organization, in pieces between which others have their turn. */
export async function outboxBacklog({ read }: Pick<Database, 'read'>): Promise<Backlog> {
  const { pending, sending, held } = only(
    await read.all<{ pending: number; sending: number; held: number }>(counts),
  );
  let oldest: string | null = null;
  let asked = 0;
  for await (const firsts of firstWaiting(read)) {
    for (const { createdAt } of firsts) if (oldest === null || createdAt < oldest) oldest = createdAt;
    asked += firsts.length;
    if (asked >= MOST_ORGANIZATIONS) break;
  }
  return { pending, sending, held, oldestPending: timestampOrNull(oldest) };
}

function toClaimed(row: ClaimedRow, claim: string): ClaimedDelivery {
  return {
    deliveryId: row.id,
    claim,
    organizationId: row.organization_id,
    eventId: row.event_id,
    eventName: row.event_name,
    body: row.body,
    isTest: Boolean(row.is_test),
  };
}

async function startTest(
  sql: Sql,
  engine: Engine,
  { event, claim, at }: Parameters<Outbox['startTest']>[0],
): Promise<ClaimedDelivery | null> {
  const { organizationId, id, name, body, createdAt } = event;
  const other = await sql.get(
    `SELECT 1 FROM deliveries WHERE state = 'sending' AND organization_id = ? AND is_test`,
    [organizationId],
  );
  if (other !== undefined) return null;
  const rows = await sql.all<ClaimedRow>(
    `INSERT INTO deliveries
      (organization_id, event_id, event_name, body, created_at, is_test, state, claim, claimed_at, claims)
    VALUES (?, ?, ?, ?, ?, ?, 'sending', ?, ${engine === 'postgres' ? 'clock_timestamp()' : '?'}, 1)
    RETURNING id, organization_id, event_id, event_name, body, is_test`,
    [organizationId, id, name, body, createdAt, true, claim, ...(engine === 'postgres' ? [] : [at])],
  );
  return toClaimed(only(rows), claim);
}

async function insertAttempt(sql: Sql, deliveryId: number, attempt: Attempt): Promise<void> {
  const { startedAt, duration, outcome, phase, status, reason } = attempt;
  await sql.run(
    `INSERT INTO attempts (delivery_id, number, started_at, duration, outcome, phase, status, reason)
    SELECT ?, coalesce(max(number), 0) + 1, ?, ?, ?, ?, ?, ? FROM attempts WHERE delivery_id = ?`,
    [deliveryId, startedAt, duration, outcome, phase, status, reason, deliveryId],
  );
}

/** Later than every claim, also of one that was made before the clock was set back. */
const AFTER_ALL_CLAIMS = new Date('9999-12-31T23:59:59.999Z');

/** By the clock that claims are written by: PostgreSQL's own, as several instances write them, or the given one. */
async function timestampBefore(
  sql: Sql,
  {
    engine,
    olderThanMs,
    at,
  }: Pick<Parameters<Outbox['recoverStale']>[0], 'olderThanMs' | 'at'> & { readonly engine: Engine },
): Promise<Date> {
  if (olderThanMs === null) return AFTER_ALL_CLAIMS;
  if (engine === 'sqlite') return new Date(at.getTime() - olderThanMs);
  return new Date((await databaseTime({ read: sql })).getTime() - olderThanMs);
}

/** The rows are locked: no other caller recovers or finishes them meanwhile. */
async function holdClaims(sql: Sql, before: Date): Promise<void> {
  await sql.run(
    `SELECT 1 FROM deliveries WHERE state = 'sending' AND claimed_at < ? ORDER BY id FOR UPDATE`,
    [before],
  );
}

async function recoverClaims(
  sql: Sql,
  { before, maxClaims, at }: { readonly before: Date; readonly maxClaims: number; readonly at: Date },
): Promise<{ readonly again: readonly { organization_id: number; id: number }[]; readonly failed: number }> {
  await sql.run(
    `INSERT INTO attempts (delivery_id, number, started_at, outcome, reason)
    SELECT id,
      (SELECT coalesce(max(number), 0) + 1 FROM attempts WHERE delivery_id = deliveries.id),
      claimed_at, 'interrupted', 'cut off before an outcome was known'
    FROM deliveries WHERE state = 'sending' AND claimed_at < ?`,
    [before],
  );
  const failed = await sql.run(
    `UPDATE deliveries SET state = 'failed', finished_at = ?, claim = NULL, claimed_at = NULL
    WHERE state = 'sending' AND claimed_at < ? AND claims >= ?`,
    [at, before, maxClaims],
  );
  const again = await sql.all<{ organization_id: number; id: number }>(
    `UPDATE deliveries SET state = 'pending', claim = NULL, claimed_at = NULL
    WHERE state = 'sending' AND claimed_at < ?
    RETURNING organization_id, id`,
    [before],
  );
  return { again, failed: failed.changes };
}

/** One row for each attempt, or one with nulls in its place. */
interface DeliveryRow {
  readonly id: number;
  readonly organization_id: number;
  readonly event_id: string;
  readonly event_name: EventName;
  readonly body: string;
  readonly is_test: number | boolean;
  readonly state: Exclude<DeliveryState, 'held'>;
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly is_dropped: number | boolean;
  readonly started_at: string | null;
  readonly duration: number | null;
  readonly outcome: AttemptOutcome | null;
  readonly phase: AttemptPhase | null;
  readonly status: number | null;
  readonly reason: string | null;
}

const columns = `deliveries.id, deliveries.organization_id, deliveries.event_id, deliveries.event_name,
  deliveries.body, deliveries.is_test, deliveries.state, deliveries.created_at, deliveries.finished_at,
  deliveries.is_dropped, attempts.started_at,
  attempts.duration, attempts.outcome, attempts.phase, attempts.status, attempts.reason`;

/** What is asked for again is added to `waiting` once it is committed. */
export function sqlDeliveries(database: Database, waiting: Waiting): Deliveries {
  const { read, readAside, write } = database;
  return {
    async find({ organizationId, deliveryId }) {
      const rows = await read.all<DeliveryRow>(
        `SELECT ${columns} FROM deliveries LEFT JOIN attempts ON attempts.delivery_id = deliveries.id
        WHERE deliveries.organization_id = ? AND deliveries.id = ?
        ORDER BY attempts.number`,
        [organizationId, deliveryId],
      );
      return toDeliveries(rows)[0] ?? null;
    },

    async list({ limit, ...query }) {
      const { conditions, values } = conditionsOf(query);
      const rows = await readAside(query.organizationId ?? 0).all<DeliveryRow>(
        `SELECT ${columns}
        FROM (
          SELECT * FROM deliveries WHERE ${conditions} ORDER BY created_at DESC, id DESC LIMIT ?
        ) AS deliveries
        LEFT JOIN attempts ON attempts.delivery_id = deliveries.id
        ORDER BY deliveries.created_at DESC, deliveries.id DESC, attempts.number`,
        [...values, limit],
      );
      return toDeliveries(rows);
    },

    async redeliver({ organizationId, deliveryId }, buildEntries) {
      const { isFound, again } = await write(async (sql) => {
        const { conditions, values } = conditionsOf({ organizationId });
        const found = await sql.get(`SELECT 1 FROM deliveries WHERE ${conditions} AND id = ?`, [
          ...values,
          deliveryId,
        ]);
        const [again] = await sql.all<{ organization_id: number; event_id: string }>(
          `UPDATE deliveries SET ${pendingAgain}
          WHERE ${conditions} AND id = ? AND state IN ('delivered', 'failed', 'skipped')
          RETURNING organization_id, event_id`,
          [...values, deliveryId],
        );
        if (again !== undefined)
          await insertEntries(
            sql,
            buildEntries?.({ organizationId: again.organization_id, eventId: again.event_id }),
          );
        return { isFound: found !== undefined, again };
      });
      if (again !== undefined) waiting.add(again.organization_id, deliveryId);
      return isFound;
    },

    async count(selection) {
      const { conditions, values } = selected(selection);
      const rows = await readAside(selection.organizationId ?? 0).all<{ found: number }>(
        `SELECT count(*) AS found FROM deliveries WHERE ${conditions}`,
        values,
      );
      return only(rows).found;
    },

    async redeliverMatching(selection, buildEntries) {
      const { count, oldest } = await changeMatching(database, {
        selection,
        change: pendingAgain,
        buildEntries,
      });
      for (const [organizationId, deliveryId] of oldest) waiting.add(organizationId, deliveryId);
      return count;
    },

    async dropHeld({ at, ...request }, buildEntries) {
      const { count } = await changeMatching(database, {
        selection: { ...request, states: ['held'] },
        change: `state = 'skipped', finished_at = ?, is_dropped = true`,
        values: [at],
        buildEntries,
      });
      return count;
    },
  };
}

const pendingAgain = `state = 'pending', finished_at = NULL, claims = 0, is_dropped = false`;

function toDeliveries(rows: readonly DeliveryRow[]): readonly Delivery[] {
  const attempts = new Map<number, Attempt[]>();
  const deliveries: Delivery[] = [];
  for (const row of rows) {
    let own = attempts.get(row.id);
    if (own === undefined) {
      own = [];
      attempts.set(row.id, own);
      deliveries.push(toDelivery(row, own));
    }
    const attempt = toAttempt(row);
    if (attempt !== null) own.push(attempt);
  }
  return deliveries;
}

function toDelivery(row: DeliveryRow, attempts: readonly Attempt[]): Delivery {
  return {
    id: row.id,
    organizationId: row.organization_id,
    eventId: row.event_id,
    eventName: row.event_name,
    body: row.body,
    isTest: Boolean(row.is_test),
    state: row.state === 'failed' && row.finished_at === null ? 'held' : row.state,
    createdAt: new Date(row.created_at),
    finishedAt: timestampOrNull(row.finished_at),
    isDropped: Boolean(row.is_dropped),
    attempts,
  };
}

function toAttempt({ started_at, duration, outcome, phase, status, reason }: DeliveryRow): Attempt | null {
  if (started_at === null || outcome === null || reason === null) return null;
  return { startedAt: new Date(started_at), duration, outcome, phase, status, reason };
}
