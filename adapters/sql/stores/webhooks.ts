import type { EventName, Webhook, WebhookHealth, WebhookSettings, Webhooks } from '@rollcall/core';
import { type Database, only, type Sql, timestampOrNull } from '../engine/database.js';
import { insertEntries } from './audit-trail.js';
import { unlessOrganizationUnknown } from './unknown-rows.js';
import { countOutcomes, noHealth, readHealth } from './webhook-health.js';

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
          if (engine === 'postgres') {
            // Before the first configuration the webhook has no row.
            await sql.run('SELECT 1 FROM organizations WHERE id = ? FOR NO KEY UPDATE', [organizationId]);
            // Moving the secrets to another key locks this row only.
            await sql.run('SELECT 1 FROM webhooks WHERE organization_id = ? FOR NO KEY UPDATE', [
              organizationId,
            ]);
          }
          const stored = await store(sql, organizationId, decide(await webhookOf(sql, organizationId)));
          await insertEntries(sql, buildEntries?.(stored));
          return stored;
        }),
      );
      return webhook === 'unknown-organization' ? null : webhook;
    },

    async health(organizationId) {
      const { noticed, ...health } = (await readHealth(read, organizationId))?.health ?? noHealth;
      return health;
    },

    async takeFailureNotice({ organizationId, steps }, buildEntries) {
      const reached = ({ failuresInRow }: WebhookHealth): number =>
        Math.max(0, ...steps.filter((step) => step <= failuresInRow));
      const found = await readHealth(read, organizationId);
      if (found === null) return null;
      const isDue = reached(found.health) > found.health.noticed;
      if (!isDue && found.uncounted < MAX_UNCOUNTED) return null;
      return write(async (sql) => {
        const counted = await countOutcomes(sql, {
          engine,
          organizationId,
          waits: isDue,
          noticedAt: (health) => Math.max(health.noticed, reached(health)),
        });
        if (counted === null || reached(counted) <= counted.noticed) return null;
        const { noticed, noticedBefore, ...health } = counted;
        await insertEntries(sql, buildEntries?.(health));
        return health;
      });
    },
  };
}

/** The number of outcomes that may wait to be counted. Every read of the health reads them. */
const MAX_UNCOUNTED = 100;

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
