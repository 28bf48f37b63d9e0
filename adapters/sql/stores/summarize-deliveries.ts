import type { Deliveries, DeliveryHour, DeliverySummary } from '@rollcall/core';
import { type Database, only } from '../engine/database.js';
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
  const hour =
    engine === 'postgres'
      ? `to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24')`
      : 'substr(created_at, 1, 13)';
  return async ({ organizationId, newest, since }) => {
    const sql = readAside(organizationId);
    const inState = (state: 'pending' | 'failed' | 'held') => conditionsOf({ organizationId, state });
    const counted = [
      ...[inState('pending'), inState('failed'), inState('held')],
      conditionsOf({ organizationId, isTest: true }),
    ];
    const [pending, failed, held, tests] = counted.map(
      ({ text }) => `(SELECT count(*) FROM deliveries WHERE ${text})`,
    );
    const counts = only(
      await sql.all<CountRow>(
        `WITH newest AS (
          SELECT state, row_number() OVER (ORDER BY created_at DESC, id DESC) <= ? AS is_counted FROM deliveries
          WHERE organization_id = ? ORDER BY created_at DESC, id DESC LIMIT ?
        )
        SELECT ${pending} AS pending, ${failed} AS failed, ${held} AS held, ${tests} AS tests,
          count(CASE WHEN is_counted AND state = 'delivered' THEN 1 END) AS delivered,
          count(CASE WHEN is_counted AND state = 'skipped' THEN 1 END) AS skipped,
          count(*) AS listed
        FROM newest`,
        [newest, organizationId, newest + 1, ...counted.flatMap(({ values }) => values)],
      ),
    );
    const hours = await sql.all<HourRow>(
      `SELECT ${hour} AS hour, count(CASE WHEN state = 'delivered' THEN 1 END) AS delivered,
        count(CASE WHEN state = 'failed' THEN 1 END) AS failed
      FROM (
        SELECT created_at, state, finished_at, is_test FROM deliveries
        WHERE organization_id = ? ORDER BY created_at DESC, id DESC LIMIT ?
      ) AS newest
      WHERE created_at >= ? AND NOT is_test
        AND (state = 'delivered' OR (state = 'failed' AND finished_at IS NOT NULL))
      GROUP BY ${hour} ORDER BY ${hour}`,
      [organizationId, newest, since],
    );
    const { listed, ...rest } = counts;
    return {
      ...rest,
      hasOlder: listed > newest,
      hours: hours.map(({ hour: from, ...ended }) => ({ from: new Date(`${from}:00:00Z`), ...ended })),
    };
  };
}
