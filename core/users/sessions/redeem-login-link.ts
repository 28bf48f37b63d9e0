import { auditEntries } from '../../access/audit-entries.js';
import type { Uses } from '../../deps.js';
import { readAddress } from '../../values/address.js';
import type { SignIn } from './check-password.js';
import { type CreatedSession, createSession } from './create-session.js';
import { findUsableLoginLink, linkUnknown, linkUsed } from './login-link.js';
import type { ReadLoginLink } from './read-login-link.js';
import { recordSignedIn } from './record-signed-in.js';

/** The request of `redeemLoginLink`. */
export interface RedeemLoginLink extends ReadLoginLink, Pick<SignIn, 'device'> {
  /** The IP address that the request comes from, for the audit trail and the security log. */
  readonly address?: string | undefined;
}

/**
 * Signs the member in, once. The session can use only the member pages of the organization that issued the link.
 *
 * @throws `Refusal`: `login-link-unknown`, `login-link-used`, `login-link-expired`.
 */
export async function redeemLoginLink(
  deps: Uses<'loginLinks.redeem' | 'securityLog.record' | typeof createSession | typeof findUsableLoginLink>,
  { token, address = '', device }: RedeemLoginLink,
): Promise<CreatedSession> {
  const { hash, link, member } = await findUsableLoginLink(deps, token);
  const { organizationId } = link;
  const { id: userId, email } = member.user;
  const at = deps.clock.now();
  const by = { who: { kind: 'user', userId }, from: readAddress(address) } as const;
  const isRedeemed = await deps.loginLinks.redeem({ hash, at }, () =>
    auditEntries(
      { by, at },
      { organizationId, action: 'login-link-redeemed', subject: email, aboutUserId: userId },
    ),
  );
  if (!isRedeemed) throw linkUsed();
  const created = await createSession(deps, {
    user: member.user,
    boundTo: organizationId,
    passwordHash: null,
    device,
    refusal: linkUnknown,
  });
  return recordSignedIn(deps, created, { by: 'login-link', address });
}
