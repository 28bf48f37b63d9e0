import { organizationPath } from '../organization/sections.js';

/** Who may open the pages of the webhook, and the section that they belong to. */
export const webhookAccess = { role: 'admin', section: 'webhooks' } as const;

export function webhookPath(organizationId: number): string {
  return `${organizationPath(organizationId)}/webhooks`;
}

export function deliveryPath(organizationId: number, deliveryId: number): string {
  return `${webhookPath(organizationId)}/deliveries/${deliveryId}`;
}
