import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { checkId } from '../../values/ids.js';
import type { SetupLink } from '../ports/setup-links.js';

/** A set-up link as an owner sees it. */
export type CurrentSetupLink = Pick<SetupLink, 'createdAt' | 'expiresAt' | 'openedAt'>;

/** Finds the organization's set-up link that can be opened. Null: there is none, or it has expired. */
export async function findSetupLink(
  { setupLinks, clock }: Uses<'clock.now' | 'setupLinks.of'>,
  { organization }: OfOrganization,
): Promise<CurrentSetupLink | null> {
  const link = await setupLinks.of(checkId('organization.id', organization.id));
  if (link === null || link.expiresAt <= clock.now()) return null;
  const { createdAt, expiresAt, openedAt } = link;
  return { createdAt, expiresAt, openedAt };
}
