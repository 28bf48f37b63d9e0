import type { Uses } from '../../deps.js';
import { type ReadMember, readMember } from '../members/read-member.js';
import type { StartedBy } from '../ports/sessions.js';

/** The request of `readLastSignIn`. */
export type ReadLastSignIn = ReadMember;

/** How and when a person signed in last. */
export interface LastSignIn {
  /** `login-link`: with a link of the organization; `sign-on`: at its identity provider. */
  readonly by: Exclude<StartedBy, 'setup-link'>;
  /** When the session began. */
  readonly at: Date;
}

/**
 * When a member signed in last: with their password, at the organization's identity provider, or with a login link of the
 * organization, as far back as its audit trail goes. Null: never.
 *
 * @throws `Refusal`: `member-not-found`.
 */
export async function readLastSignIn(
  deps: Uses<'auditTrail.lastOf' | 'identities.of' | 'members.byUserId' | 'sessions.lastSignIn'>,
  { organization, userId }: ReadLastSignIn,
): Promise<LastSignIn | null> {
  const { organizationId } = await readMember(deps, { organization, userId });
  const [password, link, identity] = await Promise.all([
    deps.sessions.lastSignIn(userId),
    deps.auditTrail.lastOf({ organizationId, actions: ['login-link-redeemed'], userId }),
    deps.identities.of({ organizationId, userId }),
  ]);
  const signIns: readonly (LastSignIn | null)[] = [
    password && { by: 'password', at: password },
    link && { by: 'login-link', at: link.at },
    identity && { by: 'sign-on', at: identity.usedAt },
  ];
  return signIns.reduce(
    (last, one) => (last === null || (one !== null && one.at > last.at) ? one : last),
    null,
  );
}
