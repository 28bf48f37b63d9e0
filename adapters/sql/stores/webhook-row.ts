import type { EventName, Webhook } from '@rollcall/core';
import type { Sql } from '../engine/database.js';
import { stored, storedIn } from '../engine/stored.js';

export const webhookFields = storedIn('webhooks', {
  ...{ organizationId: 'whole', url: 'textOrNull', enabled: 'flag', events: 'text', sealedSecret: 'text' },
  ...{ previousSealedSecret: 'textOrNull', previousSecretUntil: 'timeOrNull', createdAt: 'time' },
  updatedAt: 'time',
});

export const storedWebhook = stored<Webhook>(`webhooks.id, ${webhookFields.columns}`, (row) => {
  const {
    events,
    sealedSecret: encryptedSecret,
    previousSealedSecret: encrypted,
    previousSecretUntil: until,
    ...webhook
  } = webhookFields.read(row);
  return {
    ...webhook,
    id: row.id as number,
    events: JSON.parse(events) as readonly EventName[],
    encryptedSecret,
    previousSecret: encrypted === null || until === null ? null : { encrypted, until },
  };
});

export function webhookOf(sql: Sql, organizationId: number): Promise<Webhook | null> {
  return storedWebhook.first(sql)`FROM webhooks WHERE organization_id = ${organizationId}`;
}
