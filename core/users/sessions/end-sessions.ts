import { type Acting, checkActor } from '../../access/acting.js';
import { auditEntries } from '../../access/audit-entries.js';
import type { Uses } from '../../deps.js';
import { normalizeEmail } from '../../values/email.js';
import { noSuchUser } from '../person.js';
import type { User } from '../user.js';
import { sessionEndsInMs } from './session.js';

/** The request of `endSessions`. */
export interface EndSessions extends Acting {
  /** The address of the user, in any case. Null: all users. */
  readonly email: string | null;
}

/** What `endSessions` has done. */
export interface EndedSessions {
  /** The user whose sessions have ended; null: all users. */
  readonly user: User | null;
  /** The number of sessions that still worked. */
  readonly ended: number;
}

/**
 * Ends every session of a user, or of all users, at once and on every instance. Passwords and links stay, so people can
 * sign in again. The organizations whose login links started some of them find that in their audit trails.
 *
 * @throws `Refusal`: `user-not-found`.
 */
export async function endSessions(
  { sessions, users, clock }: Uses<'clock.now' | 'sessions.endAll' | 'users.byEmail'>,
  { email, by }: EndSessions,
): Promise<EndedSessions> {
  checkActor(by);
  const user = email === null ? null : await users.byEmail(normalizeEmail(email));
  if (email !== null && user === null) throw noSuchUser(email);
  const at = clock.now();
  let ended = 0;
  await sessions.endAll({ userId: user?.id ?? null }, (stored) => {
    const working = stored.filter((session) => sessionEndsInMs(session, at) > 0);
    ended = working.length;
    return working.flatMap(({ boundTo: organizationId, user: { email: subject, id: aboutUserId } }) =>
      organizationId === null
        ? []
        : auditEntries({ by, at }, { organizationId, action: 'session-ended', subject, aboutUserId }),
    );
  });
  return { user, ended };
}
