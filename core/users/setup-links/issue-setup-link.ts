import { type Acting, checkActor } from '../../access/acting.js';
import { auditEntries } from '../../access/audit-entries.js';
import type { OfOrganization } from '../../access/of-organization.js';
import { organizationNotFound } from '../../access/organization-not-found.js';
import type { Uses } from '../../deps.js';
import { checkId, mayBeId } from '../../values/ids.js';
import { setupLinkLifetimeMs } from './setup-link.js';

/** The request of `issueSetupLink`. */
export interface IssueSetupLink extends OfOrganization, Acting {
  /** The owner who lets others in, whom `authorizeMember` returned. */
  readonly userId: number;
}

/**
 * Creates a link with which the organization's IT staff set up sign-on and the directory for a day, without an account. The
 * one before ends. The URL is in this result only and cannot be read again.
 *
 * @throws `Refusal`: `organization-not-found`, also if the user is not an owner. `Error` if `links.setup` is not set.
 */
export async function issueSetupLink(
  {
    setupLinks,
    secrets,
    clock,
    links,
  }: Uses<'clock.now' | 'links.setup' | 'secrets.newToken' | 'setupLinks.store'>,
  { organization: { id: organizationId }, userId, by }: IssueSetupLink,
): Promise<{ readonly url: string; readonly expiresAt: Date }> {
  checkActor(by);
  checkId('userId', userId);
  if (!mayBeId('organization.id', organizationId))
    throw organizationNotFound('organization.id', organizationId);
  if (links.setup === undefined) throw new Error('links.setup is not set');
  const { token, hash } = secrets.newToken('setup-link');
  const createdAt = clock.now();
  const expiresAt = new Date(createdAt.getTime() + setupLinkLifetimeMs);
  const isStored = await setupLinks.store({ hash, organizationId, userId, createdAt, expiresAt }, () =>
    auditEntries({ by, at: createdAt }, { organizationId, action: 'setup-link-issued', subject: null }),
  );
  if (!isStored) throw organizationNotFound('organization.id', organizationId);
  return { url: links.setup(token), expiresAt };
}
