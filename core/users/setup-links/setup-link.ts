import type { Uses } from '../../deps.js';
import { refusal } from '../../errors.js';
import type { Member } from '../ports/members.js';
import type { SetupLink } from '../ports/setup-links.js';

/** How long a set-up link can be opened: a day. */
export const setupLinkLifetimeMs = 24 * 60 * 60 * 1000;

/** Finds a link that can be opened, with the owner who made it. Throws a `Refusal` otherwise. */
export async function findUsableSetupLink(
  {
    setupLinks,
    members,
    secrets,
    clock,
  }: Uses<'clock.now' | 'members.byUserId' | 'secrets.tokenHash' | 'setupLinks.byHash'>,
  token: string,
): Promise<{ readonly link: SetupLink; readonly owner: Member }> {
  const hash = secrets.tokenHash('setup-link', token);
  const link = hash === null ? null : await setupLinks.byHash(hash);
  const owner = link === null ? null : await members.byUserId(link);
  if (link === null || owner?.role !== 'owner' || link.expiresAt <= clock.now()) throw setupLinkUnknown();
  return { link, owner };
}

export const setupLinkUnknown = refusal(
  'setup-link-unknown',
  'This set-up link has ended, or does not exist',
);
