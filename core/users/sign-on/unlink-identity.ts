import { type Acting, checkActor } from '../../access/acting.js';
import { auditEntries } from '../../access/audit-entries.js';
import type { Uses } from '../../deps.js';
import { Refusal } from '../../errors.js';
import { type ReadMember, readMember } from '../members/read-member.js';

/** The request of `unlinkIdentity`. */
export interface UnlinkIdentity extends ReadMember, Acting {}

/**
 * Ends the link between a member and the person at the identity provider, with the sessions that sign-on started. The
 * next person whom the provider identifies as this member can be linked.
 *
 * @throws `Refusal`: `member-not-found`; `identity-not-found` if there is none.
 */
export async function unlinkIdentity(
  deps: Uses<'clock.now' | 'identities.unlink' | 'members.byUserId'>,
  { organization, userId, by }: UnlinkIdentity,
): Promise<void> {
  checkActor(by);
  const { organizationId, user } = await readMember(deps, { organization, userId });
  const at = deps.clock.now();
  const isUnlinked = await deps.identities.unlink({ organizationId, userId: user.id }, () =>
    auditEntries(
      { by, at },
      { organizationId, action: 'identity-unlinked', subject: user.email, aboutUserId: user.id },
    ),
  );
  if (!isUnlinked) throw new Refusal('identity-not-found', 'This member has no identity');
}
