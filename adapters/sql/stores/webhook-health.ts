/**
 * The health of a webhook: the columns of its row, and the outcomes that these do not count yet. A finished delivery
 * adds an outcome and seldom changes the row of the webhook. On PostgreSQL, writers of one row wait for each other, and
 * while an old transaction is open, every version of the row is kept and readers must skip it.
 */
import type { WebhookHealth } from '@rollcall/core';
import { type Sql, timestampOrNull } from '../engine/database.js';

/** The health, and the number of failures at which the last notice was given. */
export interface CountedHealth extends WebhookHealth {
  readonly noticed: number;
}

export const noHealth: CountedHealth = {
  failuresInRow: 0,
  failingSince: null,
  lastDeliveredAt: null,
  noticed: 0,
};

interface HealthRow {
  readonly failures: number;
  readonly failing_since: string | null;
  readonly delivered_at: string | null;
  readonly noticed: number;
  readonly counted_outcome: number;
}

interface OutcomeRow {
  readonly id: number;
  readonly state: 'delivered' | 'failed';
  readonly finished_at: string;
}

const healthColumns = 'failures, failing_since, delivered_at, noticed, counted_outcome';

/**
 * Outcomes are deleted when they are counted, and this keeps readers from the deleted ones, which PostgreSQL removes
 * later. It leaves room for an outcome whose transaction ends after that of a later one was counted.
 */
const isUncounted = `outcomes.organization_id = webhooks.organization_id
  AND outcomes.id > webhooks.counted_outcome - 10000`;

function toHealth({ failures, failing_since, delivered_at, noticed }: HealthRow): CountedHealth {
  return {
    failuresInRow: failures,
    failingSince: timestampOrNull(failing_since),
    lastDeliveredAt: timestampOrNull(delivered_at),
    noticed,
  };
}

/** The database returns the outcomes in any order. */
function afterOutcomes(webhook: HealthRow, outcomes: readonly OutcomeRow[]): CountedHealth {
  return [...outcomes].sort((one, other) => one.id - other.id).reduce(afterOutcome, toHealth(webhook));
}

function afterOutcome(health: CountedHealth, { state, finished_at }: OutcomeRow): CountedHealth {
  const at = new Date(finished_at);
  if (state === 'delivered') return { ...noHealth, lastDeliveredAt: at };
  return {
    ...health,
    failuresInRow: health.failuresInRow + 1,
    failingSince: health.failingSince ?? at,
  };
}

/** Null: the organization has no webhook. */
export async function readHealth(
  sql: Sql,
  organizationId: number,
): Promise<{ readonly health: CountedHealth; readonly uncounted: number } | null> {
  const rows = await sql.all<HealthRow & (OutcomeRow | { readonly id: null })>(
    `SELECT ${healthColumns}, outcomes.id, outcomes.state, outcomes.finished_at
    FROM webhooks LEFT JOIN webhook_outcomes AS outcomes ON ${isUncounted}
    WHERE webhooks.organization_id = ?`,
    [organizationId],
  );
  const [webhook] = rows;
  if (webhook === undefined) return null;
  const outcomes = rows.flatMap((row) => (row.id === null ? [] : [row]));
  return { health: afterOutcomes(webhook, outcomes), uncounted: outcomes.length };
}

/** Of several successes within this time, only the first is written. */
const SAME_SUCCESS_MS = 10_000;

/**
 * Records the outcome of a delivery, in the transaction that stores it. Waits for no other delivery. True: it has ended
 * failures that were reported.
 */
export async function recordOutcome(
  sql: Sql,
  {
    organizationId,
    state,
    at,
  }: {
    readonly organizationId: number;
    readonly state: 'delivered' | 'failed';
    readonly at: Date;
  },
): Promise<boolean> {
  const add = `INSERT INTO webhook_outcomes (organization_id, state, finished_at)
    SELECT organization_id, '${state}', ? FROM webhooks WHERE organization_id = ?`;
  if (state === 'failed') {
    await sql.run(add, [at, organizationId]);
    return false;
  }
  const { changes } = await sql.run(
    `${add} AND (failures > 0 OR noticed > 0 OR delivered_at IS NULL OR delivered_at < ? OR delivered_at > ?
      OR EXISTS (SELECT 1 FROM webhook_outcomes AS outcomes WHERE ${isUncounted}))`,
    [at, organizationId, new Date(at.getTime() - SAME_SUCCESS_MS), at],
  );
  if (changes === 0) return false;
  const counted = await countOutcomes(sql, { organizationId, waits: false });
  return counted !== null && counted.noticedBefore > counted.noticed;
}

/**
 * Moves the outcomes into the row of the webhook, and returns its health. `noticedAt` chooses the number of failures that
 * the owners count as told of from now on, `noticed`; `noticedBefore` is the one that was stored. Null: the organization
 * has no webhook, or `waits` is false and another transaction is changing it.
 */
export async function countOutcomes(
  sql: Sql,
  {
    organizationId,
    waits,
    noticedAt = ({ noticed }) => noticed,
  }: {
    readonly organizationId: number;
    readonly waits: boolean;
    readonly noticedAt?: (health: CountedHealth) => number;
  },
): Promise<(CountedHealth & { readonly noticedBefore: number }) | null> {
  const webhook = await sql.get<HealthRow>(
    `SELECT ${healthColumns} FROM webhooks WHERE organization_id = ? FOR NO KEY UPDATE${waits ? '' : ' SKIP LOCKED'}`,
    [organizationId],
  );
  if (webhook === undefined) return null;
  const outcomes = await sql.all<OutcomeRow>(
    'DELETE FROM webhook_outcomes WHERE organization_id = ? RETURNING id, state, finished_at',
    [organizationId],
  );
  const health = { ...afterOutcomes(webhook, outcomes), noticedBefore: webhook.noticed };
  const noticed = noticedAt(health);
  if (outcomes.length === 0 && noticed === health.noticed) return health;
  await sql.run(
    `UPDATE webhooks SET failures = ?, failing_since = ?, delivered_at = ?, noticed = ?, counted_outcome = ?
    WHERE organization_id = ?`,
    [
      health.failuresInRow,
      health.failingSince,
      health.lastDeliveredAt,
      noticed,
      Math.max(webhook.counted_outcome, ...outcomes.map(({ id }) => id)),
      organizationId,
    ],
  );
  return health;
}
