import type { EventName, Webhook } from '@rollcall/core';
import { type Sql, timestampOrNull } from '../engine/database.js';

export interface WebhookRow {
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

export const webhookColumns = `id, organization_id, url, enabled, events, sealed_secret, previous_sealed_secret, previous_secret_until,
  created_at, updated_at`;

export function toWebhook(row: WebhookRow): Webhook {
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

export async function webhookOf(sql: Sql, organizationId: number): Promise<Webhook | null> {
  const row = await sql.get<WebhookRow>(`SELECT ${webhookColumns} FROM webhooks WHERE organization_id = ?`, [
    organizationId,
  ]);
  return row === undefined ? null : toWebhook(row);
}
