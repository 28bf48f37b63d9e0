import type { EventName, Webhook, WebhookSettings, Webhooks } from '@rollcall/core';
import { insertEntries } from './audit-trail.js';
import { type Database, only, type Sql } from './database.js';

interface WebhookRow {
  readonly id: number;
  readonly organization_id: number;
  readonly url: string | null;
  readonly enabled: number | boolean;
  readonly events: string;
  readonly sealed_secret: string;
  readonly created_at: string;
  readonly updated_at: string;
}

const columns = 'id, organization_id, url, enabled, events, sealed_secret, created_at, updated_at';

function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    organizationId: row.organization_id,
    url: row.url,
    enabled: Boolean(row.enabled),
    events: JSON.parse(row.events) as readonly EventName[],
    sealedSecret: row.sealed_secret,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}

export function sqlWebhooks({ engine, read, write }: Database): Webhooks {
  return {
    of: (organizationId) => webhookOf(read, organizationId),

    configure: (organizationId, decide, note) =>
      write(async (sql) => {
        // The organization's row, as the webhook has none before it is first configured.
        if (engine === 'postgres')
          await sql.run('SELECT 1 FROM organizations WHERE id = ? FOR NO KEY UPDATE', [organizationId]);
        const webhook = await store(sql, organizationId, decide(await webhookOf(sql, organizationId)));
        await insertEntries(sql, note?.(webhook));
        return webhook;
      }),
  };
}

export async function webhookOf(sql: Sql, organizationId: number): Promise<Webhook | null> {
  const row = await sql.get<WebhookRow>(`SELECT ${columns} FROM webhooks WHERE organization_id = ?`, [
    organizationId,
  ]);
  return row === undefined ? null : toWebhook(row);
}

async function store(sql: Sql, organizationId: number, settings: WebhookSettings): Promise<Webhook> {
  const rows = await sql.all<WebhookRow>(
    `INSERT INTO webhooks (organization_id, url, enabled, events, sealed_secret, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (organization_id) DO UPDATE SET
      url = excluded.url, enabled = excluded.enabled, events = excluded.events,
      sealed_secret = excluded.sealed_secret, created_at = excluded.created_at,
      updated_at = excluded.updated_at
    RETURNING ${columns}`,
    [
      organizationId,
      settings.url,
      settings.enabled,
      JSON.stringify(settings.events),
      settings.sealedSecret,
      settings.createdAt,
      settings.updatedAt,
    ],
  );
  return toWebhook(only(rows));
}
