import type { Webhook, WebhookHealth, WebhookSettings, Webhooks } from '@rollcall/core';
import type { Sql } from '../engine/database.js';
import { lock } from '../engine/statements.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { writeJournal } from './journal.js';
import { lockOrganization } from './locks.js';
import { unlessOrganizationUnknown } from './unknown-rows.js';
import { countOutcomes, noHealth, readHealth } from './webhook-health.js';
import { storedWebhook, webhookFields, webhookOf } from './webhook-row.js';

export function sqlWebhooks({ read, write }: StorageDatabase): Webhooks {
  return {
    of: (organizationId) => webhookOf(read, organizationId),

    async configure(organizationId, decide, journal) {
      const webhook = await unlessOrganizationUnknown({ read }, organizationId, () =>
        write(async (sql) => {
          // Before the first configuration the webhook has no row.
          await lockOrganization(sql, organizationId);
          // Moving the secrets to another key locks this row only.
          await lock(sql)`SELECT 1 FROM webhooks WHERE organization_id = ${organizationId} FOR NO KEY UPDATE`;
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
  const { encryptedSecret: sealedSecret, previousSecret: previous, events, ...others } = settings;
  const secrets = {
    ...{ sealedSecret, previousSealedSecret: previous?.encrypted ?? null },
    previousSecretUntil: previous?.until ?? null,
  };
  const row = { ...others, organizationId, events: JSON.stringify(events), ...secrets };
  const webhook = await storedWebhook.changed(sql)(webhookFields.replace(row));
  if (webhook === null) throw new Error('the webhook was not stored');
  return webhook;
}
