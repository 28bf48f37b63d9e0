import { type Acting, checkActor } from '../access/acting.js';
import { auditEntries } from '../access/audit-entries.js';
import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { emailProblem, normalizeEmail } from '../values/email.js';
import { refuseAny } from '../values/problems.js';
import { emailChangeSubject } from './email-change.js';
import { noSuchUser } from './person.js';
import type { User } from './user.js';

/** The request of `setEmail`. */
export interface SetEmail extends Acting {
  /** The current address. An address that is no longer valid must be exactly as stored. */
  readonly email: string;
  /** The new address, which no other user may have. */
  readonly to: string;
}

/**
 * Gives a user another address to sign in with, and ends their sessions. Memberships and everything else stay. The
 * change is in the audit trail of every organization that the user belongs to.
 *
 * @throws `Refusal`: `invalid-request` if the new address is malformed or taken; `user-not-found`.
 */
export async function setEmail(
  { users, clock }: Uses<'clock.now' | 'users.setEmail'>,
  { email, to: newEmail, by }: SetEmail,
): Promise<User> {
  checkActor(by);
  refuseAny([emailProblem('to', newEmail)]);
  const to = normalizeEmail(newEmail);
  const at = clock.now();
  for (const from of new Set([email, normalizeEmail(email)])) {
    const changed = await users.setEmail({ from, to }, ({ user: { id: aboutUserId }, organizationIds }) => {
      const entry = {
        action: 'email-changed',
        subject: emailChangeSubject({ from, to }),
        aboutUserId,
      } as const;
      return organizationIds.flatMap((organizationId) =>
        auditEntries({ by, at }, { ...entry, organizationId }),
      );
    });
    if (changed === 'email-taken')
      throw new Refusal('invalid-request', [
        { field: 'to', code: 'taken', message: `${to} belongs to a user already` },
      ]);
    if (changed !== 'not-a-user') return changed;
  }
  throw noSuchUser(email);
}
