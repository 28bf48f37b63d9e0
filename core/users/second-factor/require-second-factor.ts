import { type Acting, checkActor } from '../../access/acting.js';
import { auditEntries } from '../../access/audit-entries.js';
import type { OfOrganization } from '../../access/of-organization.js';
import { organizationNotFound } from '../../access/organization-not-found.js';
import { secondFactorRequired } from '../../access/password-sign-in-required.js';
import type { Uses } from '../../deps.js';
import { checkId, mayBeId } from '../../values/ids.js';

/** The request of `requireSecondFactor`. */
export interface RequireSecondFactor extends OfOrganization, Acting {
  /** False: a password alone opens everything again. */
  readonly isRequired: boolean;
  /** The owner who asks for it. */
  readonly userId: number;
}

/**
 * Requires a second factor of the owners and admins of an organization who sign in with a password, or no longer. An owner
 * who has none changes nothing: their word alone is not enough for it.
 *
 * @throws `Refusal`: `second-factor-required` if the owner has none, `organization-not-found`.
 */
export async function requireSecondFactor(
  { secondFactors, clock }: Uses<'clock.now' | 'secondFactors.require'>,
  { organization: { id: organizationId }, isRequired, userId, by }: RequireSecondFactor,
): Promise<void> {
  checkActor(by);
  checkId('userId', userId);
  if (!mayBeId('organization.id', organizationId))
    throw organizationNotFound('organization.id', organizationId);
  const at = clock.now();
  const action = isRequired ? 'second-factor-required' : 'second-factor-optional';
  const changed = await secondFactors.require({ organizationId, isRequired, userId }, () =>
    auditEntries({ by, at }, { organizationId, action, subject: null }),
  );
  if (changed === 'no-second-factor') throw secondFactorRequired();
  if (changed === 'unknown-organization') throw organizationNotFound('organization.id', organizationId);
}
