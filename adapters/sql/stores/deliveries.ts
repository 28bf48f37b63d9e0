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
import { countOf } from '../engine/database.js';
import { allOf, type Condition } from '../engine/sql-text.js';
import {
  flag,
  oneOf,
  type StoredRow,
  storedIn,
  text,
  textOrNull,
  time,
  timeOrNull,
  whole,
  wholeOrNull,
} from '../engine/stored.js';
import { conditionsOf, selected } from '../outbox/delivery-conditions.js';
import { changeMatching } from '../outbox/matching-deliveries.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { writeJournal } from './journal.js';
import { foundMember } from './people-search.js';
import { summarizeDeliveries } from './summarize-deliveries.js';

const delivery = storedIn('deliveries', {
  ...{ id: whole, organizationId: whole, eventId: text, eventName: oneOf<EventName>(), isTest: flag },
  ...{ state: oneOf<Exclude<DeliveryState, 'held'>>(), createdAt: time, finishedAt: timeOrNull },
  isDropped: flag,
});

const attempt = storedIn('attempts', {
  ...{ startedAt: timeOrNull, duration: wholeOrNull, outcome: oneOf<AttemptOutcome | null>() },
  ...{ phase: oneOf<AttemptPhase | null>(), status: wholeOrNull, reason: textOrNull },
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

interface Neighbors {
  readonly newer: number | null;
  readonly older: number | null;
}

interface RedeliveredRow {
  readonly organization_id: number;
  readonly event_id: string;
  readonly is_test: number | boolean;
  readonly user_id: number | null;
  readonly is_erased: number | boolean;
}

/** The columns of a `RecordedRow`, of the tables `deliveries` and `attempts`. */
export const recordedColumns = `${columns}, deliveries.body, attempts.request, attempts.response`;

export function sqlDeliveries(database: StorageDatabase): Deliveries {
  const { engine, readAside, write } = database;
  /** Looks at one delivery after the other, the newest first, and never at all members, as a join of PostgreSQL would. */
  const ofPerson = (words: readonly string[]): Condition => {
    const member = allOf(
      ['memberships.organization_id = deliveries.organization_id AND users.id = deliveries.user_id'],
      foundMember(engine, words),
    );
    return [
      `(SELECT count(*) FROM memberships JOIN users ON users.id = memberships.user_id WHERE ${member.text}) > 0`,
      ...member.values,
    ];
  };
  return {
    async find({ organizationId, deliveryId, onlyLastAttempt = false }) {
      const isOfIt = organizationId === null ? 'true' : 'deliveries.organization_id = ?';
      const ofIt = organizationId === null ? [] : [organizationId];
      const rows = await readAside(organizationId ?? 0).all<RecordedRow & { readonly number: number | null }>(
        `SELECT ${columns}, attempts.number, attempts.request, attempts.response,
          CASE WHEN row_number() OVER (ORDER BY attempts.number) = 1 THEN deliveries.body END AS body
        FROM deliveries LEFT JOIN attempts ON attempts.delivery_id = deliveries.id AND attempts.number >
          (SELECT max(number) FROM attempts WHERE delivery_id = ?) - ?
        WHERE ${isOfIt} AND deliveries.id = ?
        ORDER BY attempts.number`,
        [deliveryId, onlyLastAttempt ? 1 : maxRecordedAttempts, ...ofIt, deliveryId],
      );
      const [found] = toRecordedDeliveries(rows);
      return found === undefined ? null : { ...found, attemptCount: rows.at(-1)?.number ?? 0 };
    },

    async list({ limit, personWords = [], ...query }) {
      const own = conditionsOf(query);
      const { text: conditions, values } = allOf(
        [own.text, ...own.values],
        personWords.length > 0 && ofPerson(personWords),
      );
      const rows = await readAside(query.organizationId ?? 0).all<DeliveryRow>(
        `SELECT ${columns}, CASE WHEN coalesce(attempts.number, 1) = 1 THEN deliveries.body END AS body
        FROM (
          SELECT * FROM deliveries WHERE ${conditions} ORDER BY created_at DESC, id DESC LIMIT ?
        ) AS deliveries
        LEFT JOIN attempts ON attempts.delivery_id = deliveries.id
        ORDER BY deliveries.created_at DESC, deliveries.id DESC, attempts.number`,
        [...values, limit],
      );
      return toDeliveries(rows, toAttempt);
    },

    redeliver: (key, journal) =>
      write(async (sql) => {
        const { text: conditions, values } = conditionsOf({ organizationId: key.organizationId });
        const [again] = await sql.all<RedeliveredRow>(
          `UPDATE deliveries SET ${pendingAgain}
          WHERE ${conditions} AND id = ? AND state IN ('delivered', 'failed', 'skipped') AND NOT is_erased
          RETURNING organization_id, event_id, is_test, user_id, is_erased`,
          [...values, key.deliveryId],
        );
        const isChanged = again !== undefined;
        const found =
          again ??
          (await sql.get<RedeliveredRow>(
            `SELECT organization_id, event_id, is_test, user_id, is_erased FROM deliveries WHERE ${conditions} AND id = ?`,
            [...values, key.deliveryId],
          ));
        if (found === undefined || found.is_erased) return found === undefined ? false : 'erased';
        const { organization_id: organizationId, event_id: eventId, user_id: userId } = found;
        const isTest = Boolean(found.is_test);
        await writeJournal(sql, journal?.({ organizationId, eventId, isTest, userId, isChanged }));
        if (isChanged) sql.waits(organizationId, key.deliveryId);
        return true;
      }),

    count(selection) {
      const { text: conditions, values } = selected(selection);
      const aside = readAside(selection.organizationId ?? 0);
      return countOf(aside, `FROM deliveries WHERE ${conditions}`, values);
    },

    redeliverMatching: (selection, journal) =>
      changeMatching(database, { selection, change: pendingAgain, waits: true, journal }),

    drop: ({ at, ...selection }, journal) =>
      changeMatching(database, {
        selection,
        change: `state = 'skipped', finished_at = ?, is_dropped = true`,
        values: [at],
        journal,
      }),

    summarize: summarizeDeliveries(database),

    async neighbors({ organizationId, deliveryId }) {
      const beside = (comparison: string, direction: string) => `(
        SELECT id FROM deliveries
        WHERE organization_id = ? AND (created_at, id) ${comparison} (shown.created_at, shown.id)
        ORDER BY created_at ${direction}, id ${direction} LIMIT 1
      )`;
      const found = await readAside(organizationId).get<Neighbors>(
        `SELECT ${beside('>', 'ASC')} AS newer, ${beside('<', 'DESC')} AS older
        FROM deliveries AS shown WHERE organization_id = ? AND id = ?`,
        [organizationId, organizationId, organizationId, deliveryId],
      );
      return found ?? { newer: null, older: null };
    },
  };
}

const pendingAgain = `state = 'pending', finished_at = NULL, claims = 0, is_dropped = false`;

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
