import { type Acting, checkActor } from '../../access/acting.js';
import { auditEntries } from '../../access/audit-entries.js';
import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { mayBeId } from '../../values/ids.js';
import { signOnOff } from './sign-on.js';

/** The request of `removeSignOn`. */
export interface RemoveSignOn extends OfOrganization, Acting {}

/**
 * Removes the settings of sign-on with the client secret, every identity of the organization's members and the sessions
 * that sign-on started.
 *
 * @throws `Refusal`: `sign-on-off` if there are no settings.
 */
export async function removeSignOn(
  { signOns, clock }: Uses<'clock.now' | 'signOns.remove'>,
  { organization: { id: organizationId }, by }: RemoveSignOn,
): Promise<void> {
  checkActor(by);
  if (!mayBeId('organization.id', organizationId)) throw signOnOff();
  const at = clock.now();
  const isRemoved = await signOns.remove(organizationId, ({ issuer }) => {
    const subject = new URL(issuer).host;
    return auditEntries({ by, at }, { organizationId, action: 'sign-on-removed', subject });
  });
  if (!isRemoved) throw signOnOff();
}
