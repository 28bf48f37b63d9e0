import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { readMember } from '../members/read-member.js';

/** The request of `readLastSignIn`. */
export interface ReadLastSignIn extends OfOrganization {
  /** The member who has signed in. */
  readonly userId: number;
}

/** How and when a person signed in last. */
export interface LastSignIn {
  /** `login-link`: with a link of the organization. */
  readonly by: 'password' | 'login-link';
  /** When the session began. */
  readonly at: Date;
}

/**
 * When a member signed in last: with their password, or with a login link of the organization, as far back as its audit
 * trail goes. Null: never.
 *
 * @throws `Refusal`: `member-not-found`.
 */
export async function readLastSignIn(
  deps: Uses<'auditTrail.lastOf' | 'members.byUserId' | 'sessions.lastSignIn'>,
  { organization, userId }: ReadLastSignIn,
): Promise<LastSignIn | null> {
  const { organizationId } = await readMember(deps, { organization, userId });
  const [password, link] = await Promise.all([
    deps.sessions.lastSignIn(userId),
    deps.auditTrail.lastOf({ organizationId, actions: ['login-link-redeemed'], userId }),
  ]);
  if (link !== null && (password === null || link.at > password)) return { by: 'login-link', at: link.at };
  return password && { by: 'password', at: password };
}
