import type { Acting } from '../../access/acting.js';
import { auditEntries } from '../../access/audit-entries.js';
import type { Uses } from '../../deps.js';
import type { Member, Members } from '../ports/members.js';

/** Stores an id that has no mistakes, with its entry in the audit trail. An invitation that has expired keeps no id from it. */
export async function storeIdpId(
  { clock, invitations, members }: Uses<'clock.now' | 'invitations.revokeExpired' | 'members.setIdpId'>,
  {
    member,
    idpId,
    replaces,
    by,
  }: {
    readonly member: Member;
    readonly idpId: string | null;
    readonly replaces?: string | null | undefined;
    readonly by: Acting['by'];
  },
): ReturnType<Members['setIdpId']> {
  const { organizationId, user } = member;
  const at = clock.now();
  await invitations.revokeExpired({ organizationId, at });
  return members.setIdpId({ organizationId, userId: user.id, idpId, replaces }, ({ before }) => {
    const subject = `${user.email}: ${before ?? 'none'} → ${idpId ?? 'none'}`;
    return auditEntries({ by, at }, { organizationId, action: 'idp-id-set', subject, aboutUserId: user.id });
  });
}
