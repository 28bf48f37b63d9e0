import type { EventName, Webhook, WebhookHealth, WebhookSettings, Webhooks } from '@rollcall/core';
import { type Database, only, type Sql, timestampOrNull } from '../engine/database.js';
import { insertEntries } from './audit-trail.js';
import { unlessOrganizationUnknown } from './unknown-organization.js';

interface WebhookRow {
  readonly id: number;
  readonly organization_id: number;
  readonly url: string | null;
  readonly enabled: number | boolean;
  readonly events: string;
  readonly sealed_secret: string;
  readonly previous_sealed_secret: string | null;
  readonly previous_secret_until: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

const columns = `id, organization_id, url, enabled, events, sealed_secret, previous_sealed_secret, previous_secret_until,
  created_at, updated_at`;

function toWebhook(row: WebhookRow): Webhook {
  const { previous_sealed_secret: encrypted } = row;
  const until = timestampOrNull(row.previous_secret_until);
  return {
    id: row.id,
    organizationId: row.organization_id,
    url: row.url,
    enabled: Boolean(row.enabled),
    events: JSON.parse(row.events) as readonly EventName[],
    encryptedSecret: row.sealed_secret,
    previousSecret: encrypted === null || until === null ? null : { encrypted, until },
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}

export function sqlWebhooks({ engine, read, write }: Database): Webhooks {
  return {
    of: (organizationId) => webhookOf(read, organizationId),

    async configure(organizationId, decide, buildEntries) {
      const webhook = await unlessOrganizationUnknown({ read }, organizationId, () =>
        write(async (sql) => {
          // Locks the organization's row: before the first configuration the webhook has none.
          if (engine === 'postgres')
            await sql.run('SELECT 1 FROM organizations WHERE id = ? FOR NO KEY UPDATE', [organizationId]);
          const stored = await store(sql, organizationId, decide(await webhookOf(sql, organizationId)));
          await insertEntries(sql, buildEntries?.(stored));
          return stored;
        }),
      );
      return webhook === 'unknown-organization' ? null : webhook;
    },

    async health(organizationId) {
      const row = await read.get<HealthRow>(
        `SELECT ${healthColumns} FROM webhooks WHERE organization_id = ?`,
        [organizationId],
      );
      return row === undefined ? noHealth : toHealth(row);
    },

    async takeFailureNotice({ organizationId, steps }) {
      const row = await read.get<HealthRow & { noticed: number }>(
        `SELECT ${healthColumns}, noticed FROM webhooks WHERE organization_id = ?`,
        [organizationId],
      );
      const step = Math.max(0, ...steps.filter((one) => one <= (row?.failures ?? 0)));
      if (row === undefined || step <= row.noticed) return null;
      const [taken] = await write((sql) =>
        sql.all<HealthRow>(
          `UPDATE webhooks SET noticed = ? WHERE organization_id = ? AND noticed < ? AND failures >= ?
          RETURNING ${healthColumns}`,
          [step, organizationId, step, step],
        ),
      );
      return taken === undefined ? null : toHealth(taken);
    },
  };
}

interface HealthRow {
  readonly failures: number;
  readonly failing_since: string | null;
  readonly delivered_at: string | null;
}

const healthColumns = 'failures, failing_since, delivered_at';

const noHealth: WebhookHealth = { failuresInRow: 0, failingSince: null, lastDeliveredAt: null };

function toHealth({ failures, failing_since, delivered_at }: HealthRow): WebhookHealth {
  return {
    failuresInRow: failures,
    failingSince: timestampOrNull(failing_since),
    lastDeliveredAt: timestampOrNull(delivered_at),
  };
}

/** Of several successes within this time, only the first is written. */
const SAME_SUCCESS_MS = 10_000;

/**
 * Counts the outcome of a delivery, in the transaction that stores it. Of many successes in a row only some are
 * written: while any old transaction is open, PostgreSQL keeps every version of the row, and readers must skip them.
 */
export async function countOutcome(
  sql: Sql,
  {
    organizationId,
    state,
    at,
  }: { readonly organizationId: number; readonly state: 'delivered' | 'failed'; readonly at: Date },
): Promise<void> {
  if (state === 'failed') {
    await sql.run(
      `UPDATE webhooks SET failures = failures + 1, failing_since = coalesce(failing_since, ?)
      WHERE organization_id = ?`,
      [at, organizationId],
    );
    return;
  }
  await sql.run(
    `UPDATE webhooks SET failures = 0, noticed = 0, failing_since = NULL, delivered_at = ?
    WHERE organization_id = ?
      AND (failures > 0 OR noticed > 0 OR delivered_at IS NULL OR delivered_at < ? OR delivered_at > ?)`,
    [at, organizationId, new Date(at.getTime() - SAME_SUCCESS_MS), at],
  );
}

export async function webhookOf(sql: Sql, organizationId: number): Promise<Webhook | null> {
  const row = await sql.get<WebhookRow>(`SELECT ${columns} FROM webhooks WHERE organization_id = ?`, [
    organizationId,
  ]);
  return row === undefined ? null : toWebhook(row);
}

async function store(sql: Sql, organizationId: number, settings: WebhookSettings): Promise<Webhook> {
  const rows = await sql.all<WebhookRow>(
    `INSERT INTO webhooks (organization_id, url, enabled, events, sealed_secret,
      previous_sealed_secret, previous_secret_until, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (organization_id) DO UPDATE SET
      url = excluded.url, enabled = excluded.enabled, events = excluded.events,
      sealed_secret = excluded.sealed_secret, previous_sealed_secret = excluded.previous_sealed_secret,
      previous_secret_until = excluded.previous_secret_until, created_at = excluded.created_at,
      updated_at = excluded.updated_at
    RETURNING ${columns}`,
    [
      organizationId,
      settings.url,
      settings.enabled,
      JSON.stringify(settings.events),
      settings.encryptedSecret,
      settings.previousSecret?.encrypted ?? null,
      settings.previousSecret?.until ?? null,
      settings.createdAt,
      settings.updatedAt,
    ],
  );
  return toWebhook(only(rows));
}
