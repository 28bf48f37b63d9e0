import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';
import { visibilityActions } from './first-steps.js';
import type { OfOrganization } from './of-organization.js';

/** The request of `readFirstSteps`. */
export type ReadFirstSteps = OfOrganization;

/** What a new organization does first, and whether it is done. */
export interface FirstSteps {
  /** There is an access key. */
  readonly accessKey: boolean;
  /** The webhook has a URL. */
  readonly webhook: boolean;
  /** Someone was invited, whatever became of the invitation. */
  readonly invitation: boolean;
  /** A person has downloaded an export, as far back as the audit trail goes. */
  readonly export: boolean;
  /** An owner has hidden the steps, as far back as the audit trail goes. */
  readonly isHidden: boolean;
}

/**
 * Reads which of the first steps of a new organization are done, from what is stored.
 *
 * @throws `TypeError` if `organization.id` is not an id.
 */
export async function readFirstSteps(
  {
    organizations,
    webhooks,
    invitations,
    auditTrail,
  }: Uses<'auditTrail.lastOf' | 'invitations.find' | 'organizations.accessKey' | 'webhooks.of'>,
  { organization }: ReadFirstSteps,
): Promise<FirstSteps> {
  const organizationId = checkId('organization.id', organization.id);
  const [accessKey, webhook, invited, exported, visibility] = await Promise.all([
    organizations.accessKey(organizationId),
    webhooks.of(organizationId),
    invitations.find({ organizationId, limit: 1 }),
    auditTrail.lastOf({ organizationId, actions: ['meetings-exported'] }),
    auditTrail.lastOf({ organizationId, actions: visibilityActions }),
  ]);
  return {
    accessKey: accessKey !== null,
    webhook: webhook !== null && webhook.url !== null,
    invitation: invited.length > 0,
    export: exported !== null,
    isHidden: visibility?.action === 'first-steps-hidden',
  };
}
