/**
 * The health of a webhook: the columns of its row, and the outcomes that these do not count yet. A finished delivery
 * adds an outcome and seldom changes the row of the webhook. On PostgreSQL, writers of one row wait for each other, and
 * while an old transaction is open, every version of the row is kept and readers must skip it.
 */
import type { WebhookHealth } from '@rollcall/core';
import type { Sql } from '../engine/database.js';
import { raw, SQL } from '../engine/sql-text.js';
import { execute, select } from '../engine/statements.js';
import { oneOf, type StoredRow, storedIn } from '../engine/stored.js';

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

const webhook = storedIn('webhooks', {
  ...{ failuresInRow: ['failures', 'whole'], failingSince: 'timeOrNull' },
  ...{ lastDeliveredAt: ['delivered_at', 'timeOrNull'], noticed: 'whole', countedOutcome: 'whole' },
});

const outcome = storedIn(
  { table: 'webhook_outcomes', prefix: 'outcome_' },
  { id: 'whole', state: oneOf<'delivered' | 'failed'>(), finishedAt: 'time' },
);

type Outcome = ReturnType<typeof outcome.read>;

/**
 * Outcomes are deleted when they are counted, and this keeps readers from the deleted ones, which PostgreSQL removes
 * later. It leaves room for an outcome whose transaction ends after that of a later one was counted.
 */
const isUncounted = raw(`webhook_outcomes.organization_id = webhooks.organization_id
  AND webhook_outcomes.id > webhooks.counted_outcome - 10000`);

/** The database returns the outcomes in any order. */
function afterOutcomes(health: CountedHealth, outcomes: readonly Outcome[]): CountedHealth {
  return [...outcomes].sort((one, other) => one.id - other.id).reduce(afterOutcome, health);
}

function afterOutcome(health: CountedHealth, { state, finishedAt: at }: Outcome): CountedHealth {
  if (state === 'delivered') return { ...noHealth, lastDeliveredAt: at };
  return {
    ...health,
    failuresInRow: health.failuresInRow + 1,
    failingSince: health.failingSince ?? at,
  };
}

/** Null: the organization has no webhook. */
export async function readHealth(sql: Sql, organizationId: number) {
  const rows = await select<StoredRow>(sql)`SELECT ${raw(webhook.columns)}, ${raw(outcome.columns)}
    FROM webhooks LEFT JOIN webhook_outcomes ON ${isUncounted}
    WHERE webhooks.organization_id = ${organizationId}`;
  const [first] = rows;
  if (first === undefined) return null;
  const { countedOutcome, ...health } = webhook.read(first);
  const outcomes = rows.flatMap((row) => (row.outcome_id === null ? [] : outcome.read(row)));
  return { health: afterOutcomes(health, outcomes), uncounted: outcomes.length };
}

/** Of several successes within this time, only the first is written. */
const SAME_SUCCESS_MS = 10_000;

/**
 * Records the outcome of a delivery, in the transaction that stores it. Waits for no other delivery. True: it has ended
 * failures that were reported.
 */
export async function recordOutcome(
  sql: Sql,
  organizationId: number,
  { state, finishedAt: at }: Omit<Outcome, 'id'>,
): Promise<boolean> {
  const add = SQL`INSERT INTO webhook_outcomes (organization_id, state, finished_at)
    SELECT organization_id, '${raw(state)}', ${at} FROM webhooks WHERE organization_id = ${organizationId}`;
  if (state === 'failed') {
    await execute(sql)(add);
    return false;
  }
  const sameUntil = new Date(at.getTime() - SAME_SUCCESS_MS);
  const { changes } = await execute(sql)`${add}
    AND (failures > 0 OR noticed > 0 OR delivered_at IS NULL OR delivered_at < ${sameUntil} OR delivered_at > ${at}
      OR EXISTS (SELECT 1 FROM webhook_outcomes WHERE ${isUncounted}))`;
  if (changes === 0) return false;
  const counted = await countOutcomes(sql, { organizationId, waits: false });
  return counted !== null && counted.noticedBefore > counted.noticed;
}

interface CountOutcomes {
  readonly organizationId: number;
  /** False: not if another transaction is changing the webhook. */
  readonly waits: boolean;
  /** Chooses the number of failures that the owners count as told of from now on, `noticed`. */
  readonly noticedAt?: (health: CountedHealth) => number;
}

/**
 * Moves the outcomes into the row of the webhook, and returns its health; `noticedBefore` is the number that was stored. Null:
 * the organization has no webhook, or another transaction is changing it.
 */
export async function countOutcomes(sql: Sql, { organizationId, waits, noticedAt }: CountOutcomes) {
  const before = await webhook.first(sql)`FROM webhooks
    WHERE organization_id = ${organizationId} FOR NO KEY UPDATE${raw(waits ? '' : ' SKIP LOCKED')}`;
  if (before === null) return null;
  const outcomes = await outcome.allChanged(sql)`DELETE FROM webhook_outcomes
    WHERE organization_id = ${organizationId}`;
  const { countedOutcome, ...stored } = before;
  const health = { ...afterOutcomes(stored, outcomes), noticedBefore: stored.noticed };
  const noticed = noticedAt?.(health) ?? health.noticed;
  if (outcomes.length === 0 && noticed === health.noticed) return health;
  await execute(sql)`UPDATE webhooks
    SET failures = ${health.failuresInRow}, failing_since = ${health.failingSince},
      delivered_at = ${health.lastDeliveredAt}, noticed = ${noticed},
      counted_outcome = ${Math.max(countedOutcome, ...outcomes.map(({ id }) => id))}
    WHERE organization_id = ${organizationId}`;
  return health;
}
