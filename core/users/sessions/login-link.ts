import type { Uses } from '../../deps.js';
import { Refusal, refusal } from '../../errors.js';
import type { LoginLink } from '../ports/login-links.js';

/** How long a login link works: five minutes. */
export const loginLinkLifetimeMs = 5 * 60 * 1000;

export type LoginLinkState = 'usable' | 'redeemed' | 'expired';

function loginLinkState(link: Pick<LoginLink, 'redeemedAt' | 'expiresAt'>, now: Date): LoginLinkState {
  if (link.redeemedAt !== null) return 'redeemed';
  return link.expiresAt > now ? 'usable' : 'expired';
}

/** Finds a link that can still be redeemed, with its hash and its member. Throws a `Refusal` that says why not. */
export async function findUsableLoginLink(
  {
    loginLinks,
    members,
    secrets,
    clock,
  }: Uses<'clock.now' | 'loginLinks.find' | 'members.byUserId' | 'secrets.tokenHash'>,
  token: string,
) {
  const hash = secrets.tokenHash('login-link', token);
  const link = hash === null ? null : await loginLinks.find(hash);
  const member = link === null ? null : await members.byUserId(link);
  if (hash === null || link === null || member === null) {
    throw linkUnknown();
  }

  const state = loginLinkState(link, clock.now());
  if (state === 'redeemed') throw linkUsed();
  if (state === 'expired') throw new Refusal('login-link-expired', 'This login link has expired');
  return { hash, link, member };
}

export const linkUnknown = refusal('login-link-unknown', 'This login link does not exist');
export const linkUsed = refusal('login-link-used', 'This login link was used already');
