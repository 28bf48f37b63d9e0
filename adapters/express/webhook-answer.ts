import type { WebhookView } from '@rollcall/core';
import { secretMask } from '@rollcall/core/adapters';

/** A webhook in the form of section 2.6. The secret is masked unless the core has just created it. */
export function webhookAnswer(webhook: WebhookView) {
  return {
    id: webhook.id,
    url: webhook.url ?? '',
    enabled: webhook.enabled,
    events: [...webhook.events],
    secret: webhook.secret?.reveal() ?? secretMask,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  };
}

/** A webhook whose secret is masked in any case. */
export function maskedWebhookAnswer(webhook: WebhookView) {
  return { ...webhookAnswer(webhook), secret: secretMask as typeof secretMask };
}
