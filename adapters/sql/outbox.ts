import type {
  Attempt,
  AttemptOutcome,
  AttemptPhase,
  ClaimedDelivery,
  Deliveries,
  Delivery,
  DeliverySelection,
  DeliveryState,
  EventName,
  NewEvent,
  Note,
  Outbox,
} from '@rollcall/core';
import { insertEntries } from './audit-trail.js';
import { type Database, type Engine, momentOrNull, only, type Sql, type SqlValue } from './database.js';
import { countOutcome } from './webhooks.js';

/** Writes an event in the transaction of what it tells. */
export async function insertEvent(sql: Sql, event: NewEvent): Promise<void> {
  await sql.run(
    `INSERT INTO deliveries (organization_id, event_id, event_name, body, created_at)
    VALUES (?, ?, ?, ?, ?)`,
    [event.organizationId, event.id, event.name, event.body, event.createdAt],
  );
}

interface ClaimedRow {
  readonly id: number;
  readonly organization_id: number;
  readonly event_id: string;
  readonly event_name: EventName;
  readonly body: string;
  readonly is_test: number | boolean;
}

/**
 * `waiting` hops over the index from organization to organization, and `chosen` from delivery to delivery of
 * each, no further than it may claim: a backlog is never counted or sorted.
 */
const chosen = `
  WITH RECURSIVE
    waiting (organization_id) AS (
      SELECT min(organization_id) FROM deliveries WHERE state = 'pending'
      UNION ALL
      SELECT (
        SELECT min(organization_id) FROM deliveries
        WHERE state = 'pending' AND organization_id > waiting.organization_id
      )
      FROM waiting WHERE organization_id IS NOT NULL
    ),
    free (organization_id, slots) AS (
      SELECT organization_id, ? - (
        SELECT count(*) FROM deliveries
        WHERE state = 'sending' AND organization_id = waiting.organization_id
      )
      FROM waiting WHERE organization_id IS NOT NULL
    ),
    chosen (organization_id, id, slots) AS (
      SELECT organization_id, (
        SELECT min(id) FROM deliveries WHERE state = 'pending' AND organization_id = free.organization_id
      ), slots
      FROM free WHERE slots > 0
      UNION ALL
      SELECT organization_id, (
        SELECT min(id) FROM deliveries
        WHERE state = 'pending' AND organization_id = chosen.organization_id AND id > chosen.id
      ), slots - 1
      FROM chosen WHERE slots > 1 AND id IS NOT NULL
    )`;

const claimOnSqlite = `${chosen}
  UPDATE deliveries SET state = 'sending', claim = ?, claimed_at = ?, claims = claims + 1
  WHERE id IN (SELECT id FROM chosen WHERE id IS NOT NULL ORDER BY id LIMIT ?)
  RETURNING id, organization_id, event_id, event_name, body, is_test`;

/** Without MATERIALIZED the inner select could run once a row, and take more than its limit. */
const claimOnPostgres = `${chosen},
    locked AS MATERIALIZED (
      SELECT id FROM deliveries
      WHERE state = 'pending' AND id IN (SELECT id FROM chosen WHERE id IS NOT NULL ORDER BY id LIMIT ?)
      FOR UPDATE SKIP LOCKED
    )
  UPDATE deliveries SET state = 'sending', claim = ?, claimed_at = ?, claims = claims + 1
  FROM locked WHERE deliveries.id = locked.id
  RETURNING deliveries.id, organization_id, event_id, event_name, body, is_test`;

const CLAIM_LOCK = 0x526f6c6d;

/** PostgreSQL only, till the end of the transaction: else two instances would each count the same free places. */
async function oneAtATime(sql: Sql): Promise<void> {
  await sql.run(`SELECT pg_advisory_xact_lock(${CLAIM_LOCK}, 0)`);
}

