import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';
import { type Acting, checkActor } from './acting.js';
import { auditEntries } from './audit-entries.js';
import { visibilityActions } from './first-steps.js';
import type { OfOrganization } from './of-organization.js';

/** The request of `hideFirstSteps`. */
export interface HideFirstSteps extends OfOrganization, Acting {
  /** False: shows the steps again. */
  readonly isHidden: boolean;
}

/**
 * Hides the first steps from all owners of the organization, or shows them again. The audit trail is where this is
 * stored. Nothing is recorded if they are as requested already.
 *
 * @throws `TypeError` if `organization.id` is not an id.
 */
export async function hideFirstSteps(
  { auditTrail, clock }: Uses<'auditTrail.lastOf' | 'auditTrail.record' | 'clock.now'>,
  { organization, isHidden, by }: HideFirstSteps,
): Promise<void> {
  checkActor(by);
  const organizationId = checkId('organization.id', organization.id);
  const last = await auditTrail.lastOf({ organizationId, actions: visibilityActions });
  if (isHidden === (last?.action === 'first-steps-hidden')) return;
  const action = isHidden ? 'first-steps-hidden' : 'first-steps-shown';
  const entries = auditEntries({ by, at: clock.now() }, { organizationId, action, subject: null });
  for (const entry of entries) await auditTrail.record(entry);
}
