import { type Acting, checkActor } from '../../access/acting.js';
import { auditEntries } from '../../access/audit-entries.js';
import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { checkId } from '../../values/ids.js';

/** The request of `endSetupLink`. */
export interface EndSetupLink extends OfOrganization, Acting {}

/** Ends the organization's set-up link, and closes the pages that it has opened. Without one, nothing happens. */
export async function endSetupLink(
  { setupLinks, clock }: Uses<'clock.now' | 'setupLinks.end'>,
  { organization, by }: EndSetupLink,
): Promise<void> {
  checkActor(by);
  const organizationId = checkId('organization.id', organization.id);
  const at = clock.now();
  await setupLinks.end(organizationId, () =>
    auditEntries({ by, at }, { organizationId, action: 'setup-link-ended', subject: null }),
  );
}
