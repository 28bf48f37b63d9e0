import type {
  Attempt,
  AttemptOutcome,
  AttemptPhase,
  Deliveries,
  Delivery,
  DeliveryState,
  EventName,
  RecordedAttempt,
  RecordedDelivery,
} from '@rollcall/core';
import { maxRecordedAttempts } from '@rollcall/core/adapters';
import { allOf, type Condition, raw, SQL, type SqlText } from '../engine/sql-text.js';
import { countOf, select, selectOne } from '../engine/statements.js';
import { oneOf, type StoredRow, storedIn } from '../engine/stored.js';
import { conditionsOf, selected } from '../outbox/delivery-conditions.js';
import { changeMatching } from '../outbox/matching-deliveries.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { writeJournal } from './journal.js';
import { summarizeDeliveries } from './summarize-deliveries.js';
import { foundMember } from './text-search.js';

const delivery = storedIn('deliveries', {
  ...{ id: 'whole', organizationId: 'whole', eventId: 'text', eventName: oneOf<EventName>(), isTest: 'flag' },
  ...{ state: oneOf<Exclude<DeliveryState, 'held'>>(), createdAt: 'time', finishedAt: 'timeOrNull' },
  isDropped: 'flag',
});

const attempt = storedIn('attempts', {
  ...{ startedAt: 'timeOrNull', duration: 'wholeOrNull', outcome: oneOf<AttemptOutcome | null>() },
  ...{ phase: oneOf<AttemptPhase | null>(), status: 'wholeOrNull', reason: 'textOrNull' },
});

/** One row for each attempt. A delivery without attempts has one row with nulls. */
const columns = `${delivery.columns}, ${attempt.columns}`;

interface DeliveryRow extends StoredRow {
  readonly id: number;
  /** Read from the first row of each delivery. May be null in the others. */
  readonly body: string;
}

export interface RecordedRow extends DeliveryRow {
  /** JSON. */
  readonly request: string | null;
  readonly response: string | null;
}

const redelivered = storedIn('deliveries', {
  ...{ organizationId: 'whole', eventId: 'text', isTest: 'flag', userId: 'wholeOrNull', isErased: 'flag' },
});

/** The columns of a `RecordedRow`, of the tables `deliveries` and `attempts`. */
export const recordedColumns = `${columns}, deliveries.body, attempts.request, attempts.response`;

