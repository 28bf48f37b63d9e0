import type { SignedIn } from '../../access/ports/security-log.js';
import type { Uses } from '../../deps.js';
import { readAddress } from '../../values/address.js';
import type { CreatedSession } from './create-session.js';

/** Tells the security log how and from where a person has signed in. Returns the session. */
export function recordSignedIn<Created extends CreatedSession>(
  { securityLog }: Uses<'securityLog.record'>,
  created: Created,
  { by, address }: { readonly by: SignedIn['by']; readonly address: string },
): Created {
  securityLog?.record({ kind: 'signed-in', userId: created.user.id, by, address: readAddress(address) });
  return created;
}
