import type { WebhookView } from '@rollcall/core';
import { secretMask } from '@rollcall/core/adapters';

/** A webhook as section 2.6 shows it; the secret is masked unless the core has just made it. */
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