async function claimOn(
  { engine, sql }: { readonly engine: Engine; readonly sql: Sql },
  { limit, perOrganization, claim, at }: Parameters<Outbox['claim']>[0],
): Promise<readonly ClaimedRow[]> {
  if (engine === 'sqlite') {
    const claimed = await sql.all<ClaimedRow>(claimOnSqlite, [perOrganization, claim, at, limit]);
    // Compared with a number outside of the file: see `Deployment`.
    if (claimed.length > 0) await sql.run('UPDATE deployment SET claims = claims + 1');
    return claimed;
  }
  await oneAtATime(sql);
  return sql.all(claimOnPostgres, [perOrganization, limit, claim, at]);
}

export function sqlOutbox({ engine, read, write }: Database): Outbox {
  return {
    async claim(request) {
      // The order is that of the index: without it PostgreSQL may look through the whole table for the first one.
      const pending = await read.get(
        `SELECT 1 FROM deliveries WHERE state = 'pending' ORDER BY organization_id, id LIMIT 1`,
      );
      if (pending === undefined || request.limit < 1) return [];
      const rows = await write((sql) => claimOn({ engine, sql }, request));
      return [...rows].sort((one, other) => one.id - other.id).map((row) => toClaimed(row, request.claim));
    },

    startTest: (request, note) =>
      write(async (sql) => {
        if (engine === 'postgres') await oneAtATime(sql);
        const started = await startTest(sql, request);
        if (started !== null) await insertEntries(sql, note?.(started));
        return started;
      }),

    finish: ({ deliveryId, claim, state, attempt, at }) =>
      write(async (sql) => {
        const [finished] = await sql.all<{ organization_id: number; is_test: number | boolean }>(
          `UPDATE deliveries SET state = ?, finished_at = ?, claim = NULL, claimed_at = NULL
          WHERE id = ? AND claim = ? AND state = 'sending'
          RETURNING organization_id, is_test`,
          [state, at, deliveryId, claim],
        );
        if (finished === undefined) return false;
        if (attempt !== null) await insertAttempt(sql, deliveryId, attempt);
        if (state !== 'skipped' && !finished.is_test)
          await countOutcome(sql, { organizationId: finished.organization_id, state, at });
        return true;
      }),

    async sweep({ claimedBefore, maxClaims, at }) {
      const stale = await read.get(
        `SELECT 1 FROM deliveries WHERE state = 'sending' AND claimed_at < ? ORDER BY organization_id, claimed_at LIMIT 1`,
        [claimedBefore],
      );
      if (stale === undefined) return { again: 0, failed: 0 };
      return write(async (sql) => {
        if (engine === 'postgres') await holdClaims(sql, claimedBefore);
        return sweep(sql, [claimedBefore], maxClaims, at);
      });
    },

    hold: () => write(holdWaiting),
  };
}

/**
 * A held delivery is stored as one that has failed and has no end, as no other has: a release that does not know of
 * held ones takes it for failed, and does not send it by itself (decision 136).
 */
const isHeld = `state = 'failed' AND finished_at IS NULL`;

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

/** A longer backlog is not counted to its end: whoever looks at it must not slow it down. */
const MOST_COUNTED = 100_000;

/** Counts in the indexes alone; the oldest is sought among the first of each organization. */
const backlog = `
  WITH RECURSIVE waiting (organization_id) AS (
    SELECT min(organization_id) FROM deliveries WHERE state = 'pending'
    UNION ALL
    SELECT (
      SELECT min(organization_id) FROM deliveries
      WHERE state = 'pending' AND organization_id > waiting.organization_id
    )
    FROM waiting WHERE organization_id IS NOT NULL
  )
  SELECT
    (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE state = 'pending' LIMIT ${MOST_COUNTED}) AS counted) AS pending,
    (SELECT count(*) FROM deliveries WHERE state = 'sending') AS sending,
    (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE ${isHeld} LIMIT ${MOST_COUNTED}) AS counted) AS held,
    (
      SELECT min(created_at) FROM deliveries WHERE id IN (
        SELECT (
          SELECT min(id) FROM deliveries WHERE state = 'pending' AND organization_id = waiting.organization_id
        )
        FROM waiting
      )
    ) AS oldest`;

