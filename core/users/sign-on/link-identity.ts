import { auditEntries } from '../../access/audit-entries.js';
import type { Uses } from '../../deps.js';
import { readAddress } from '../../values/address.js';
import type { Identity, IdentityKey, NotLinked } from '../ports/identities.js';
import type { Member } from '../ports/members.js';

/** Links a person at the provider to a member, who is named as the one who does it. */
export async function linkIdentity(
  { identities, clock }: Uses<'clock.now' | 'identities.link'>,
  {
    identity: { organizationId, issuer, subject },
    member: { user },
    address,
  }: { readonly identity: IdentityKey; readonly member: Member; readonly address: string },
): Promise<Identity | NotLinked> {
  const linkedAt = clock.now();
  const by = { who: { kind: 'user', userId: user.id }, from: readAddress(address) } as const;
  return identities.link({ organizationId, issuer, subject, userId: user.id, linkedAt }, () =>
    auditEntries(
      { by, at: linkedAt },
      { organizationId, action: 'identity-linked', subject: user.email, aboutUserId: user.id },
    ),
  );
}
