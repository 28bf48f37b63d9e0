import { organizationPath } from '../organization/sections.js';

/** Who may see and change the webhook. */
export const webhookDoor = { role: 'admin', section: 'webhooks' } as const;

export function webhookPath(organizationId: number): string {
  return `${organizationPath(organizationId)}/webhooks`;
}

export function deliveryPath(organizationId: number, deliveryId: number): string {
  return `${webhookPath(organizationId)}/deliveries/${deliveryId}`;
}