export async function outboxBacklog({ read }: Pick<Database, 'read'>): Promise<Backlog> {
  const rows = await read.all<{ pending: number; sending: number; held: number; oldest: string | null }>(
    backlog,
  );
  const { pending, sending, held, oldest } = only(rows);
  return { pending, sending, held, oldestPending: momentOrNull(oldest) };
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
    VALUES (?, ?, ?, ?, ?, ?, 'sending', ?, ?, 1)
    RETURNING id, organization_id, event_id, event_name, body, is_test`,
    [organizationId, id, name, body, createdAt, true, claim, at],
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

/** Nobody else sweeps meanwhile, and nobody finishes what is swept. */
async function holdClaims(sql: Sql, claimedBefore: Date): Promise<void> {
  await oneAtATime(sql);
  await sql.run(
    `SELECT 1 FROM deliveries WHERE state = 'sending' AND claimed_at < ? ORDER BY id FOR UPDATE`,
    [claimedBefore],
  );
}

async function sweep(
  sql: Sql,
  before: readonly SqlValue[],
  maxClaims: number,
  at: Date,
): Promise<{ again: number; failed: number }> {
  await sql.run(
    `INSERT INTO attempts (delivery_id, number, started_at, outcome, reason)
    SELECT id,
      (SELECT coalesce(max(number), 0) + 1 FROM attempts WHERE delivery_id = deliveries.id),
      claimed_at, 'interrupted', 'cut off before an outcome was known'
    FROM deliveries WHERE state = 'sending' AND claimed_at < ?`,
    before,
  );
  const failed = await sql.run(
    `UPDATE deliveries SET state = 'failed', finished_at = ?, claim = NULL, claimed_at = NULL
    WHERE state = 'sending' AND claimed_at < ? AND claims >= ?`,
    [at, ...before, maxClaims],
  );
  const again = await sql.run(
    `UPDATE deliveries SET state = 'pending', claim = NULL, claimed_at = NULL
    WHERE state = 'sending' AND claimed_at < ?`,
    before,
  );
  return { again: again.changes, failed: failed.changes };
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

export function sqlDeliveries({ read, write }: Database): Deliveries {
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
      const rows = await read.all<DeliveryRow>(
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

    redeliver: ({ organizationId, deliveryId }, note) =>
      write(async (sql) => {
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
            note?.({ organizationId: again.organization_id, eventId: again.event_id }),
          );
        return found !== undefined;
      }),

    async count(selection) {
      const { conditions, values } = selected(selection);
      const rows = await read.all<{ found: number }>(
        `SELECT count(*) AS found FROM deliveries WHERE ${conditions}`,
        values,
      );
      return only(rows).found;
    },

    redeliverMatching: (selection, note) =>
      write((sql) => changeAll(sql, { selection, change: pendingAgain, values: [], note })),

    dropHeld: ({ at, ...request }, note) =>
      write((sql) =>
        changeAll(sql, {
          selection: { ...request, states: ['held'] },
          change: `state = 'skipped', finished_at = ?, is_dropped = true`,
          values: [at],
          note,
        }),
      ),
  };
}

const pendingAgain = `state = 'pending', finished_at = NULL, claims = 0, is_dropped = false`;

async function changeAll(
  sql: Sql,
  {
    selection,
    change,
    values: changed,
    note,
  }: {
    readonly selection: DeliverySelection;
    readonly change: string;
    readonly values: readonly SqlValue[];
    readonly note: Note<{ readonly organizationId: number; readonly count: number }> | undefined;
  },
): Promise<number> {
  const { conditions, values } = selected(selection);
  const rows = await sql.all<{ organization_id: number }>(
    `UPDATE deliveries SET ${change} WHERE ${conditions} RETURNING organization_id`,
    [...changed, ...values],
  );
  const counts = new Map<number, number>();
  for (const { organization_id: id } of rows) counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const [id, count] of counts) await insertEntries(sql, note?.({ organizationId: id, count }));
  return rows.length;
}

type Conditions = ReturnType<typeof conditionsOf>;

/** Always since some time: each state has an index by time, or the table has. */
function selected({
  organizationId,
  states: wanted,
  since = new Date(0),
  until,
  ...last
}: DeliverySelection): Conditions {
  const { conditions, values } = conditionsOf({ organizationId, since, until, isTest: false });
  const inStates = wanted.map((state) => `(${states[state]})`).join(' OR ') || 'false';
  const attempt = lastAttempt(last);
  return {
    conditions: `(${inStates}) AND ${conditions}${attempt.conditions}`,
    values: [...values, ...attempt.values],
  };
}

/** Asks for the last attempt only where something is asked of it. */
function lastAttempt({
  phase,
  status,
  reason,
}: Pick<DeliverySelection, 'phase' | 'status' | 'reason'>): Conditions {
  const part = reason === undefined ? undefined : `%${reason.replace(/[\\%_]/g, '\\$&')}%`;
  const like = (column: string): string => `lower(${column}) LIKE lower(CAST(? AS text)) ESCAPE '\\'`;
  const asked: readonly (readonly [condition: string, ...values: readonly SqlValue[]])[] = [
    ...(phase === undefined ? [] : [['phase = ?', phase] as const]),
    ...(status === undefined ? [] : [['status = ?', status] as const]),
    ...(part === undefined ? [] : [[`(${like('outcome')} OR ${like('reason')})`, part, part] as const]),
  ];
  if (asked.length === 0) return { conditions: '', values: [] };
  return {
    conditions: ` AND EXISTS (
      SELECT 1 FROM attempts
      WHERE delivery_id = deliveries.id AND ${asked.map(([condition]) => condition).join(' AND ')}
        AND number = (SELECT max(number) FROM attempts AS others WHERE others.delivery_id = deliveries.id)
    )`,
    values: asked.flatMap(([, ...values]) => values),
  };
}

const states: Record<DeliveryState, string> = {
  pending: `state = 'pending'`,
  sending: `state = 'sending'`,
  delivered: `state = 'delivered'`,
  failed: `state = 'failed' AND finished_at IS NOT NULL`,
  skipped: `state = 'skipped'`,
  held: isHeld,
};

/** What is not given is no condition. State and kind are part of the text: else SQLite takes no index that is for one of them. */
function conditionsOf({
  organizationId,
  state,
  since,
  until,
  eventId,
  isTest,
  olderThan,
}: Omit<Parameters<Deliveries['list']>[0], 'limit'>): {
  readonly conditions: string;
  readonly values: readonly SqlValue[];
} {
  const conditions = ['true'];
  const values: SqlValue[] = [];
  const add = (condition: string, ...own: readonly SqlValue[]): void => {
    conditions.push(condition);
    values.push(...own);
  };
  if (state !== undefined) add(states[state]);
  if (organizationId !== null) add('organization_id = ?', organizationId);
  if (since !== undefined) add('created_at >= ?', since);
  if (until !== undefined) add('created_at < ?', until);
  if (eventId !== undefined) add('event_id = ?', eventId);
  if (isTest !== undefined) add(isTest ? 'is_test' : 'NOT is_test');
  if (olderThan !== undefined) add('(created_at, id) < (?, ?)', olderThan.createdAt, olderThan.id);
  return { conditions: conditions.join(' AND '), values };
}

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
    finishedAt: momentOrNull(row.finished_at),
    isDropped: Boolean(row.is_dropped),
    attempts,
  };
}

function toAttempt({ started_at, duration, outcome, phase, status, reason }: DeliveryRow): Attempt | null {
  if (started_at === null || outcome === null || reason === null) return null;
  return { startedAt: new Date(started_at), duration, outcome, phase, status, reason };
}
