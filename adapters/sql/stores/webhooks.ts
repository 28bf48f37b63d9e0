import type { Webhook, WebhookHealth, WebhookSettings, Webhooks } from '@rollcall/core';
import { lock, type Sql } from '../engine/database.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { writeJournal } from './journal.js';
import { unlessOrganizationUnknown } from './unknown-rows.js';
import { countOutcomes, noHealth, readHealth } from './webhook-health.js';
import { storedWebhook, webhookOf } from './webhook-row.js';

export function sqlWebhooks({ read, write }: StorageDatabase): Webhooks {
  return {
    of: (organizationId) => webhookOf(read, organizationId),

    async configure(organizationId, decide, journal) {
      const webhook = await unlessOrganizationUnknown({ read }, organizationId, () =>
        write(async (sql) => {
          // Before the first configuration the webhook has no row.
          await lock(sql, 'SELECT 1 FROM organizations WHERE id = ? FOR NO KEY UPDATE', [organizationId]);
          // Moving the secrets to another key locks this row only.
          await lock(sql, 'SELECT 1 FROM webhooks WHERE organization_id = ? FOR NO KEY UPDATE', [
            organizationId,
          ]);
          const stored = await store(sql, organizationId, decide(await webhookOf(sql, organizationId)));
          await writeJournal(sql, journal?.(stored));
          return stored;
        }),
      );
      return webhook === 'unknown-organization' ? null : webhook;
    },

    async health(organizationId) {
      const { noticed, ...health } = (await readHealth(read, organizationId))?.health ?? noHealth;
      return health;
    },

    async takeFailureNotice({ organizationId, steps }, journal) {
      const reached = ({ failuresInRow }: WebhookHealth): number =>
        Math.max(0, ...steps.filter((step) => step <= failuresInRow));
      const found = await readHealth(read, organizationId);
      if (found === null) return null;
      const isDue = reached(found.health) > found.health.noticed;
      if (!isDue && found.uncounted < MAX_UNCOUNTED) return null;
      return write(async (sql) => {
        const counted = await countOutcomes(sql, {
          organizationId,
          waits: isDue,
          noticedAt: (health) => Math.max(health.noticed, reached(health)),
        });
        if (counted === null || reached(counted) <= counted.noticed) return null;
        const { noticed, noticedBefore, ...health } = counted;
        await writeJournal(sql, journal?.(health));
        return health;
      });
    },
  };
}

/** The number of outcomes that may wait to be counted. Every read of the health reads them. */
const MAX_UNCOUNTED = 100;

async function store(sql: Sql, organizationId: number, settings: WebhookSettings): Promise<Webhook> {
  const webhook = await storedWebhook.changed(
    sql,
    `INSERT INTO webhooks (organization_id, url, enabled, events, sealed_secret,
      previous_sealed_secret, previous_secret_until, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (organization_id) DO UPDATE SET
      url = excluded.url, enabled = excluded.enabled, events = excluded.events,
      sealed_secret = excluded.sealed_secret, previous_sealed_secret = excluded.previous_sealed_secret,
      previous_secret_until = excluded.previous_secret_until, created_at = excluded.created_at,
      updated_at = excluded.updated_at`,
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
  if (webhook === null) throw new Error('the webhook was not stored');
  return webhook;
}
