import type { Acting } from '../access/actor.js';
import { auditEntries } from '../access/audit-entries.js';
import type { Deps } from '../deps.js';
import { Refusal } from '../errors.js';
import { emailProblem, normalizeEmail } from '../values/email.js';
import { refuseAny } from '../values/problems.js';
import type { User } from './ports.js';

export interface SetEmail extends Acting {
  /** The current address; one that no door accepts any more as it is stored. */
  readonly email: string;
  readonly to: string;
}

/**
 * Gives a user another address, to sign in with from now on, and ends their sessions. What they have stays theirs.
 * Every organization that they belong to finds it in its audit trail.
 */
export async function setEmail(
  { users, clock }: Pick<Deps, 'users' | 'clock'>,
  { email, to: given, by }: SetEmail,
): Promise<User> {
  refuseAny([emailProblem('to', given)]);
  const to = normalizeEmail(given);
  const at = clock.now();
  for (const from of new Set([email, normalizeEmail(email)])) {
    const changed = await users.setEmail({ from, to }, ({ organizationIds }) =>
      organizationIds.flatMap((organizationId) =>
        auditEntries({ by, at }, { organizationId, action: 'email-changed', subject: `${from} → ${to}` }),
      ),
    );
    if (changed === 'email-taken')
      throw new Refusal('invalid-request', `to: ${to} belongs to a user already`);
    if (changed !== 'not-a-user') return changed;
  }
  throw new Refusal('user-not-found', `email: there is no user ${normalizeEmail(email)}`);
}