export function sqlDeliveries(database: StorageDatabase): Deliveries {
  const { engine, readAside, write } = database;
  /** Looks at one delivery after the other, the newest first, and never at all members, as a join of PostgreSQL would. */
  const ofPerson = (words: readonly string[]): Condition => {
    const isAbout = SQL`memberships.organization_id = deliveries.organization_id
      AND users.id = deliveries.user_id`;
    return SQL`(SELECT count(*) FROM memberships JOIN users ON users.id = memberships.user_id
      WHERE ${allOf(isAbout, foundMember(engine, words))}) > 0`;
  };
  return {
    async find({ organizationId, deliveryId, onlyLastAttempt = false }) {
      const aside = readAside(organizationId ?? 0);
      const rows = await select<RecordedRow & { readonly number: number | null }>(aside)`
        SELECT ${raw(columns)}, attempts.number, attempts.request, attempts.response,
          CASE WHEN row_number() OVER (ORDER BY attempts.number) = 1 THEN deliveries.body END AS body
        FROM deliveries LEFT JOIN attempts ON attempts.delivery_id = deliveries.id AND attempts.number >
          (SELECT max(number) FROM attempts WHERE delivery_id = ${deliveryId})
            - ${onlyLastAttempt ? 1 : maxRecordedAttempts}
        WHERE ${organizationId === null ? raw('true') : SQL`deliveries.organization_id = ${organizationId}`}
          AND deliveries.id = ${deliveryId}
        ORDER BY attempts.number`;
      const [found] = toRecordedDeliveries(rows);
      return found === undefined ? null : { ...found, attemptCount: rows.at(-1)?.number ?? 0 };
    },

    async list({ limit, personWords = [], ...query }) {
      const found = allOf(conditionsOf(query), personWords.length > 0 && ofPerson(personWords));
      const rows = await select<DeliveryRow>(readAside(query.organizationId ?? 0))`
        SELECT ${raw(columns)}, CASE WHEN coalesce(attempts.number, 1) = 1 THEN deliveries.body END AS body
        FROM (
          SELECT * FROM deliveries WHERE ${found} ORDER BY created_at DESC, id DESC LIMIT ${limit}
        ) AS deliveries
        LEFT JOIN attempts ON attempts.delivery_id = deliveries.id
        ORDER BY deliveries.created_at DESC, deliveries.id DESC, attempts.number`;
      return toDeliveries(rows, toAttempt);
    },

    redeliver: (key, journal) =>
      write(async (sql) => {
        const isIt = SQL`${conditionsOf({ organizationId: key.organizationId })} AND id = ${key.deliveryId}`;
        const again = await redelivered.changed(sql)`UPDATE deliveries SET ${pendingAgain}
          WHERE ${isIt} AND state IN ('delivered', 'failed', 'skipped') AND NOT is_erased`;
        const isChanged = again !== null;
        const found = again ?? (await redelivered.first(sql)`FROM deliveries WHERE ${isIt}`);
        if (found === null || found.isErased) return found === null ? false : 'erased';
        const { isErased, ...delivery } = found;
        const { organizationId } = delivery;
        await writeJournal(sql, journal?.({ ...delivery, isChanged }));
        if (isChanged) sql.waits(organizationId, key.deliveryId);
        return true;
      }),

    count(selection) {
      return countOf(readAside(selection.organizationId ?? 0))`FROM deliveries WHERE ${selected(selection)}`;
    },

    redeliverMatching: (selection, journal) =>
      changeMatching(database, { selection, change: pendingAgain, waits: true, journal }),

    drop: ({ at, ...selection }, journal) =>
      changeMatching(database, {
        selection,
        change: SQL`state = 'skipped', finished_at = ${at}, is_dropped = true`,
        journal,
      }),

    summarize: summarizeDeliveries(database),

    async neighbors({ organizationId, deliveryId }) {
      const beside = (comparison: SqlText, direction: SqlText) => SQL`(
        SELECT id FROM deliveries
        WHERE organization_id = ${organizationId}
          AND (created_at, id) ${comparison} (shown.created_at, shown.id)
        ORDER BY created_at ${direction}, id ${direction} LIMIT 1
      )`;
      const found = await selectOne<Readonly<Record<'newer' | 'older', number | null>>>(
        readAside(organizationId),
      )`
        SELECT ${beside(raw('>'), raw('ASC'))} AS newer, ${beside(raw('<'), raw('DESC'))} AS older
        FROM deliveries AS shown WHERE organization_id = ${organizationId} AND id = ${deliveryId}`;
      return found ?? { newer: null, older: null };
    },
  };
}

const pendingAgain = SQL`state = 'pending', finished_at = NULL, claims = 0, is_dropped = false`;

export function toRecordedDeliveries(rows: readonly RecordedRow[]): readonly RecordedDelivery[] {
  return toDeliveries(rows, toRecordedAttempt);
}

/** `toAttempt` returns null for a delivery without attempts. */
function toDeliveries<Row extends DeliveryRow, Read extends Attempt>(
  rows: readonly Row[],
  toAttempt: (row: Row) => Read | null,
): readonly (Delivery & { readonly attempts: readonly Read[] })[] {
  const attempts = new Map<number, Read[]>();
  const deliveries: (Delivery & { readonly attempts: readonly Read[] })[] = [];
  for (const row of rows) {
    let own = attempts.get(row.id);
    if (own === undefined) {
      own = [];
      attempts.set(row.id, own);
      deliveries.push({ ...toDelivery(row), attempts: own });
    }
    const made = toAttempt(row);
    if (made !== null) own.push(made);
  }
  return deliveries;
}

function toDelivery(row: DeliveryRow): Omit<Delivery, 'attempts'> {
  const { state, ...rest } = delivery.read(row);
  const isHeld = state === 'failed' && rest.finishedAt === null;
  return { ...rest, body: row.body, state: isHeld ? 'held' : state };
}

function toAttempt(row: StoredRow): Attempt | null {
  const { startedAt, outcome, reason, ...rest } = attempt.read(row);
  return startedAt === null || outcome === null || reason === null
    ? null
    : { startedAt, outcome, reason, ...rest };
}

function toRecordedAttempt(row: RecordedRow): RecordedAttempt | null {
  const made = toAttempt(row);
  if (made === null) return null;
  const { request, response } = row;
  return {
    ...made,
    request: request === null ? null : JSON.parse(request),
    response: response === null ? null : JSON.parse(response),
  };
}
