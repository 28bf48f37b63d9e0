import type { Deliveries, DeliveryHour, DeliverySummary } from '@rollcall/core';
import type { Database } from '../engine/database.js';
import { raw, SQL } from '../engine/sql-text.js';
import { select, selectOnly } from '../engine/statements.js';
import { conditionsOf } from '../outbox/delivery-conditions.js';

interface CountRow extends Omit<DeliverySummary, 'hours' | 'hasOlder'> {
  /** How many of the newest there are, with one more if there are older ones. */
  readonly listed: number;
}

interface HourRow extends Omit<DeliveryHour, 'from'> {
  /** Such as `2026-11-20T18`. */
  readonly hour: string;
}

/** Each state that is rare has an index of its own. The others are counted among the newest. */
export function summarizeDeliveries({ engine, readAside }: Database): Deliveries['summarize'] {
  const hour = raw(
    engine === 'postgres'
      ? `to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24')`
      : 'substr(created_at, 1, 13)',
  );
  return async ({ organizationId, newest, since }) => {
    const sql = readAside(organizationId);
    const count = (of: { state: 'pending' | 'failed' | 'held' } | { isTest: true }) =>
      SQL`(SELECT count(*) FROM deliveries WHERE ${conditionsOf({ organizationId, ...of })})`;
    const { listed, ...rest } = await selectOnly<CountRow>(sql)`WITH newest AS (
        SELECT state, row_number() OVER (ORDER BY created_at DESC, id DESC) <= ${newest} AS is_counted
        FROM deliveries
        WHERE organization_id = ${organizationId} ORDER BY created_at DESC, id DESC LIMIT ${newest + 1}
      )
      SELECT ${count({ state: 'pending' })} AS pending, ${count({ state: 'failed' })} AS failed,
        ${count({ state: 'held' })} AS held, ${count({ isTest: true })} AS tests,
        count(CASE WHEN is_counted AND state = 'delivered' THEN 1 END) AS delivered,
        count(CASE WHEN is_counted AND state = 'skipped' THEN 1 END) AS skipped,
        count(*) AS listed
      FROM newest`;
    const hours = await select<HourRow>(sql)`
      SELECT ${hour} AS hour, count(CASE WHEN state = 'delivered' THEN 1 END) AS delivered,
        count(CASE WHEN state = 'failed' THEN 1 END) AS failed
      FROM (
        SELECT created_at, state, finished_at, is_test FROM deliveries
        WHERE organization_id = ${organizationId} ORDER BY created_at DESC, id DESC LIMIT ${newest}
      ) AS newest
      WHERE created_at >= ${since} AND NOT is_test
        AND (state = 'delivered' OR (state = 'failed' AND finished_at IS NOT NULL))
      GROUP BY ${hour} ORDER BY ${hour}`;
    return {
      ...rest,
      hasOlder: listed > newest,
      hours: hours.map(({ hour: from, ...ended }) => ({ from: new Date(`${from}:00:00Z`), ...ended })),
    };
  };
}
